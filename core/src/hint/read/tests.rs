use alloc::{format, string::String, vec::Vec};

use super::*;
use crate::{
    outcome::{Body, Header},
    profile,
    rng::Rng,
};

/// 2026-01-15T12:00:00Z.
const NOON: UnixMillis = UnixMillis::new(1_768_478_400_000);

/// One line for every source, in the order in which they are asked, and what it reads as.
const SOURCES: [(&str, &str, u64, HintSource); 11] = [
    ("grpc-retry-pushback-ms", "1", 1, HintSource::GrpcPushback),
    ("retry-after-ms", "2.5", 3, HintSource::RetryAfterMs),
    ("x-ms-retry-after-ms", "3", 3, HintSource::MsRetryAfterMs),
    ("x-amz-retry-after", "4", 4, HintSource::AmzRetryAfter),
    ("retry-after", "Thu, 15 Jan 2026 12:00:05 GMT", 5_000, HintSource::RetryAfter),
    ("x-ratelimit-retry-after", "6.5", 6_500, HintSource::RateLimitRetryAfter),
    ("ratelimit", "\"a\";r=0;t=7", 7_000, HintSource::RateLimit),
    ("x-ratelimit-reset-requests", "8s", 8_000, HintSource::BucketReset),
    ("x-ratelimit-reset-after", "9", 9_000, HintSource::ResetAfter),
    ("x-ratelimit-reset", "10", 10_000, HintSource::Reset),
    ("x-rate-limit-reset", "1768478411", 11_000, HintSource::Reset),
];

/// What makes the lines above count, and asks for nothing itself.
const BESIDE: [(&str, &str); 4] = [
    ("grpc-status", "14"),
    ("x-ratelimit-remaining", "0"),
    ("x-ratelimit-remaining-requests", "0"),
    ("x-rate-limit-remaining", "0"),
];

fn hint(lines: &[(&str, &str)], body: Body<'_>, profile: &str) -> Option<(u64, HintSource)> {
    let headers: Vec<_> = lines.iter().map(|(n, v)| Header::new(n, v.as_bytes())).collect();
    let response = Response { status: 429, headers: &headers, body };
    let hint = read(&response, Some(NOON), profile::find(profile))?;
    Some((hint.delay.get(), hint.source))
}

#[test]
fn the_sources_are_asked_in_order_and_an_unreadable_one_is_passed_over() {
    for first in 0..SOURCES.len() - 1 {
        let rest = SOURCES[first..].iter().rev().map(|&(name, value, ..)| (name, value));
        let unreadable = SOURCES[..first].iter().map(|&(name, ..)| (name, "soon"));
        let lines: Vec<_> = BESIDE.into_iter().chain(rest).chain(unreadable).collect();
        // The last two are one source: the longer counts.
        let at = if first == SOURCES.len() - 2 { first + 1 } else { first };
        let (_, _, wait, source) = SOURCES[at];
        assert_eq!(hint(&lines, Body::default(), ""), Some((wait, source)));
    }
    assert_eq!(hint(&BESIDE, Body::default(), ""), None);
}

#[test]
fn the_longer_of_header_and_body_counts() {
    let retry_after = [("retry-after", "10")];
    for (lines, delay, seconds, expected) in [
        (&retry_after[..], Some("26s"), None, (26_000, HintSource::Body)),
        (&retry_after, Some("5s"), None, (10_000, HintSource::RetryAfter)),
        (&retry_after, Some("10s"), None, (10_000, HintSource::RetryAfter)),
        (&retry_after, None, Some("64.57"), (64_570, HintSource::Body)),
        (&retry_after, Some("-1s"), Some("soon"), (10_000, HintSource::RetryAfter)),
        (&[], Some("5s"), Some("6"), (6_000, HintSource::Body)),
        (&[], Some(" 0s "), None, (0, HintSource::Body)),
    ] {
        let body = Body { retry_delay: delay, retry_after_s: seconds, ..Body::default() };
        assert_eq!(hint(lines, body, ""), Some(expected), "{lines:?} {body:?}");
    }
    let body = Body { retry_delay: Some("1m"), ..Body::default() };
    assert_eq!(hint(&[], body, "google"), None);
}

#[test]
fn zero_is_a_value_and_negative_is_none() {
    let zero = [("retry-after-ms", "0"), ("retry-after", "120")];
    assert_eq!(hint(&zero, Body::default(), ""), Some((0, HintSource::RetryAfterMs)));
    for value in ["-1", "-0", "+5", "", "1e3", "1,5"] {
        let lines = [("retry-after-ms", value), ("retry-after", "3")];
        let expected = Some((3_000, HintSource::RetryAfter));
        assert_eq!(hint(&lines, Body::default(), ""), expected, "{value}");
    }
}

#[test]
fn amazons_header_is_whole_milliseconds() {
    for (value, expected) in [("1500", Some(1_500)), ("1.5", None), ("-1", None), ("x", None)] {
        let found = hint(&[("x-amz-retry-after", value)], Body::default(), "aws");
        assert_eq!(found.map(|(wait, _)| wait), expected, "{value}");
    }
}

#[test]
fn repeated_lines_give_the_longest() {
    for name in ["retry-after", "x-ratelimit-retry-after", "retry-after-ms"] {
        let unit = if name.ends_with("ms") { 1 } else { 1_000 };
        let lines = [(name, "60"), (name, "abc"), (name, "120, 30")];
        let found = hint(&lines, Body::default(), "").map(|(wait, _)| wait);
        assert_eq!(found, Some(120 * unit), "{name}");
    }
}

