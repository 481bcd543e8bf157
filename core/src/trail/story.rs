//! A whole trail as a short story.

use core::fmt::{self, Write};

use super::{
    Entry, ShortKey, Span,
    line::{fill, foreign, line},
    words,
};
use crate::explain::Lang;

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

    /// Writes a heading, a line for each entry, and how it stands; each line ends with a line feed.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn render(&self, out: &mut impl Write, lang: Lang) -> fmt::Result {
        self.heading(out, lang)?;
        for entry in self.entries {
            line(out, entry, lang)?;
            out.write_char('\n')?;
        }
        self.ending(out, lang)?;
        out.write_char('\n')
    }

    fn heading(&self, out: &mut impl Write, lang: Lang) -> fmt::Result {
        let words = words::story(lang);
        let mut separator = "";
        if let Some(id) = self.id {
            write!(out, "{} ", words.call)?;
            foreign(out, id, lang)?;
            separator = words.separator;
        }
        if let Some(key) = self.key {
            write!(out, "{separator}{} {}", words.key, ShortKey(key))?;
            separator = words.separator;
        }
        for (name, value) in self.labels {
            out.write_str(separator)?;
            foreign(out, name, lang)?;
            out.write_char(' ')?;
            foreign(out, value, lang)?;
            separator = words.separator;
        }
        if separator.is_empty() { Ok(()) } else { out.write_char('\n') }
    }

    fn ending(&self, out: &mut impl Write, lang: Lang) -> fmt::Result {
        let words = words::story(lang);
        let (Some(first), Some(last)) = (self.entries.first(), self.entries.last()) else {
            return out.write_str(words.nothing);
        };
        let attempts = self.entries.iter().map(|entry| entry.attempt).max().unwrap_or_default();
        let text = if last.state.is_last() { words.end } else { words.open };
        fill(out, text, |out, name| match name {
            "state" => out.write_str(last.state.label(lang)),
            "attempt" => write!(out, "{attempts}"),
            _ => write!(out, "{}", Span(last.at.since(first.at), lang)),
        })
    }
}
