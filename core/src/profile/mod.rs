//! Vendor profiles: units, body codes, key rules, each a data file in `core/profiles`.
//!
//! The files are for people: every rule there names its source. [`ALL`] is what remains of them for
//! machines, written by `cargo xtask profiles`. A profile is data without behaviour; the readers in
//! [`hint`](crate::hint) and [`classify`](mod@crate::classify) consult it, and a policy document takes
//! its [`policy`](Profile::policy()) fragment.

mod rule;
#[rustfmt::skip]
mod table;

pub(crate) use rule::Facts;
pub use rule::{Rule, Test};
pub use table::ALL;

use crate::{codes::codes, text::cut, time::Millis};

/// What one vendor does differently.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The id that policies name (`stripe`, `github` …).
    pub id: &'static str,
    /// JSON pointers at which the host looks for the machine codes of an error body.
    pub pointers: &'static Pointers,
    /// Headers that carry the machine code where the body has none, lower case.
    pub code_headers: &'static [&'static str],
    /// Codes come as `namespace#Code:address` and are compared by the part between.
    pub has_qualified_codes: bool,
    /// The unit of the vendor's reset headers.
    pub reset_unit: ResetUnit,
    /// How far beyond the computed delay `x-amz-retry-after` may reach, ms; 0 where it may not.
    hint_window_ms: u32,
    /// The interface is gRPC: its pushback is read whatever the other headers say.
    pub is_grpc: bool,
    /// The longest idempotency key in characters; 0 if the vendor names no limit.
    pub key_max_len: u16,
    /// What an idempotency key must look like.
    pub key_shape: KeyShape,
    /// The body's own field for the key, where no header carries it; else empty.
    pub key_field: &'static str,
    /// What the vendor's answers mean, first match wins.
    pub rules: &'static [Rule],
    /// Whose rules follow its own.
    pub like: Option<&'static Self>,
}

codes! {
    /// What a bare number in a reset header counts. Values that name their unit (a timestamp, a
    /// duration) are read as what they say.
    pub enum ResetUnit {
        /// Told by the size of the number: seconds, or an epoch in s, ms, µs or ns.
        Auto = 0 => "auto",
        /// Seconds from now.
        DeltaSeconds = 1 => "delta-seconds",
        /// Milliseconds from now.
        DeltaMillis = 2 => "delta-millis",
        /// Seconds since 1970.
        EpochSeconds = 3 => "epoch-seconds",
        /// Milliseconds since 1970.
        EpochMillis = 4 => "epoch-millis",
    }
}

codes! {
    /// What a vendor's idempotency keys must look like.
    pub enum KeyShape {
        /// Any visible ASCII.
        Any = 0 => "any",
        /// A UUID.
        Uuid = 1 => "uuid",
    }
}

/// Where the machine codes stand in an error body: JSON pointers (RFC 6901), the first that leads
/// to a string or a number wins. A number is passed as it is written.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pointers {
    /// To [`Body::code`](crate::Body::code).
    pub code: &'static [&'static str],
    /// To [`Body::policy`](crate::Body::policy).
    pub policy: &'static [&'static str],
    /// To [`Body::problem_type`](crate::Body::problem_type).
    pub problem_type: &'static [&'static str],
    /// To [`Body::retry_delay`](crate::Body::retry_delay).
    pub retry_delay: &'static [&'static str],
    /// To [`Body::retry_after_s`](crate::Body::retry_after_s).
    pub retry_after_s: &'static [&'static str],
}

impl Pointers {
    /// Where to look without a profile: at the problem type (RFC 9457 §3.1.1), which means the
    /// same everywhere.
    pub const STANDARD: Self = Self {
        code: &[],
        policy: &[],
        problem_type: &["/type"],
        retry_delay: &[],
        retry_after_s: &[],
    };
}

/// A span of the table, where 0 stands for none: half of what an option takes, in each row.
fn some(ms: u32) -> Option<Millis> {
    (ms > 0).then(|| Millis::new(ms.into()))
}

/// The profile with this id, if there is one.
pub fn find(id: &str) -> Option<&'static Profile> {
    let at = ALL.binary_search_by(|profile| profile.id.cmp(id)).ok()?;
    ALL.get(at).copied()
}

impl Profile {
    /// The product and interface, for people.
    pub fn name(&self) -> &'static str {
        self.of(table::NAMES)
    }

    /// The fragment of a policy document that this profile lays over `extends`, as JSON.
    pub fn policy(&self) -> &'static str {
        self.of(table::POLICIES)
    }

    // In lists of their own, so that a module which never asks does not carry them.
    fn of(&self, list: &[&'static str]) -> &'static str {
        let at = ALL.binary_search_by(|profile| profile.id.cmp(self.id));
        at.ok().and_then(|at| list.get(at)).copied().unwrap_or_default()
    }

    /// How far beyond the computed delay `x-amz-retry-after` may reach.
    pub fn hint_window(&self) -> Option<Millis> {
        some(self.hint_window_ms)
    }

    /// Whether answers with a status below 400 may be failures: then a host looks for the machine
    /// codes in their bodies too, which it need not do for anybody else.
    pub fn judges_success(&self) -> bool {
        let statuses = self.all_rules().flat_map(|rule| rule.statuses);
        statuses.into_iter().any(|&(first, _)| first < FAILURES)
    }

    /// The lowest status of an answer whose body is to be looked into for machine codes: 400, and 0
    /// where the profile [judges successes](Self::judges_success).
    pub fn looks_from(profile: Option<&Self>) -> u16 {
        if profile.is_some_and(Self::judges_success) { 0 } else { FAILURES }
    }

    /// The first rule that applies.
    pub(crate) fn rule(&self, facts: &Facts<'_>) -> Option<&'static Rule> {
        let code = self.code(facts.response);
        self.all_rules().find(|rule| rule.applies(facts, code))
    }

    /// Its own rules before those of [`Profile::like`].
    fn all_rules(&self) -> impl Iterator<Item = &'static Rule> + use<> {
        // No file is like one that is like another, so this is the whole chain.
        let shared = self.like.map_or(&[][..], |profile| profile.rules);
        [self.rules, shared].into_iter().flatten()
    }

    /// The vendor's machine code: of the body, else of a header.
    fn code<'a>(&self, response: &crate::Response<'a>) -> Option<&'a str> {
        let header = |name: &&str| core::str::from_utf8(response.header(name)?).ok();
        let code = response.body.code.or_else(|| self.code_headers.iter().find_map(header))?;
        if !self.has_qualified_codes {
            return Some(code);
        }
        let (name, _address) = cut(code, b':').unwrap_or((code, ""));
        Some(cut(name, b'#').map_or(name, |(_namespace, name)| name))
    }
}

/// From here on a status says failure, whoever sends it.
const FAILURES: u16 = 400;

#[cfg(test)]
mod tests;
