//! What lies below a document, and what gives way to what.

use alloc::{format, string::ToString, vec::Vec};

use super::{
    super::{
        BreakerKind, BreakerOptions, BudgetKind, BudgetOptions, IssueKind, Options, PRESETS, Policy,
    },
    issues, one_issue, options,
};
use crate::{
    policy::{Beyond, Safety},
    profile,
    time::Millis,
};

fn changed(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

#[test]
fn each_preset_differs_from_standard_as_the_reference_says_and_in_nothing_else() {
    let expected = [
        ("standard", Options::default()),
        (
            "interactive",
            changed(|o| {
                o.max_retries = 2;
                o.backoff.base = Millis::new(100);
                o.backoff.cap = Millis::new(1_000);
                o.deadline = Some(Millis::new(3_000));
                o.hint.beyond = Beyond::GiveUp;
            }),
        ),
        (
            "batch",
            changed(|o| {
                o.max_retries = 8;
                o.backoff.base = Millis::new(1_000);
                o.backoff.cap = Millis::new(300_000);
                o.hint.max = Some(Millis::new(3_600_000));
            }),
        ),
        (
            "payments",
            changed(|o| {
                o.safety = Safety::Never;
                o.idempotency.generate = true;
                o.hint.beyond = Beyond::GiveUp;
                o.attempt_timeout = Some(Millis::new(10_000));
            }),
        ),
    ];
    assert_eq!(PRESETS.len(), expected.len());
    for (name, expected) in expected {
        let document = format!(r#"{{"extends":"{name}"}}"#);
        assert_eq!(options(&document).unwrap(), expected, "{name}");
        assert_eq!(Policy::from_json(&document).unwrap().into_options(), expected, "{name}");
    }
}

#[test]
fn every_fragment_we_ship_is_a_valid_policy_without_layers_of_its_own() {
    let presets = PRESETS.iter().map(|preset| (preset.name, preset.policy));
    let profiles = profile::ALL.iter().map(|profile| (profile.id, profile.policy()));
    for (name, fragment) in presets.chain(profiles) {
        assert_eq!(issues(fragment), [], "{name}");
        let tree: serde_json::Value = serde_json::from_str(fragment).unwrap();
        assert!(tree.get("extends").is_none() && tree.get("profile").is_none(), "{name}");
    }
}

#[test]
fn every_profile_goes_with_every_preset() {
    for preset in PRESETS {
        for profile in profile::ALL {
            let document = format!(r#"{{"extends":"{}","profile":"{}"}}"#, preset.name, profile.id);
            let kept = options(&document).unwrap();
            assert_eq!(kept.profile.map(|profile| profile.id), Some(profile.id));
        }
    }
}

#[test]
fn a_layer_changes_the_fields_it_names_and_no_others() {
    let kept = options(
        r#"{"extends":"interactive","maxRetries":4,"deadlineMs":null,"backoff":{"capMs":2000},
            "hint":{"maxMs":5}}"#,
    );
    let kept = kept.unwrap();
    assert_eq!(kept.max_retries, 4);
    assert_eq!(kept.deadline, None, "null takes the preset's deadline away");
    assert_eq!((kept.backoff.base.get(), kept.backoff.cap.get()), (100, 2_000));
    assert_eq!((kept.hint.max, kept.hint.beyond), (Some(Millis::new(5)), Beyond::GiveUp));
}

#[test]
fn a_profile_lies_above_the_preset_and_below_the_document() {
    // aws: base 50 ms, cap 20 s, another base after throttling.
    let kept = options(r#"{"extends":"batch","profile":"aws"}"#).unwrap();
    assert_eq!((kept.backoff.base.get(), kept.backoff.cap.get()), (50, 20_000));
    assert_eq!(kept.hint.max, Some(Millis::new(3_600_000)), "the preset shows through");
    let kept = options(r#"{"extends":"batch","profile":"aws","backoff":{"baseMs":70}}"#).unwrap();
    assert_eq!((kept.backoff.base.get(), kept.backoff.cap.get()), (70, 20_000));
    assert_eq!(kept.backoff.throttled_base, Some(Millis::new(1_000)));
}

#[test]
fn an_unknown_preset_or_profile_is_named_with_the_nearest_one() {
    let (field, kind, message) = one_issue(r#"{"extends":"payment"}"#);
    assert_eq!((field.as_str(), kind), ("extends", IssueKind::UnknownName));
    assert_eq!(message, r#"extends has no "payment"; did you mean "payments"?"#);
    let (field, kind, message) = one_issue(r#"{"profile":"Stripe"}"#);
    assert_eq!((field.as_str(), kind), ("profile", IssueKind::UnknownName));
    assert_eq!(message, r#"profile has no "Stripe"; did you mean "stripe"?"#);
    for document in [r#"{"extends":3}"#, r#"{"extends":null}"#, r#"{"extends":["batch"]}"#] {
        let (field, kind, _) = one_issue(document);
        assert_eq!((field.as_str(), kind), ("extends", IssueKind::WrongType));
    }
}

#[test]
fn a_changed_kind_replaces_its_object_and_the_same_kind_does_not() {
    let aws =
        BudgetOptions::Tokens { capacity: 400, transient_cost: 14, throttled_cost: 5, credit: 1 };
    let over = |document: &str| {
        let mut options =
            Options { budget: Some(aws), budget_shared: Some("eu".into()), ..Options::default() };
        options.breaker =
            Some(BreakerOptions { open: Millis::new(7), probes: 9, ..BreakerOptions::default() });
        let tree = crate::json::read(document).unwrap().root;
        let mut issues = super::Issues::none();
        let object = tree.as_object().unwrap();
        super::json::read(object, &mut options, &[], "", &mut issues);
        issues.or(options).unwrap()
    };
    let kept = over(r#"{"budget":{"credit":2}}"#);
    assert!(matches!(kept.budget, Some(BudgetOptions::Tokens { capacity: 400, credit: 2, .. })));
    assert_eq!(kept.budget_shared.as_deref(), Some("eu"));
    let kept = over(r#"{"budget":{"kind":"tokens","credit":2}}"#);
    assert!(matches!(kept.budget, Some(BudgetOptions::Tokens { capacity: 400, credit: 2, .. })));
    let kept = over(r#"{"budget":{"kind":"throttle"}}"#);
    assert_eq!(kept.budget, Some(BudgetOptions::of(BudgetKind::Throttle)));
    assert_eq!(kept.budget_shared, None);
    let kept = over(r#"{"budget":null}"#);
    assert_eq!((kept.budget, kept.budget_shared), (None, None));
    let kept = over(r#"{"breaker":{"kind":"rate","threshold":1}}"#);
    assert_eq!(kept.breaker.map(|b| (b.open.get(), b.probes, b.threshold)), Some((7, 9, 10_000)));
    let kept = over(r#"{"breaker":{"kind":"consecutive","failures":3}}"#);
    let expected = BreakerOptions { failures: 3, ..BreakerOptions::of(BreakerKind::Consecutive) };
    assert_eq!(kept.breaker, Some(expected));
}

#[test]
fn what_is_left_out_gives_way_to_what_is_stated() {
    for (document, base, cap) in [
        (r#"{"backoff":{"capMs":200}}"#, 200, 200),
        (r#"{"backoff":{"capMs":0}}"#, 0, 0),
        (r#"{"backoff":{"capMs":500}}"#, 500, 500),
        (r#"{"extends":"interactive","backoff":{"capMs":50}}"#, 50, 50),
        (r#"{"extends":"batch","backoff":{"capMs":999}}"#, 999, 999),
        (r#"{"backoff":{"baseMs":30000}}"#, 30_000, 30_000),
        (r#"{"backoff":{"capMs":200,"throttledBaseMs":1000}}"#, 200, 200),
    ] {
        let kept = options(document).unwrap().backoff;
        assert_eq!((kept.base.get(), kept.cap.get()), (base, cap), "{document}");
    }
    for (document, probes, successes, open, max_open) in [
        (r#"{"breaker":{"probes":1}}"#, 1, 1, 5_000, 60_000),
        (r#"{"breaker":{"probes":9}}"#, 9, 2, 5_000, 60_000),
        (r#"{"breaker":{"maxOpenMs":1000}}"#, 3, 2, 1_000, 1_000),
        (r#"{"breaker":{"openMs":90000}}"#, 3, 2, 90_000, 90_000),
        (r#"{"breaker":{"openMs":7,"maxOpenMs":7,"successes":3}}"#, 3, 3, 7, 7),
    ] {
        let kept = options(document).unwrap().breaker.unwrap();
        let found = (kept.probes, kept.successes, kept.open.get(), kept.max_open.get());
        assert_eq!(found, (probes, successes, open, max_open), "{document}");
    }
    for (document, minimum, calls) in [
        (r#"{"breaker":{"window":"count","windowCalls":4}}"#, 4, 4),
        (r#"{"breaker":{"window":"count","minimumCalls":400}}"#, 400, 400),
        (r#"{"breaker":{"window":"time","windowCalls":4}}"#, 20, 4),
    ] {
        let kept = options(document).unwrap().breaker.unwrap();
        assert_eq!((kept.minimum_calls, kept.window_calls), (minimum, calls), "{document}");
    }
}

#[test]
fn stated_values_that_exclude_each_other_are_contradictions() {
    for (document, expected) in [
        (r#"{"backoff":{"baseMs":30001}}"#, "backoff.baseMs"),
        (r#"{"backoff":{"baseMs":201,"capMs":200}}"#, "backoff.baseMs"),
        (r#"{"extends":"interactive","backoff":{"baseMs":1001}}"#, "backoff.baseMs"),
        (r#"{"breaker":{"successes":4}}"#, "breaker.successes"),
        (r#"{"breaker":{"probes":1,"successes":2}}"#, "breaker.successes"),
        (r#"{"breaker":{"openMs":2,"maxOpenMs":1}}"#, "breaker.openMs"),
        (
            r#"{"breaker":{"window":"count","windowCalls":4,"minimumCalls":5}}"#,
            "breaker.minimumCalls",
        ),
    ] {
        assert_eq!(
            issues(document),
            [(expected.to_string(), IssueKind::Contradiction)],
            "{document}"
        );
    }
}

#[test]
fn nothing_is_compared_with_a_value_that_was_refused() {
    for (document, expected) in [
        (r#"{"backoff":{"baseMs":40000,"capMs":"1"}}"#, "backoff.capMs"),
        (r#"{"backoff":{"baseMs":-1,"capMs":1}}"#, "backoff.baseMs"),
        (r#"{"breaker":{"successes":4,"probes":0}}"#, "breaker.probes"),
        (r#"{"breaker":{"openMs":90000,"maxOpenMs":null}}"#, "breaker.maxOpenMs"),
    ] {
        let fields: Vec<_> = issues(document).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, [expected], "{document}");
    }
}

#[test]
fn options_filled_in_by_hand_meet_the_same_rules() {
    let mut wrong = Options { max_retries: 1_000_001, ..Options::default() };
    wrong.deadline = Some(Millis::ZERO);
    wrong.backoff.base = Millis::new(30_001);
    wrong.backoff.factor_thousandths = 999;
    wrong.backoff.overrides = [crate::policy::Override {
        class: Some(crate::Class::Success),
        statuses: [99].into(),
        errors: ["".into()].into(),
        base: Some(Millis::MAX),
        ..Default::default()
    }]
    .into();
    wrong.retry_on.statuses_remove = [1_000].into();
    wrong.idempotent_methods.add = ["a b".into()].into();
    wrong.idempotency.header = "a\r\nb: c".into();
    wrong.budget = Some(BudgetOptions::Ratio {
        ratio: 10_000_001,
        min_per_second: 0,
        window: Millis::new(999),
    });
    wrong.budget_shared = Some("".into());
    wrong.breaker = Some(BreakerOptions { probes: 1, threshold: 0, ..BreakerOptions::default() });
    let found = wrong.validate().unwrap_err().into_vec();
    let found: Vec<_> = found.iter().map(|i| (i.field.as_str(), i.kind.name())).collect();
    assert_eq!(
        found,
        [
            ("maxRetries", "out-of-range"),
            ("deadlineMs", "out-of-range"),
            ("backoff.factor", "out-of-range"),
            ("backoff.overrides[0].class", "out-of-range"),
            ("backoff.overrides[0].statuses[0]", "out-of-range"),
            ("backoff.overrides[0].errors[0]", "out-of-range"),
            ("backoff.overrides[0].baseMs", "out-of-range"),
            ("retryOn.statuses.remove[0]", "out-of-range"),
            ("retryOn.methods.add[0]", "out-of-range"),
            ("idempotency.header", "out-of-range"),
            ("budget.shared", "out-of-range"),
            ("budget.ratio", "out-of-range"),
            ("budget.windowMs", "out-of-range"),
            ("breaker.threshold", "out-of-range"),
            ("backoff.baseMs", "contradiction"),
            ("breaker.successes", "contradiction"),
        ]
    );
}
