//! One entry as one line.

use core::fmt::{self, Write};

use super::{Entry, Escaped, Span, words};
use crate::{date::Rfc3339, explain::Lang, time::Millis};

/// Writes one entry as one line, without the line's end: time (UTC), severity, state, and what
/// happened.
///
/// # Errors
/// Those of `out`.
pub fn line(out: &mut impl Write, entry: &Entry, lang: Lang) -> fmt::Result {
    let (severity, state) = (entry.severity().label(lang), entry.state.label(lang));
    match lang {
        // Columns for a terminal.
        Lang::English => write!(out, "{}  {severity:<7}  {state:<17}  ", Rfc3339(entry.at))?,
        // Widths of Arabic text differ: separators serve better than columns.
        Lang::Arabic => write!(out, "{} | {severity} | {state} | ", Rfc3339(entry.at))?,
    }
    if is_about_an_attempt(entry) {
        write!(out, "{} {}", words::attempt(lang), entry.attempt)?;
        match entry.status {
            Some(status) => write!(out, "{}HTTP {status}", words::story(lang).separator)?,
            None if has_ended(entry) => out.write_str(words::no_answer(lang))?,
            None => {}
        }
        out.write_str(": ")?;
    }
    fill(out, words::sentence(entry, lang), |out, name| value(out, entry, name, lang))?;
    if let Some(reason) = entry.reason {
        write!(out, " ({reason})")?;
    }
    if entry.sustained_throttling {
        out.write_str(words::sustained(lang))?;
    }
    Ok(())
}

/// Writes `text` with each `{name}` replaced.
pub(super) fn fill<W: Write>(
    out: &mut W,
    text: &str,
    mut value: impl FnMut(&mut W, &str) -> fmt::Result,
) -> fmt::Result {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.write_str(before)?;
        let Some((name, after)) = after.split_once('}') else { break };
        value(out, name)?;
        rest = after;
    }
    out.write_str(rest)
}

/// A text of a stranger: escaped, and in Arabic isolated (UAX #9), so that it cannot disturb the
/// order of the text around it.
pub(super) fn foreign(out: &mut impl Write, text: &str, lang: Lang) -> fmt::Result {
    match lang {
        Lang::English => write!(out, "{}", Escaped(text)),
        Lang::Arabic => write!(out, "\u{2068}{}\u{2069}", Escaped(text)),
    }
}

fn value(out: &mut impl Write, entry: &Entry, name: &str, lang: Lang) -> fmt::Result {
    fn text(text: Option<&str>) -> &str {
        text.unwrap_or("?")
    }
    match name {
        "delay" => write!(out, "{}", Span(entry.delay.unwrap_or(Millis::ZERO), lang)),
        "cause" => out.write_str(entry.cause.map_or("?", |cause| cause.sentence(lang))),
        "other" => foreign(out, text(entry.other.as_deref()), lang),
        "by" => foreign(out, text(entry.by.as_deref()), lang),
        _ => foreign(out, text(entry.why.as_deref()), lang),
    }
}

/// What a person decided is about the call.
const fn is_about_an_attempt(entry: &Entry) -> bool {
    entry.attempt > 0 && entry.by.is_none()
}

const fn has_ended(entry: &Entry) -> bool {
    use super::TrailState::{Confirmed, Failed, RateLimited, Retrying};
    matches!(entry.state, RateLimited | Retrying | Failed | Confirmed)
}