#[test]
fn a_wait_until_a_date_starts_at_the_answers_own_date_unless_it_comes_from_a_cache() {
    let until = ("retry-after", "Thu, 15 Jan 2026 12:02:00 GMT");
    let own = ("date", "Thu, 15 Jan 2026 12:01:00 GMT");
    for (lines, expected) in [
        (&[until][..], 120_000),
        (&[until, own], 60_000),
        (&[own, until], 60_000),
        (&[until, ("date", "yesterday"), own], 60_000),
        (&[until, own, ("content-type", "text/plain")], 60_000),
        (&[until, own, ("server", "nginx")], 60_000),
        (&[until, own, ("age", "60")], 120_000),
    ] {
        let found = hint(lines, Body::default(), "");
        assert_eq!(found, Some((expected, HintSource::RetryAfter)), "{lines:?}");
    }
}

#[test]
fn a_vendor_wait_stands_in_for_a_missing_header() {
    let limit = |policy| Body { policy: Some(policy), ..Body::default() };
    let wait = |wait| Some((wait, HintSource::VendorWait));
    assert_eq!(hint(&[], limit("TEN_SECONDLY_ROLLING"), "hubspot"), wait(10_000));
    assert_eq!(hint(&[], limit("secondly"), "hubspot"), wait(1_000));
    assert_eq!(hint(&[], limit("DAILY"), "hubspot"), None);
    assert_eq!(hint(&[], Body::default(), "github"), wait(60_000));
    assert_eq!(hint(&[("cf-error-type", "1205")], Body::default(), "cloudflare"), wait(5_000));
    let given = hint(&[("retry-after", "5")], limit("TEN_SECONDLY_ROLLING"), "hubspot");
    assert_eq!(given, Some((5_000, HintSource::RetryAfter)));
}

#[test]
fn githubs_minute_counts_only_while_something_is_left() {
    let body = Body { code: Some("You have exceeded a secondary rate limit."), ..Body::default() };
    let lines =
        |remaining| [("x-ratelimit-remaining", remaining), ("x-ratelimit-reset", "1768478430")];
    assert_eq!(hint(&lines("14"), body, "github"), Some((60_000, HintSource::VendorWait)));
    assert_eq!(hint(&lines("0"), body, "github"), Some((30_000, HintSource::Reset)));
}

#[test]
fn a_profile_settles_the_unit_of_a_reset() {
    for (profile, value, expected) in [
        ("linear", "1768478430000", 30_000),
        ("rocketchat", "1768478430000", 30_000),
        ("tiendanube", "1500", 1_500),
        ("reddit", "421", 421_000),
        ("github", "1768478430", 30_000),
        ("discord", "1768478430.5", 30_500),
        ("openai", "5", 5_000),
        ("openai", "1m30s", 90_000),
        ("anthropic", "2026-01-15T12:00:30Z", 30_000),
        ("atlassian", "2026-01-15T12:02Z", 120_000),
    ] {
        let lines = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", value)];
        let expected = Some((expected, HintSource::Reset));
        assert_eq!(hint(&lines, Body::default(), profile), expected, "{profile} {value}");
    }
}

#[test]
fn no_bytes_can_make_it_panic() {
    let mut rng = Rng::new(0x7265_6164);
    let names: Vec<_> = SOURCES
        .iter()
        .map(|&(name, ..)| name)
        .chain(BESIDE.iter().map(|&(name, _)| name))
        .chain(["date", "age", "x-ratelimit-", "-reset-", "réset-ratelimit-reset", "cf-error-type"])
        .collect();
    let pieces = b"0123456789.,;:-+ \"\\=%@?*()TZGMThmsJan\xC2\xB5\xFF\x00";
    for _ in 0..5_000 {
        let mut value = || -> Vec<u8> {
            let length = rng.draw().between(0, 24);
            (0..length)
                .map(|_| pieces[rng.draw().between(0, pieces.len() as u64 - 1) as usize])
                .collect()
        };
        let values: Vec<_> = (0..4).map(|_| value()).collect();
        let mut pick = |bound: usize| rng.draw().between(0, bound as u64 - 1) as usize;
        let headers: Vec<_> =
            values.iter().map(|value| Header::new(names[pick(names.len())], value)).collect();
        let text = String::from_utf8_lossy(&values[0]).into_owned();
        let body = Body {
            code: Some(&text),
            policy: Some(&text),
            problem_type: Some(&text),
            retry_delay: Some(&text),
            retry_after_s: Some(&text),
        };
        let response = Response { status: pick(65_536) as u16, headers: &headers, body };
        let profile = profile::ALL[pick(profile::ALL.len())];
        for wall in
            [None, Some(NOON), Some(UnixMillis::new(i64::MIN)), Some(UnixMillis::new(i64::MAX))]
        {
            let _ = read(&response, wall, None);
            let _ = read(&response, wall, Some(profile));
        }
    }
}

#[test]
fn a_long_value_is_read_in_linear_time() {
    for piece in ["9", ",", "Thu, ", "1,", "Thu, 15 Jan 2026 12:02:00 GMT, ", " ", "\"a\";r=0,"] {
        let long = piece.repeat(200_000 / piece.len());
        for name in ["retry-after", "retry-after-ms", "ratelimit", "x-ratelimit-reset", "date"] {
            let lines = [("x-ratelimit-remaining", "0"), (name, &*long)];
            let _ = hint(&lines, Body::default(), "");
        }
    }
    let many: Vec<_> = (0..2_000).map(|n| format!("x-ratelimit-reset-{n}")).collect();
    let lines: Vec<_> = many.iter().map(|name| (&**name, "5")).collect();
    assert_eq!(hint(&lines, Body::default(), ""), None);
}
