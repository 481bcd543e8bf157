//! A whole trail as a short story.

use alloc::string::String;

use super::{
    Entry, ShortKey, Span,
    line::{fill, foreign, line},
    words,
};
use crate::{
    explain::Lang,
    text::{join, push_number},
};

/// One call's trail, and what to call it by.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Story<'a> {
    /// What the ledger knows the call by.
    pub id: Option<&'a str>,
    /// Its key; shown shortened.
    pub key: Option<&'a str>,
    /// Names and values that say what it is about (customer, order, vendor).
    pub labels: &'a [Label<'a>],
    /// What happened, in order.
    pub entries: &'a [Entry],
}

/// A name and a value.
pub type Label<'a> = (&'a str, &'a str);

impl<'a> Story<'a> {
    /// The story of these entries.
    pub fn of(entries: &'a [Entry]) -> Self {
        Self { entries, ..Self::default() }
    }

    /// Appends a heading, a line for each entry, and how it stands; each line ends with a line feed.
    pub fn render(&self, out: &mut String, lang: Lang) {
        self.heading(out, lang);
        for entry in self.entries {
            line(out, entry, lang);
            out.push('\n');
        }
        self.ending(out, lang);
        out.push('\n');
    }

    fn heading(&self, out: &mut String, lang: Lang) {
        let words = words::story(lang);
        let mut separator = "";
        if let Some(id) = self.id {
            out.push_str(words.call);
            out.push(' ');
            foreign(out, id, lang);
            separator = words.separator;
        }
        if let Some(key) = self.key {
            out.push_str(&join(&[separator, words.key, " "]));
            ShortKey(key).push_to(out);
            separator = words.separator;
        }
        for (name, value) in self.labels {
            out.push_str(separator);
            foreign(out, name, lang);
            out.push(' ');
            foreign(out, value, lang);
            separator = words.separator;
        }
        if !separator.is_empty() {
            out.push('\n');
        }
    }

    fn ending(&self, out: &mut String, lang: Lang) {
        let words = words::story(lang);
        let (Some(first), Some(last)) = (self.entries.first(), self.entries.last()) else {
            return out.push_str(words.nothing);
        };
        let attempts = self.entries.iter().map(|entry| entry.attempt).max().unwrap_or_default();
        let text = if last.state.is_last() { words.end } else { words.open };
        fill(out, text, |out, name| match name {
            "state" => out.push_str(last.state.label(lang)),
            "attempt" => push_number(out, attempts.into()),
            _ => Span(last.at.since(first.at), lang).push_to(out),
        });
    }
}
