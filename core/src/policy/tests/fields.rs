//! Every field: left out, at both ends, beyond them, of another type, null.

use alloc::{format, string::String, vec::Vec};

use super::{
    super::{BreakerOptions, BudgetOptions, IssueKind, Options},
    issues, one_issue, options, with,
};
use crate::time::Millis;

const OUT: IssueKind = IssueKind::OutOfRange;
const TYPE: IssueKind = IssueKind::WrongType;
const DAYS_366: u64 = 31_622_400_000;

/// A number: where it stands beside what, how it is kept, and what the reference says of it.
struct Number {
    beside: &'static str,
    path: &'static str,
    kept: fn(&Options) -> Option<u64>,
    default: Option<u64>,
    min: u64,
    max: u64,
    decimals: usize,
    null: bool,
}

impl Number {
    fn text(&self, value: u64) -> String {
        let unit = 10_u64.pow(self.decimals as u32);
        match self.decimals {
            0 => format!("{value}"),
            decimals => format!("{}.{:0decimals$}", value / unit, value % unit),
        }
    }

    fn test(&self) {
        let Self { beside, path, kept, default, min, max, .. } = *self;
        assert_eq!(kept(&options(beside).unwrap()), default, "{path} left out");
        let mut good = Vec::from([(self.text(min), Some(min)), (self.text(max), Some(max))]);
        if self.decimals == 0 {
            good.push((format!("{min}.0"), Some(min)));
            good.push((format!("{}e3", max / 1000), Some(max / 1000 * 1000)));
        }
        let mut bad = Vec::from([
            (self.text(max + 1), OUT),
            ("-1".into(), OUT),
            ("1e300".into(), OUT),
            ("99999999999999999999".into(), OUT),
            (format!("\"{}\"", self.text(min)), TYPE),
            ("true".into(), TYPE),
            ("[]".into(), TYPE),
            ("{}".into(), TYPE),
        ]);
        if let Some(below) = min.checked_sub(1) {
            bad.push((self.text(below), OUT));
        }
        match self.decimals {
            0 => bad.push((format!("{min}.5"), TYPE)),
            _ => bad.push((format!("{}5", self.text(min)), OUT)),
        }
        if self.null {
            good.push(("null".into(), None));
        } else {
            bad.push(("null".into(), TYPE));
        }
        for (value, expected) in good {
            let document = with(beside, path, &value);
            let found = options(&document).unwrap_or_else(|i| panic!("{document}: {i}"));
            assert_eq!(kept(&found), expected, "{document}");
        }
        for (value, kind) in bad {
            let document = with(beside, path, &value);
            let (field, found, message) = one_issue(&document);
            assert_eq!((field.as_str(), found), (path, kind), "{document}");
            assert!(message.contains(path), "{message}");
        }
    }
}

fn budget(options: &Options) -> BudgetOptions {
    options.budget.unwrap()
}

fn breaker(options: &Options) -> &BreakerOptions {
    options.breaker.as_ref().unwrap()
}

macro_rules! numbers {
    ($($beside:literal $path:literal $default:expr, $min:expr, $max:expr, $decimals:literal,
       $null:literal, $kept:expr;)+) => {
        &[$(Number {
            beside: $beside, path: $path, kept: $kept, default: $default, min: $min, max: $max,
            decimals: $decimals, null: $null,
        }),+]
    };
}

