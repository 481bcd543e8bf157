//! When a bucket refills: `X-RateLimit-Reset` and its many relatives, each with a unit of its own.

use super::{
    Quota,
    clock::Clock,
    duration,
    number::{Decimal, MICRO, MILLI, NANO, SECOND},
    rate_limit, rfc3339,
};
use crate::{
    outcome::{Header, Response, trim},
    profile::ResetUnit,
    text::same,
    time::{Millis, UnixMillis},
};

/// The reset headers that are looked at; each is paired with a header of its own, so this bounds
/// the work on a hostile answer.
const MAX_RESETS: usize = 32;

/// Which of the reset headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Those of a named bucket: `x-ratelimit-reset-requests`, `anthropic-ratelimit-tokens-reset`.
    Bucket,
    /// `X-RateLimit-Reset-After`, seconds.
    After,
    /// `X-RateLimit-Reset`, `X-Rate-Limit-Reset`, `RateLimit-Reset`.
    Plain,
}

/// The longest wait among the buckets of this `kind` that are used up. A bucket is used up when
/// the header that has `remaining` where the other has `reset` is zero.
pub(super) fn read(
    response: &Response<'_>,
    clock: &Clock<'_>,
    unit: ResetUnit,
    kind: Kind,
) -> Option<Millis> {
    let resets = response.headers.iter().filter_map(|header| {
        let name = Name::cut(header.name, "reset").filter(|name| name.kind() == kind)?;
        Some((name, trim(header.value)))
    });
    let waits = resets.take(MAX_RESETS).filter_map(|(name, value)| {
        if !name.is_used_up(response) || (name.is_ietf() && rate_limit::is_cached(response)) {
            return None;
        }
        let unit = if kind == Kind::After { ResetUnit::DeltaSeconds } else { unit };
        wait(value, unit, clock)
    });
    waits.max()
}

/// Shows what is left of each bucket that tells it, and when it refills.
pub(super) fn buckets(
    response: &Response<'_>,
    clock: &Clock<'_>,
    unit: ResetUnit,
    show: &mut dyn FnMut(Quota),
) {
    let remainders = response.headers.iter().filter_map(|header| {
        let name = Name::cut(header.name, "remaining")?;
        Some((name, leading(trim(header.value))?.whole))
    });
    for (name, remaining) in remainders.take(MAX_RESETS) {
        let after = || wait(name.beside(response, "reset-after")?, ResetUnit::DeltaSeconds, clock);
        let reset_in = after().or_else(|| wait(name.beside(response, "reset")?, unit, clock));
        let limit = || leading(name.beside(response, "limit")?).map(|limit| limit.whole);
        let limit = if name.counts_calls() { limit() } else { None };
        show(Quota { limit, remaining, reset_in });
    }
}

/// The number that a limit begins with; the windows after it are comments (`100, 100;w=60` in the
/// drafts up to 06, `76;w=21600`).
fn leading(value: &[u8]) -> Option<Decimal> {
    let number = value.split(|b| matches!(b, b',' | b';')).next()?;
    Decimal::parse(trim(number))
}

/// Whether the caller's own bucket is used up, as far as `X-RateLimit-Remaining` and its
/// relatives say so.
pub(crate) fn is_used_up(response: &Response<'_>) -> bool {
    PLAIN.iter().any(|prefix| Name { prefix, suffix: "" }.is_used_up(response))
}

/// What stands before `reset` in the name of a header that knows one bucket only.
const PLAIN: [&str; 4] = ["x-ratelimit-", "x-rate-limit-", "ratelimit-", "rate-limit-"];

/// The name of a rate-limit header, cut around the word that says what it tells.
#[derive(Clone, Copy)]
struct Name<'a> {
    prefix: &'a str,
    suffix: &'a str,
}

impl<'a> Name<'a> {
    /// Cuts the name of a rate-limit header around `word`; nothing if it is another header.
    fn cut(name: &'a str, word: &str) -> Option<Self> {
        let mut start = 0;
        for part in name.as_bytes().split(|&byte| byte == b'-') {
            if same(part, word.as_bytes()) {
                let suffix = name.get(start + word.len()..)?;
                let cut = Self { prefix: name.get(..start)?, suffix };
                return is_about_rate_limits(cut.prefix).then_some(cut);
            }
            start += part.len() + 1;
        }
        None
    }

    fn kind(self) -> Kind {
        let is_plain = PLAIN.iter().any(|plain| same(self.prefix.as_bytes(), plain.as_bytes()));
        match self.suffix {
            "" if is_plain => Kind::Plain,
            suffix if is_plain && same(suffix.as_bytes(), b"-after") => Kind::After,
            _ => Kind::Bucket,
        }
    }

