use alloc::vec::Vec;

use super::*;
use crate::{outcome::Header, profile};

const NOON: i64 = 1_768_478_400_000; // 2026-01-15T12:00:00Z

type Told = (Option<u64>, u64, Option<u64>);

fn read(pairs: &[(&str, &str)], vendor: &str) -> Option<Told> {
    let headers: Vec<_> = pairs.iter().map(|(n, v)| Header::new(n, v.as_bytes())).collect();
    let wall = Some(UnixMillis::new(NOON));
    let quota = quota(&Response::new(200, &headers), wall, profile::find(vendor))?;
    Some((quota.limit, quota.remaining, quota.reset_in.map(Millis::get)))
}

#[test]
fn every_family_of_headers_is_read_with_its_unit() {
    for (vendor, pairs, expected) in [
        (
            "",
            &[("RateLimit-Limit", "100"), ("RateLimit-Remaining", "7"), ("RateLimit-Reset", "50")]
                [..],
            (Some(100), 7, Some(50_000)),
        ),
        (
            "",
            &[("RateLimit-Limit", "10, 10;w=1, 50;w=60"), ("ratelimit-remaining", "9")],
            (Some(10), 9, None),
        ),
        ("", &[("RateLimit", "limit=100, remaining=50, reset=5")], (Some(100), 50, Some(5_000))),
        ("", &[("RateLimit", r#""default";r=50;t=30"#)], (None, 50, Some(30_000))),
        (
            "",
            &[("RateLimit-Policy", r#""burst";q=100;w=60"#), ("RateLimit", r#""burst";r=5;t=9"#)],
            (Some(100), 5, Some(9_000)),
        ),
        (
            "github",
            &[
                ("x-ratelimit-limit", "5000"),
                ("x-ratelimit-remaining", "4999"),
                ("x-ratelimit-reset", "1768478460"),
            ],
            (Some(5_000), 4_999, Some(60_000)),
        ),
        (
            "discord",
            &[
                ("X-RateLimit-Remaining", "1"),
                ("X-RateLimit-Reset", "1768478500.5"),
                ("X-RateLimit-Reset-After", "64.57"),
            ],
            (None, 1, Some(64_570)),
        ),
        (
            "anthropic",
            &[
                ("anthropic-ratelimit-requests-limit", "50"),
                ("anthropic-ratelimit-requests-remaining", "49"),
                ("anthropic-ratelimit-requests-reset", "2026-01-15T12:00:02Z"),
            ],
            (Some(50), 49, Some(2_000)),
        ),
        (
            "linear",
            &[
                ("X-RateLimit-Requests-Limit", "1500"),
                ("X-RateLimit-Requests-Remaining", "3"),
                ("X-RateLimit-Requests-Reset", "1768478430000"),
            ],
            (Some(1_500), 3, Some(30_000)),
        ),
        (
            "reddit",
            &[("x-ratelimit-remaining", "99.0"), ("x-ratelimit-reset", "412")],
            (None, 99, Some(412_000)),
        ),
        (
            "tiendanube",
            &[("x-rate-limit-remaining", "3"), ("x-rate-limit-reset", "1500")],
            (None, 3, Some(1_500)),
        ),
        ("shopify", &[("X-Shopify-Shop-Api-Call-Limit", "39/40")], (Some(40), 1, None)),
        (
            "",
            &[("ratelimit-limit", "100;w=21600"), ("ratelimit-remaining", "76;w=21600")],
            (Some(100), 76, None),
        ),
    ] {
        assert_eq!(read(pairs, vendor), Some(expected), "{pairs:?}");
    }
}

#[test]
fn the_least_left_binds_and_of_equals_the_longest_wait() {
    let two = [("ratelimit", r#""second";r=3;t=1,"day";r=3;t=3600"#)];
    assert_eq!(read(&two, ""), Some((None, 3, Some(3_600_000))));
    let families = [
        ("x-ratelimit-remaining-requests", "2"),
        ("x-ratelimit-reset-requests", "1s"),
        ("x-ratelimit-remaining-tokens", "9000"),
        ("x-ratelimit-reset-tokens", "6m"),
        ("ratelimit", r#""a";r=1;t=7"#),
    ];
    assert_eq!(read(&families, ""), Some((None, 1, Some(7_000))));
    assert_eq!(read(&families[..4], ""), Some((None, 2, Some(1_000))));
}

#[test]
fn a_bucket_of_tokens_has_no_limit_in_calls() {
    for (prefix, suffix) in [("x-ratelimit-", "-tokens"), ("anthropic-ratelimit-tokens-", "")] {
        let names = ["limit", "remaining"].map(|word| std::format!("{prefix}{word}{suffix}"));
        let pairs = [(&*names[0], "30000"), (&*names[1], "0")];
        assert_eq!(read(&pairs, ""), Some((None, 0, None)));
    }
    let bytes = [
        ("ratelimit-policy", r#""b";q=9000;qu="content-bytes";w=1"#),
        ("ratelimit", r#""b";r=5;t=1"#),
    ];
    assert_eq!(read(&bytes, ""), Some((None, 5, Some(1_000))));
}

#[test]
fn a_limit_belongs_to_the_policy_of_its_own_name() {
    let policies = ("ratelimit-policy", r#""day";q=9, "hour";q=4;qu="requests""#);
    let named = |field| read(&[policies, ("ratelimit", field)], "");
    assert_eq!(named(r#""hour";r=1"#), Some((Some(4), 1, None)));
    assert_eq!(named(r#""day";r=1"#), Some((Some(9), 1, None)));
    assert_eq!(named(r#""week";r=1"#), Some((None, 1, None)));
}

#[test]
fn what_cannot_be_read_counts_as_absent() {
    for pairs in [
        &[][..],
        &[("x-ratelimit-remaining", "")],
        &[("x-ratelimit-remaining", "-1")],
        &[("x-ratelimit-remaining", "many")],
        &[("x-remaining", "5")],
        &[("x-ratelimit-limit", "5"), ("x-ratelimit-reset", "5")],
        &[("ratelimit", "\"a\";r=1, \"b\"")],
        &[("ratelimit", r#""a";r=1"#), ("ratelimit", "b;r=1")],
        &[("x-shopify-shop-api-call-limit", "39")],
        &[("x-ratelimit-remaining", "5"), ("age", "30")],
    ] {
        assert_eq!(read(pairs, ""), None, "{pairs:?}");
    }
    let odd = [("x-ratelimit-remaining", "5"), ("x-ratelimit-reset", "soon")];
    assert_eq!(read(&odd, ""), Some((None, 5, None)));
    let huge = [("x-ratelimit-remaining", "99999999999999999999999")];
    assert_eq!(read(&huge, ""), Some((None, u64::MAX, None)));
}

#[test]
fn a_hostile_answer_costs_bounded_work() {
    let names: Vec<_> = (0..3_000).map(|n| std::format!("x-ratelimit-{n}-remaining")).collect();
    let mut pairs: Vec<_> = names.iter().map(|name| (&**name, "5")).collect();
    pairs.push(("x-ratelimit-remaining", "1"));
    assert_eq!(read(&pairs, ""), Some((None, 5, None)), "what comes after 32 is not looked at");
}