/// Reference section 1, every row with a number.
#[rustfmt::skip]
const NUMBERS: &[Number] = numbers![
    "{}" "maxRetries" Some(5), 0, 1_000_000, 0, false, |o| Some(o.max_retries.into());
    "{}" "deadlineMs" None, 1, DAYS_366, 0, true, |o| o.deadline.map(Millis::get);
    "{}" "attemptTimeoutMs" None, 1, DAYS_366, 0, true, |o| o.attempt_timeout.map(Millis::get);
    r#"{"backoff":{"capMs":31622400000}}"# "backoff.baseMs" Some(500), 0, DAYS_366, 0, false, |o| Some(o.backoff.base.get());
    "{}" "backoff.factor" Some(2_000), 1_000, 100_000, 3, false, |o| Some(o.backoff.factor_thousandths.into());
    "{}" "backoff.capMs" Some(30_000), 0, DAYS_366, 0, false, |o| Some(o.backoff.cap.get());
    "{}" "backoff.ceilingMs" None, 0, DAYS_366, 0, true, |o| o.backoff.ceiling.map(Millis::get);
    "{}" "backoff.jitterRatio" Some(2_000), 0, 10_000, 4, false, |o| Some(o.backoff.jitter_ratio.into());
    "{}" "backoff.throttledBaseMs" None, 0, DAYS_366, 0, true, |o| o.backoff.throttled_base.map(Millis::get);
    "{}" "hint.maxMs" None, 0, DAYS_366, 0, true, |o| o.hint.max.map(Millis::get);
    "{}" "hint.spread" Some(0), 0, 10_000, 4, false, |o| Some(o.hint.spread.into());
    "{}" "idempotency.windowMs" Some(86_400_000), 1_000, DAYS_366, 0, false, |o| Some(o.idempotency.window.get());
    "{}" "idempotency.leaseMs" Some(60_000), 0, DAYS_366, 0, false, |o| Some(o.idempotency.lease.get());
    "{}" "idempotency.retentionMs" None, 0, DAYS_366, 0, true, |o| o.idempotency.retention.map(Millis::get);

    "{}" "budget.ratio" Some(1_000), 0, 10_000_000, 4, false,
        |o| match budget(o) { BudgetOptions::Ratio { ratio, .. } => Some(ratio.into()), _ => None };
    "{}" "budget.minPerSecond" Some(1), 0, 1_000_000, 0, false,
        |o| match budget(o) { BudgetOptions::Ratio { min_per_second, .. } => Some(min_per_second.into()), _ => None };
    r#"{"budget":{"kind":"ratio"}}"# "budget.windowMs" Some(10_000), 1_000, 60_000, 0, false,
        |o| match budget(o) { BudgetOptions::Ratio { window, .. } => Some(window.get()), _ => None };
    r#"{"budget":{"kind":"tokens"}}"# "budget.capacity" Some(500), 0, 1_000_000, 0, false,
        |o| match budget(o) { BudgetOptions::Tokens { capacity, .. } => Some(capacity.into()), _ => None };
    r#"{"budget":{"kind":"tokens"}}"# "budget.transientCost" Some(14), 0, 1_000_000, 0, false,
        |o| match budget(o) { BudgetOptions::Tokens { transient_cost, .. } => Some(transient_cost.into()), _ => None };
    r#"{"budget":{"kind":"tokens"}}"# "budget.throttledCost" Some(5), 0, 1_000_000, 0, false,
        |o| match budget(o) { BudgetOptions::Tokens { throttled_cost, .. } => Some(throttled_cost.into()), _ => None };
    r#"{"budget":{"kind":"tokens"}}"# "budget.credit" Some(1), 0, 1_000_000, 0, false,
        |o| match budget(o) { BudgetOptions::Tokens { credit, .. } => Some(credit.into()), _ => None };
    r#"{"budget":{"kind":"throttle"}}"# "budget.maxTokens" Some(10_000), 1, 1_000_000, 3, false,
        |o| match budget(o) { BudgetOptions::Throttle { max_tokens_thousandths: max, .. } => Some(max.into()), _ => None };
    r#"{"budget":{"kind":"throttle"}}"# "budget.tokenRatio" Some(100), 1, 1_000_000, 3, false,
        |o| match budget(o) { BudgetOptions::Throttle { token_ratio_thousandths: ratio, .. } => Some(ratio.into()), _ => None };
    r#"{"budget":{"kind":"concurrency"}}"# "budget.ratio" Some(2_000), 0, 10_000, 4, false,
        |o| match budget(o) { BudgetOptions::Concurrency { ratio, .. } => Some(ratio.into()), _ => None };
    r#"{"budget":{"kind":"concurrency"}}"# "budget.minConcurrency" Some(3), 0, 1_000_000, 0, false,
        |o| match budget(o) { BudgetOptions::Concurrency { min_concurrency, .. } => Some(min_concurrency.into()), _ => None };

    r#"{"breaker":{"kind":"consecutive"}}"# "breaker.failures" Some(5), 1, 1_000_000, 0, false, |o| Some(breaker(o).failures.into());
    "{}" "breaker.windowMs" Some(10_000), 1_000, DAYS_366, 0, false, |o| Some(breaker(o).window_span.get());
    r#"{"breaker":{"window":"count"}}"# "breaker.windowCalls" Some(100), 1, 1_000_000, 0, false, |o| Some(breaker(o).window_calls.into());
    "{}" "breaker.threshold" Some(5_000), 1, 10_000, 4, false, |o| Some(breaker(o).threshold.into());
    "{}" "breaker.minimumCalls" Some(20), 1, 1_000_000, 0, false, |o| Some(breaker(o).minimum_calls.into());
    "{}" "breaker.slowCallMs" None, 0, DAYS_366, 0, true, |o| breaker(o).slow_call.map(Millis::get);
    "{}" "breaker.slowThreshold" Some(10_000), 1, 10_000, 4, false, |o| Some(breaker(o).slow_threshold.into());
    "{}" "breaker.openMs" Some(5_000), 0, DAYS_366, 0, false, |o| Some(breaker(o).open.get());
    "{}" "breaker.maxOpenMs" Some(60_000), 0, DAYS_366, 0, false, |o| Some(breaker(o).max_open.get());
    r#"{"breaker":{"kind":"consecutive"}}"# "breaker.openJitter" Some(0), 0, 10_000, 4, false, |o| Some(breaker(o).open_jitter.into());
    "{}" "breaker.probes" Some(3), 1, 1_000_000, 0, false, |o| Some(breaker(o).probes.into());
    r#"{"breaker":{"probes":1000000}}"# "breaker.successes" Some(2), 1, 1_000_000, 0, false, |o| Some(breaker(o).successes.into());
    "{}" "breaker.probeTimeoutMs" Some(30_000), 0, DAYS_366, 0, false, |o| Some(breaker(o).probe_timeout.get());
];

