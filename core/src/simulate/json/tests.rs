use alloc::{format, string::ToString, vec};

use super::*;

fn answer(question: &str) -> serde_json::Value {
    serde_json::from_str(&run(question).unwrap()).unwrap()
}

#[test]
fn a_contest_answers_with_a_row_for_each_strategy() {
    let found = answer(r#"{ "experiment": "occ", "clients": 10, "deviationUs": 0, "runs": 2 }"#);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[1]["strategy"], "exponential");
    assert_eq!(rows[1]["calls"], serde_json::json!({ "mean": 55.0, "sd": 0.0 }));
    assert_eq!(rows[1]["timeMs"]["mean"], 4950.0);
}

#[test]
fn one_strategy_answers_with_its_own_row() {
    let found = answer(r#"{ "experiment": "occ", "clients": 3, "runs": 1, "strategy": "full" }"#);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["strategy"]), (1, &"full".into()));
}

#[test]
fn layers_answer_with_what_each_of_them_sent() {
    let sent = |terms: &str| answer(terms)["sent"].clone();
    let question = r#"{ "experiment": "layers", "depth": 3, "tries": 2, "calls": 5 }"#;
    assert_eq!(sent(question), serde_json::json!([10, 20, 40]));
    let told = r#"{ "experiment": "layers", "depth": 2, "calls": 1, "told": true }"#;
    assert_eq!(sent(told), serde_json::json!([3, 3]));
    let none = r#"{ "experiment": "layers", "calls": 2, "budget": 0 }"#;
    assert_eq!(sent(none), serde_json::json!([2, 2]));
}

#[test]
fn the_server_tells_where_the_tactic_listens_unless_the_question_says_otherwise() {
    let outage = |more: &str| {
        let question = format!(r#"{{ "experiment": "storm", "seconds": 20, {more} }}"#);
        answer(&question)["seconds"].clone()
    };
    let hint = outage(r#""tactic": "hint""#);
    assert_eq!(hint, outage(r#""tactic": "hint", "tells": true"#));
    assert_ne!(hint, outage(r#""tactic": "hint", "tells": false"#));
    let own = |more: &str| outage(&format!(r#""policy": "{{\"breaker\":null}}"{more}"#));
    assert_eq!(own(""), own(r#", "tells": false"#));
    assert_ne!(own(""), own(r#", "tells": true"#));
}

#[test]
fn a_wait_that_ends_with_the_deadline_is_not_in_time() {
    for (deadline, in_time) in [(500, 0), (501, 1000)] {
        let found = answer(&format!(
            r#"{{ "experiment": "bands", "draws": 1, "policy": "{{\"maxRetries\":1,\"backoff\":{{\"jitter\":\"none\"}},\"deadlineMs\":{deadline}}}" }}"#,
        ));
        assert_eq!(found["bands"][0]["inTime"], in_time, "{deadline}");
    }
}

#[test]
fn an_envelope_takes_ten_thousand_failures_and_no_more() {
    let question = |failures: usize| {
        let failures = vec!["{}"; failures].join(",");
        run(&format!(r#"{{ "experiment": "envelope", "failures": [{failures}] }}"#))
    };
    assert!(question(10_000).is_ok());
    let said = question(10_001).unwrap_err();
    assert_eq!(said, "question.failures has more than 10000 members");
}

#[test]
fn a_policy_that_is_told_whole_is_the_same_policy_read_again() {
    let stated = r#"{
        "safety": "never", "maxRetries": 4,
        "hint": { "mode": "at-least", "beyond": "give-up" },
        "idempotency": { "header": "X-Key", "honoured": true, "generate": true },
        "retryOn": {
            "statuses": { "add": [404], "remove": [500] },
            "errors": { "add": ["ODD"] }, "methods": { "add": ["SEARCH"] }
        },
        "breaker": { "kind": "consecutive", "onLeaseExpiry": "free" },
        "backoff": {
            "curve": "linear", "jitter": "equal", "firstRetryImmediate": true,
            "overrides": [
                { "class": "throttled", "curve": "none", "immediate": true },
                { "statuses": [503, 504], "errors": ["ODD"], "baseMs": 7 }
            ]
        }
    }"#;
    let mut question = serde_json::json!({ "experiment": "effective" });
    question["policy"] = stated.into();
    let whole = answer(&question.to_string())["policy"].to_string();
    assert_eq!(Policy::from_json(&whole).unwrap(), Policy::from_json(stated).unwrap(), "{whole}");
}

#[test]
fn a_storm_answers_with_its_report_and_its_seconds() {
    let found = answer(r#"{ "experiment": "storm", "tactic": "naive", "seconds": 20 }"#);
    assert_eq!(found["peak"], 4000);
    assert_eq!(found["bound"], serde_json::Value::Null);
    // The answers of the last calls come in the second after.
    assert_eq!(found["seconds"]["sent"].as_array().unwrap().len(), 21);
    let own = answer(
        r#"{ "experiment": "storm", "policy": "{\"maxRetries\":0,\"breaker\":null}", "seconds": 20 }"#,
    );
    assert_eq!(own["attempts"], own["calls"]);
}

#[test]
fn bands_answer_retry_by_retry_and_a_deadline_shows() {
    let found = answer(
        r#"{ "experiment": "bands", "policy": "{\"maxRetries\":3,\"deadlineMs\":900}", "draws": 100 }"#,
    );
    let bands = found["bands"].as_array().unwrap();
    assert_eq!((bands.len(), &found["deadlineMs"]), (3, &serde_json::json!(900)));
    assert_eq!(bands[2]["curveMs"], 2000);
    assert!(bands[2]["inTime"].as_u64() < bands[0]["inTime"].as_u64());
    let own = answer(r#"{ "experiment": "bands", "class": "throttled" }"#);
    assert_eq!(own["maxRetries"], 5);
}

#[test]
fn a_call_answers_with_its_attempts_and_a_reason_in_both_languages() {
    let found = answer(
        r#"{ "experiment": "call", "script": [
            { "status": 429, "headers": { "Retry-After": "3" } },
            { "fault": "hang", "delayMs": 5 }, {}
        ], "timeoutMs": 1000 }"#,
    );
    let attempts = found["attempts"].as_array().unwrap();
    let reasons: Vec<_> = attempts.iter().map(|attempt| &attempt["reason"]).collect();
    assert_eq!(reasons, ["server-hint", "backoff", "ok"]);
    assert_eq!(attempts[0]["delayMs"], 3000);
    assert_eq!(attempts[1]["timedOut"], true);
    let steps = attempts[0]["steps"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["reason"], "server-hint");
    assert!(steps.iter().any(|step| step["facts"]["delayMs"] == 3000), "{steps:?}");
    assert_eq!(attempts[2]["en"], "attempt 3 succeeded");
    assert_eq!(attempts[2]["ar"], "نجحت المحاولة 3");
    assert_eq!(found["refusal"], serde_json::Value::Null);
    let refused = answer(r#"{ "experiment": "call", "key": "" }"#);
    assert_eq!(refused["refusal"]["reason"], "key-invalid");
}

#[test]
fn a_policy_is_told_whole_and_with_what_its_budget_allows() {
    let found = answer(
        r#"{ "experiment": "effective", "policy": "{\"extends\":\"interactive\",\"budget\":{\"ratio\":7}}" }"#,
    );
    assert_eq!(found["policy"]["maxRetries"], 2);
    assert_eq!(found["policy"]["backoff"]["capMs"], 1000);
    assert_eq!(found["policy"]["backoff"]["factor"], 2);
    assert_eq!(found["policy"]["breaker"]["threshold"], 0.5);
    assert_eq!(found["policy"]["limiter"], serde_json::Value::Null);
    assert_eq!((&found["allowed"], &found["doubles"]), (&8_010.into(), &true.into()));
    let usual = answer(r#"{ "experiment": "effective" }"#);
    assert_eq!((&usual["allowed"], &usual["doubles"]), (&1_110.into(), &false.into()));
    let document = serde_json::to_string(&usual["policy"]).unwrap();
    assert_eq!(Policy::from_json(&document).unwrap(), Policy::standard(), "{document}");
    let none = answer(r#"{ "experiment": "effective", "policy": "{\"budget\":null}" }"#);
    assert_eq!(none["allowed"], serde_json::Value::Null);
}

#[test]
fn every_document_to_start_from_is_a_valid_policy() {
    let found = answer(r#"{ "experiment": "documents" }"#);
    for list in ["presets", "tactics"] {
        for document in found[list].as_array().unwrap() {
            let policy = document["policy"].as_str().unwrap();
            assert_eq!(Policy::validate_json(policy), [], "{policy}");
        }
    }
    assert_eq!(found["tactics"].as_array().unwrap().len(), Tactic::ALL.len());
}

#[test]
fn what_a_question_gets_wrong_is_said() {
    for (question, problem) in [
        ("{}", "question.experiment is missing"),
        (r#"{ "experiment": "tea" }"#, r#"question.experiment has no value "tea""#),
        (
            r#"{ "experiment": "call", "script": [{ "fault": "tea" }] }"#,
            r#"step.fault has no value "tea""#,
        ),
        (r#"{ "experiment": "call", "script": {} }"#, "a list of at most 1000 steps"),
        (r#"{ "experiment": "occ", "client": 3 }"#, r#"question has no field "client""#),
        (r#"{ "experiment": "storm", "policy": "{\"maxRetries\":-1}" }"#, "maxRetries"),
    ] {
        let said = run(question).unwrap_err();
        assert!(said.contains(problem), "{question}: {said}");
    }
}
