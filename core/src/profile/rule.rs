//! One thing that a vendor's answers mean.

use crate::{
    classify::{Basis, Class, Classification, Delivery, Signal},
    hint::reset,
    outcome::Response,
    text::same,
    time::Millis,
};

/// What an answer means that passes a test.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The statuses it is about, as closed ranges.
    pub statuses: &'static [(u16, u16)],
    /// What else must hold.
    pub test: Test,
    /// Which kind of outcome it is.
    pub class: Class,
    /// Whether the application may have acted.
    pub delivery: Delivery,
    /// What a `not_processed` rests on.
    pub basis: Basis,
    /// How long the vendor says to wait when no header does, ms; 0 where it does not say.
    pub(super) wait_ms: u32,
}

/// What must hold besides the status. Text compares without case; an empty list is any text at all.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Test {
    /// Nothing.
    Always,
    /// The code is one of these.
    Code(&'static [&'static str]),
    /// The code, which may be a sentence, contains one of these.
    CodeHas(&'static [&'static str]),
    /// The header is there and is one of these.
    Header(&'static str, &'static [&'static str]),
    /// A request key was sent.
    KeySent,
    /// The limit is one of these.
    Policy(&'static [&'static str]),
    /// The limit, which may be a sentence, contains one of these.
    PolicyHas(&'static [&'static str]),
    /// There is a usable Retry-After.
    RetryAfter,
    /// The rate-limit headers say that nothing is left.
    UsedUp,
}

/// What a rule is applied to.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) response: &'a Response<'a>,
    /// A request key was sent.
    pub(crate) key_sent: bool,
    /// The server asked for a wait: see [`HintSource::is_retry_after`](crate::hint::HintSource).
    pub(crate) retry_after: bool,
}

impl Rule {
    /// Whether the rule is about this answer, whose machine code is `code`.
    #[inline(never)]
    pub(crate) fn applies(&self, facts: &Facts<'_>, code: Option<&str>) -> bool {
        let status = facts.response.status;
        self.statuses.iter().any(|&(first, last)| (first..=last).contains(&status))
            && self.test.holds(facts, code)
    }

    /// How long the vendor says to wait when no header does.
    pub fn wait(&self) -> Option<Millis> {
        super::some(self.wait_ms)
    }

    /// What the answer means. A rate limit is one of the caller's making, so a 5xx is none.
    pub(crate) fn classification(&self, status: u16) -> Classification {
        let throttled = self.class == Class::Throttled && !(500..=599).contains(&status);
        Classification {
            rate_limit: throttled || status == 429,
            ..Classification::new(self.class, self.delivery, self.basis, Signal::Vendor)
        }
    }
}

impl Test {
    fn holds(&self, facts: &Facts<'_>, code: Option<&str>) -> bool {
        let policy = facts.response.body.policy;
        match *self {
            Self::Always => true,
            Self::Code(codes) => code.is_some_and(|code| is_one_of(code.as_bytes(), codes)),
            Self::CodeHas(parts) => code.is_some_and(|code| contains(code, parts)),
            Self::Header(name, values) => {
                facts.response.header_values(name).any(|value| is_one_of(value, values))
            }
            Self::KeySent => facts.key_sent,
            Self::Policy(names) => policy.is_some_and(|name| is_one_of(name.as_bytes(), names)),
            Self::PolicyHas(parts) => policy.is_some_and(|name| contains(name, parts)),
            Self::RetryAfter => facts.retry_after,
            Self::UsedUp => reset::is_used_up(facts.response),
        }
    }
}

fn is_one_of(text: &[u8], list: &[&str]) -> bool {
    list.is_empty() || list.iter().any(|one| same(text, one.as_bytes()))
}

/// Whether the start of `text` has one of `parts` in it; sentences are short, bodies are not.
fn contains(text: &str, parts: &[&str]) -> bool {
    const LOOKED_AT: usize = 1024;
    let text = text.as_bytes();
    let text = text.get(..LOOKED_AT).unwrap_or(text);
    parts
        .iter()
        .any(|part| text.windows(part.len().max(1)).any(|window| same(window, part.as_bytes())))
}