#[test]
fn every_number_keeps_its_range_and_its_default() {
    NUMBERS.iter().for_each(Number::test);
}

#[test]
fn every_name_is_one_of_the_table() {
    for (path, names, kept) in [
        ("safety", "never proven presumed", (|o| o.safety.name()) as fn(&Options) -> &str),
        ("backoff.curve", "none constant linear exponential", |o| o.backoff.curve.name()),
        ("backoff.jitter", "none full equal decorrelated polly-v2 proportional", |o| {
            o.backoff.jitter.name()
        }),
        ("hint.mode", "override at-least exact ignore", |o| o.hint.mode.name()),
        ("hint.beyond", "clamp give-up", |o| o.hint.beyond.name()),
        ("idempotency.format", "bare quoted", |o| o.idempotency.format.name()),
        ("budget.kind", "ratio tokens throttle concurrency", |o| budget(o).kind().name()),
        ("breaker.kind", "rate consecutive", |o| breaker(o).kind.name()),
        ("breaker.window", "time count", |o| breaker(o).window.name()),
        ("breaker.onLeaseExpiry", "fail free", |o| breaker(o).on_lease_expiry.name()),
    ] {
        for name in names.split(' ') {
            let document = with("{}", path, &format!("{name:?}"));
            assert_eq!(kept(&options(&document).unwrap()), name, "{document}");
        }
        for bad in ["\"\"", "\"Full \"", "\"RATE\"", "\"other\""] {
            let document = with("{}", path, bad);
            let (field, kind, message) = one_issue(&document);
            assert_eq!((field.as_str(), kind), (path, IssueKind::UnknownName), "{document}");
            assert!(message.contains(bad), "{message}");
        }
        for bad in ["null", "0", "true", "[\"full\"]", "{}"] {
            let document = with("{}", path, bad);
            let (field, kind, message) = one_issue(&document);
            assert_eq!((field.as_str(), kind), (path, TYPE), "{document}");
            assert!(names.split(' ').all(|name| message.contains(name)), "{message}");
        }
    }
}

#[test]
fn the_default_names_are_those_of_the_table() {
    let standard = Options::default();
    let names = [
        standard.safety.name(),
        standard.backoff.curve.name(),
        standard.backoff.jitter.name(),
        standard.hint.mode.name(),
        standard.hint.beyond.name(),
        standard.idempotency.format.name(),
        budget(&standard).kind().name(),
        breaker(&standard).kind.name(),
        breaker(&standard).window.name(),
        breaker(&standard).on_lease_expiry.name(),
        &standard.idempotency.header,
    ];
    let expected =
        "proven exponential full override clamp bare ratio rate time fail Idempotency-Key";
    assert_eq!(names.join(" "), expected);
    assert!(!standard.backoff.first_retry_immediate);
    assert!(!standard.idempotency.generate && !standard.idempotency.honoured);
    assert!(standard.limiter.is_none() && standard.profile.is_none());
}