    /// The header that has `word` where this one has another.
    fn beside<'r>(self, response: &Response<'r>, word: &str) -> Option<&'r [u8]> {
        response.headers.iter().find(|h| self.is_of(h.name, word)).map(|h| trim(h.value))
    }

    /// Whether `name` is this one with `word` in it.
    fn is_of(self, name: &str, word: &str) -> bool {
        let rest = strip_prefix(name, self.prefix).and_then(|name| strip_prefix(name, word));
        rest.is_some_and(|rest| same(rest.as_bytes(), self.suffix.as_bytes()))
    }

    /// Whether it counts requests: a bucket of tokens says nothing about how many calls it holds.
    fn counts_calls(self) -> bool {
        let is_token = |word: &[u8]| word.get(..5).is_some_and(|start| same(start, b"token"));
        ![self.prefix, self.suffix]
            .iter()
            .any(|part| part.as_bytes().split(|&byte| byte == b'-').any(is_token))
    }

    /// A field of the IETF drafts, which does not outlive a cache.
    fn is_ietf(self) -> bool {
        same(self.prefix.as_bytes(), b"ratelimit-")
    }

    /// Whether the header beside it says that nothing is left: `0`, `0.0`.
    fn is_used_up(self, response: &Response<'_>) -> bool {
        let suffix = if self.kind() == Kind::After { "" } else { self.suffix };
        let beside = Self { suffix, ..self };
        let is_zero = |value: &[u8]| Decimal::parse(value).is_some_and(Decimal::is_zero);
        let has = |h: &Header<'_>| beside.is_of(h.name, "remaining") && is_zero(trim(h.value));
        response.headers.iter().any(has)
    }
}

fn is_about_rate_limits(prefix: &str) -> bool {
    let ends = |word: &str| prefix.as_bytes().windows(word.len()).any(|w| same(w, word.as_bytes()));
    ends("ratelimit-") || ends("rate-limit-")
}

#[inline(never)]
fn strip_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    same(head.as_bytes(), prefix.as_bytes()).then_some(rest)
}

/// Reads a number by its unit, or a value that names its own: a timestamp, a duration, a date.
fn wait(value: &[u8], unit: ResetUnit, clock: &Clock<'_>) -> Option<Millis> {
    if let Some(number) = Decimal::parse(value) {
        return by_unit(number, unit, clock);
    }
    if let Some(at) = rfc3339::parse(value) {
        return clock.until(at);
    }
    duration::go(value).or_else(|| clock.until(clock.read(value)?.at))
}

fn by_unit(number: Decimal, unit: ResetUnit, clock: &Clock<'_>) -> Option<Millis> {
    match unit {
        ResetUnit::Auto => by_magnitude(number, clock),
        ResetUnit::DeltaSeconds => Some(Millis::new(number.in_millis(SECOND))),
        ResetUnit::DeltaMillis => Some(Millis::new(number.in_millis(MILLI))),
        ResetUnit::EpochSeconds => clock.until(epoch(number, SECOND)),
        ResetUnit::EpochMillis => clock.until(epoch(number, MILLI)),
    }
}

/// Without a profile the size of a number tells its unit. Between three years in seconds and the
/// year 2001 as an epoch it could be either, and is ignored.
fn by_magnitude(number: Decimal, clock: &Clock<'_>) -> Option<Millis> {
    match number.whole {
        0..100_000_000 => Some(Millis::new(number.in_millis(SECOND))),
        100_000_000..1_000_000_000 => None,
        1_000_000_000..100_000_000_000 => clock.until(epoch(number, SECOND)),
        100_000_000_000..100_000_000_000_000 => clock.until(epoch(number, MILLI)),
        100_000_000_000_000..100_000_000_000_000_000 => clock.until(epoch(number, MICRO)),
        _ => clock.until(epoch(number, NANO)),
    }
}

