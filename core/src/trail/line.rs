//! One entry as one line.

use alloc::string::String;

use super::{Entry, Escaped, Span, words};
use crate::{
    date::Rfc3339,
    explain::Lang,
    text::{cut, join, push_number},
    time::Millis,
};

/// Appends one entry as one line, without the line's end: time (UTC), severity, state, and what
/// happened.
pub fn line(out: &mut String, entry: &Entry, lang: Lang) {
    let (severity, state) = (entry.severity().label(lang), entry.state.label(lang));
    Rfc3339(entry.at).push_to(out);
    match lang {
        // Columns for a terminal.
        Lang::English => {
            out.push_str("  ");
            column(out, severity, 7);
            column(out, state, 17);
        }
        // Widths of Arabic text differ: separators serve better than columns.
        Lang::Arabic => out.push_str(&join(&[" | ", severity, " | ", state, " | "])),
    }
    if is_about_an_attempt(entry) {
        out.push_str(words::attempt(lang));
        out.push(' ');
        push_number(out, entry.attempt.into());
        match entry.status {
            Some(status) => {
                out.push_str(words::story(lang).separator);
                out.push_str("HTTP ");
                push_number(out, status.into());
            }
            None if has_ended(entry) => out.push_str(words::no_answer(lang)),
            None => {}
        }
        out.push_str(": ");
    }
    fill(out, words::sentence(entry, lang), |out, name| value(out, entry, name, lang));
    if let Some(reason) = entry.reason {
        out.push_str(&join(&[" (", reason.name(), ")"]));
    }
    if entry.sustained_throttling {
        out.push_str(words::sustained(lang));
    }
}

/// Appends `text` with each `{name}` replaced.
pub(super) fn fill(out: &mut String, text: &str, mut value: impl FnMut(&mut String, &str)) {
    let mut rest = text;
    while let Some((before, after)) = cut(rest, b'{') {
        out.push_str(before);
        let Some((name, after)) = cut(after, b'}') else { return };
        value(out, name);
        rest = after;
    }
    out.push_str(rest);
}

/// A text of a stranger: escaped, and in Arabic isolated (UAX #9), so that it cannot disturb the
/// order of the text around it.
pub(super) fn foreign(out: &mut String, text: &str, lang: Lang) {
    if lang == Lang::Arabic {
        out.push('\u{2068}');
    }
    Escaped(text).push_to(out);
    if lang == Lang::Arabic {
        out.push('\u{2069}');
    }
}

fn value(out: &mut String, entry: &Entry, name: &str, lang: Lang) {
    let text = match name {
        "delay" => return Span(entry.delay.unwrap_or(Millis::ZERO), lang).push_to(out),
        "cause" => return out.push_str(entry.cause.map_or("?", |cause| cause.sentence(lang))),
        "other" => entry.other.as_deref(),
        "by" => entry.by.as_deref(),
        _ => entry.why.as_deref(),
    };
    foreign(out, text.unwrap_or("?"), lang);
}

/// A column of ASCII, and two blanks.
fn column(out: &mut String, text: &str, width: usize) {
    out.push_str(text);
    (text.len()..width + 2).for_each(|_| out.push(' '));
}

/// What a person decided is about the call.
const fn is_about_an_attempt(entry: &Entry) -> bool {
    entry.attempt > 0 && entry.by.is_none()
}

const fn has_ended(entry: &Entry) -> bool {
    use super::TrailState::{Confirmed, Failed, RateLimited, Retrying};
    matches!(entry.state, RateLimited | Retrying | Failed | Confirmed)
}