#[test]
fn a_flag_is_true_or_false_and_nothing_else() {
    for (path, kept) in [
        (
            "backoff.firstRetryImmediate",
            (|o| o.backoff.first_retry_immediate) as fn(&Options) -> bool,
        ),
        ("idempotency.generate", |o| o.idempotency.generate),
        ("idempotency.honoured", |o| o.idempotency.honoured),
    ] {
        assert!(kept(&options(&with("{}", path, "true")).unwrap()));
        assert!(!kept(&options(&with("{}", path, "false")).unwrap()));
        for bad in ["null", "0", "1", "\"true\"", "[]", "{}"] {
            let (field, kind, _) = one_issue(&with("{}", path, bad));
            assert_eq!((field.as_str(), kind), (path, TYPE), "{bad}");
        }
    }
}

#[test]
fn a_header_name_is_a_token_and_a_shared_name_is_not_empty() {
    let kept = options(r#"{"idempotency":{"header":"PayPal-Request-Id"}}"#).unwrap();
    assert_eq!(&*kept.idempotency.header, "PayPal-Request-Id");
    for (path, bad, kind) in [
        ("idempotency.header", r#""""#, OUT),
        ("idempotency.header", r#""a: b""#, OUT),
        ("idempotency.header", r#""a\r\nb""#, OUT),
        ("idempotency.header", "null", TYPE),
        ("idempotency.header", "3", TYPE),
        ("budget.shared", r#""""#, OUT),
        ("budget.shared", "null", TYPE),
        ("budget.shared", "{}", TYPE),
    ] {
        let (field, found, _) = one_issue(&with("{}", path, bad));
        assert_eq!((field.as_str(), found), (path, kind), "{bad}");
    }
    let kept = options(r#"{"budget":{"shared":"eu","kind":"tokens"}}"#).unwrap();
    assert_eq!(kept.budget_shared.as_deref(), Some("eu"));
}

#[test]
fn lists_are_kept_in_order_duplicates_and_all() {
    let document = r#"{"retryOn":{
        "statuses": { "add": [418, 100, 999, 418, 5e2], "remove": [] },
        "errors": { "add": ["ECONNRESET"], "remove": ["E1", "E1"] },
        "methods": { "add": ["POST", "post"], "remove": ["PUT"] } }}"#;
    let kept = options(document).unwrap();
    assert_eq!(kept.retry_on.statuses_add, [418, 100, 999, 418, 500]);
    assert_eq!(kept.retry_on.errors_add, ["ECONNRESET"]);
    assert_eq!(kept.retry_on.errors_remove, ["E1", "E1"]);
    assert_eq!(kept.idempotent_methods.add, ["POST", "post"]);
    assert_eq!(kept.idempotent_methods.remove, ["PUT"]);
    for (path, bad, field, kind) in [
        ("retryOn", "null", "", TYPE),
        ("retryOn.statuses", "[500]", "", TYPE),
        ("retryOn.statuses.add", "500", "", TYPE),
        ("retryOn.statuses.add", "null", "", TYPE),
        ("retryOn.statuses.remove", "[200, 99]", "[1]", OUT),
        ("retryOn.statuses.remove", "[1000]", "[0]", OUT),
        ("retryOn.statuses.remove", "[500.5]", "[0]", TYPE),
        ("retryOn.statuses.remove", "[\"500\"]", "[0]", TYPE),
        ("retryOn.errors.add", "[\"\"]", "[0]", OUT),
        ("retryOn.errors.add", "[null]", "[0]", TYPE),
        ("retryOn.methods.remove", "[\"GET \"]", "[0]", OUT),
        ("retryOn.errors.ad", "[]", "", IssueKind::UnknownField),
    ] {
        let document = with("{}", path, bad);
        let (found, found_kind, _) = one_issue(&document);
        assert_eq!((found, found_kind), (format!("{path}{field}"), kind), "{document}");
    }
}

#[test]
fn overrides_are_read_entry_by_entry() {
    let document = r#"{"backoff":{"overrides":[
        { "class": "throttled", "statuses": [429, 503], "errors": ["slow_down"], "curve": "constant",
          "baseMs": 60000, "capMs": 90000 },
        {},
        { "immediate": true, "baseMs": 60000 } ]}}"#;
    let kept = options(document).unwrap().backoff.overrides;
    assert_eq!(kept.len(), 3);
    assert_eq!(kept[0].class.map(crate::Class::name), Some("throttled"));
    assert_eq!(*kept[0].statuses, [429, 503]);
    assert_eq!(&*kept[0].errors[0], "slow_down");
    assert_eq!(kept[0].curve.map(crate::policy::Curve::name), Some("constant"));
    assert_eq!(
        kept[0].base.zip(kept[0].cap).map(|(b, c)| (b.get(), c.get())),
        Some((60_000, 90_000))
    );
    assert_eq!(kept[1], crate::policy::Override::default());
    assert!(kept[2].immediate);

    for (entry, field, kind) in [
        (r#"{"class":"permanent"}"#, "class", IssueKind::UnknownName),
        (r#"{"class":null}"#, "class", TYPE),
        (r#"{"statuses":503}"#, "statuses", TYPE),
        (r#"{"errors":[1]}"#, "errors[0]", TYPE),
        (r#"{"curve":"full"}"#, "curve", IssueKind::UnknownName),
        (r#"{"baseMs":null}"#, "baseMs", TYPE),
        (r#"{"baseMs":31622400001}"#, "baseMs", OUT),
        (r#"{"baseMs":2,"capMs":1}"#, "baseMs", IssueKind::Contradiction),
        (r#"{"capMs":"1"}"#, "capMs", TYPE),
        (r#"{"immediate":1}"#, "immediate", TYPE),
        (r#"{"jitter":"full"}"#, "jitter", IssueKind::UnknownField),
    ] {
        let document = with("{}", "backoff.overrides", &format!("[{{}}, {entry}]"));
        let (found, found_kind, _) = one_issue(&document);
        assert_eq!((found, found_kind), (format!("backoff.overrides[1].{field}"), kind), "{entry}");
    }
    for bad in ["null", "{}", "3"] {
        let (field, kind, _) = one_issue(&with("{}", "backoff.overrides", bad));
        assert_eq!((field.as_str(), kind), ("backoff.overrides", TYPE));
    }
}

#[test]
fn fields_of_another_kind_are_unknown_and_those_of_an_unknown_kind_are_let_pass() {
    for (document, expected) in [
        (r#"{"budget":{"kind":"ratio","maxTokens":1}}"#, &["budget.maxTokens"][..]),
        (
            r#"{"budget":{"kind":"throttle","capacity":1,"ratio":1}}"#,
            &["budget.capacity", "budget.ratio"],
        ),
        (r#"{"breaker":{"failures":3}}"#, &["breaker.failures"]),
        (
            r#"{"breaker":{"kind":"consecutive","window":"time","windowMs":1000,"windowCalls":1,
                "threshold":1,"minimumCalls":1,"slowCallMs":1,"slowThreshold":1}}"#,
            &[
                "breaker.minimumCalls",
                "breaker.slowCallMs",
                "breaker.slowThreshold",
                "breaker.threshold",
                "breaker.window",
                "breaker.windowCalls",
                "breaker.windowMs",
            ],
        ),
        (r#"{"breaker":{"window":"count","windowMs":1000}}"#, &[]),
        (r#"{"breaker":{"window":"time","windowCalls":5}}"#, &[]),
        (r#"{"backoff":{"curve":"linear","factor":3,"jitterRatio":1}}"#, &[]),
        (r#"{"budget":{"foo":1}}"#, &["budget.foo"]),
    ] {
        let found = issues(document);
        assert!(found.iter().all(|(_, kind)| *kind == IssueKind::UnknownField), "{document}");
        let mut fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
        fields.sort_unstable();
        assert_eq!(fields, expected, "{document}");
    }
    for document in [
        r#"{"budget":{"kind":"bucket","capacity":"?","minPerSecond":-1}}"#,
        r#"{"breaker":{"kind":"bucket","failures":"?","threshold":-1}}"#,
    ] {
        assert_eq!(one_issue(document).1, IssueKind::UnknownName, "{document}");
    }
}

#[test]
fn what_may_be_null_is_off_when_it_is() {
    let kept = options(r#"{"budget":null,"breaker":null,"limiter":null}"#).unwrap();
    assert!(kept.budget.is_none() && kept.breaker.is_none() && kept.limiter.is_none());
    for path in ["backoff", "hint", "idempotency", "retryOn", "extends", "maxRetries"] {
        let (field, kind, _) = one_issue(&with("{}", path, "null"));
        assert_eq!((field.as_str(), kind), (path, TYPE));
    }
    for path in ["budget", "breaker", "limiter", "backoff", "hint", "idempotency", "retryOn"] {
        for bad in ["[]", "3", "\"off\"", "false"] {
            let (field, kind, _) = one_issue(&with("{}", path, bad));
            assert_eq!((field.as_str(), kind), (path, TYPE), "{bad}");
        }
    }
}