/// A number of `unit`s since 1970, rounded up to the millisecond and saturating.
fn epoch(number: Decimal, unit: u64) -> UnixMillis {
    UnixMillis::new(i64::try_from(number.in_millis(unit)).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec::Vec};

    use super::*;

    const NOON: i64 = 1_768_478_400_000; // 2026-01-15T12:00:00Z

    fn read_at(
        pairs: &[(&str, &str)],
        unit: ResetUnit,
        kind: Kind,
        wall: Option<i64>,
    ) -> Option<u64> {
        let headers: Vec<_> = pairs.iter().map(|(n, v)| Header::new(n, v.as_bytes())).collect();
        let response = Response { status: 429, headers: &headers, ..Response::default() };
        let clock = Clock::new(&response, wall.map(UnixMillis::new));
        read(&response, &clock, unit, kind).map(Millis::get)
    }

    fn plain(value: &str, unit: ResetUnit) -> Option<u64> {
        let pairs = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", value)];
        read_at(&pairs, unit, Kind::Plain, Some(NOON))
    }

    #[test]
    fn the_size_of_a_number_tells_its_unit() {
        for (value, expected) in [
            ("0", Some(0)),
            ("45", Some(45_000)),
            ("45.5", Some(45_500)),
            ("99999999", Some(99_999_999_000)),
            ("100000000", None),
            ("999999999", None),
            ("1000000000", Some(0)),
            ("1768478460", Some(60_000)),
            ("1768478460.123", Some(60_123)),
            ("9999999999", Some(8_231_521_599_000)),
            ("99999999999", Some(98_231_521_599_000)),
            ("100000000000", Some(0)),
            ("1768478460001", Some(60_001)),
            ("99999999999999", Some(98_231_521_599_999)),
            ("1768478460000001", Some(60_001)),
            ("1768478460000000001", Some(60_001)),
            ("99999999999999999999999999999999999999999999", Some(Millis::MAX.get())),
            ("-1", None),
            ("later", None),
        ] {
            assert_eq!(plain(value, ResetUnit::Auto), expected, "{value}");
        }
    }

    #[test]
    fn a_profile_settles_the_unit() {
        for (unit, value, expected) in [
            (ResetUnit::DeltaSeconds, "1768478460", 1_768_478_460_000),
            (ResetUnit::DeltaMillis, "1500", 1_500),
            (ResetUnit::EpochSeconds, "1768478460", 60_000),
            (ResetUnit::EpochSeconds, "60", 0),
            (ResetUnit::EpochMillis, "1768478430000", 30_000),
        ] {
            assert_eq!(plain(value, unit), Some(expected), "{unit} {value}");
        }
    }

    #[test]
    fn a_value_that_names_its_unit_needs_no_profile() {
        for unit in ResetUnit::ALL {
            for (value, expected) in [
                ("1m30s", 90_000),
                ("17ms", 17),
                ("2026-01-15T12:02Z", 120_000),
                ("2026-01-15T11:59:00Z", 0),
                ("Thu, 15 Jan 2026 12:02:00 GMT", 120_000),
            ] {
                assert_eq!(plain(value, *unit), Some(expected), "{unit} {value}");
            }
        }
    }

    #[test]
    fn only_buckets_with_nothing_left_bind() {
        for (remaining, expected) in [
            ("0", Some(45_000)),
            ("0.0", Some(45_000)),
            (" 000 ", Some(45_000)),
            ("1", None),
            ("0.1", None),
            ("-1", None),
            ("none", None),
            ("", None),
        ] {
            let pairs = [("x-rate-limit-remaining", remaining), ("x-rate-limit-reset", "45")];
            let wait = read_at(&pairs, ResetUnit::Auto, Kind::Plain, None);
            assert_eq!(wait, expected, "{remaining:?}");
        }
        let alone = [("x-ratelimit-reset", "45"), ("x-rate-limit-remaining", "0")];
        assert_eq!(read_at(&alone, ResetUnit::Auto, Kind::Plain, None), None, "of another family");
    }

    #[test]
    fn a_reset_belongs_to_the_remaining_of_its_own_bucket() {
        for (prefix, suffix) in [
            ("X-RateLimit-", "-Requests"),
            ("x-ratelimit-requests-", ""),
            ("anthropic-ratelimit-input-tokens-", ""),
            ("x-hubspot-ratelimit-", "-secondly"),
        ] {
            let remaining = format!("{prefix}REMAINING{suffix}");
            let reset = format!("{prefix}reset{suffix}");
            let pairs = [(&*reset, "6m0s"), ("x-ratelimit-remaining", "0"), (&*remaining, "0")];
            let wait = |n| read_at(&pairs[..n], ResetUnit::Auto, Kind::Bucket, None);
            assert_eq!((wait(3), wait(2)), (Some(360_000), None), "{reset}");
        }
    }

    #[test]
    fn reset_after_is_seconds_whatever_the_profile() {
        let pairs = [("x-ratelimit-remaining", "0"), ("X-RateLimit-Reset-After", "64.57")];
        let wait = read_at(&pairs, ResetUnit::EpochMillis, Kind::After, None);
        assert_eq!(wait, Some(64_570));
        assert_eq!(read_at(&pairs, ResetUnit::Auto, Kind::Bucket, None), None);
    }

    #[test]
    fn other_headers_are_left_alone() {
        for name in ["reset", "x-reset", "password-reset-after", "x-ratelimit-resets", "ratelimit"]
        {
            assert!(Name::cut(name, "reset").is_none(), "{name}");
        }
    }

    #[test]
    fn the_ietf_fields_do_not_outlive_a_cache() {
        let pairs = [("ratelimit-remaining", "0"), ("ratelimit-reset", "5"), ("age", "9")];
        let wait = |n| read_at(&pairs[..n], ResetUnit::Auto, Kind::Plain, None);
        assert_eq!((wait(2), wait(3)), (Some(5_000), None));
        let pairs = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "5"), ("age", "9")];
        assert_eq!(read_at(&pairs, ResetUnit::Auto, Kind::Plain, None), Some(5_000), "others may");
    }

    #[test]
    fn the_work_on_a_hostile_answer_is_bounded() {
        let names: Vec<_> = (0..MAX_RESETS).map(|n| format!("x-ratelimit-reset-{n}")).collect();
        let mut pairs: Vec<_> = names.iter().map(|name| (&**name, "5")).collect();
        pairs.extend([("x-ratelimit-remaining-last", "0"), ("x-ratelimit-reset-last", "5")]);
        assert_eq!(read_at(&pairs, ResetUnit::Auto, Kind::Bucket, None), None);
        assert_eq!(read_at(&pairs[1..], ResetUnit::Auto, Kind::Bucket, None), Some(5_000));
    }
}
