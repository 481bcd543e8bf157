//! Records and events as JSON.

use alloc::{
    format,
    string::{String, ToString},
};

use serde_json::{Value, json};

use super::*;
use crate::{Policy, review::Item};

fn ask(terms: &Ledger, record: &Value, event: &Value, now: i64) -> Value {
    let question = json!({"record": record, "event": event, "now": now});
    serde_json::from_str(&terms.apply_json(&question.to_string()).unwrap()).unwrap()
}

/// A record as another reader sees it.
fn tree(record: &Record) -> Value {
    serde_json::from_str(&record_to_json(record)).unwrap()
}

fn claim_json(owner: &str) -> Value {
    json!({"op": "claim", "id": "k", "key": "k", "fingerprint": "f", "owner": owner})
}

#[test]
fn every_record_reads_back_as_it_was_written() {
    let terms = honoured();
    let mut records = alloc::vec::Vec::from(every_state(&terms));
    let decision = crate::review::Decision::retry("ann", "نعم", "k2", Some("k2"));
    let answer =
        terms.apply(Some(&review(&terms, Cause::Deadline)), &Event::Resolve(decision), at(30));
    records.push(answer.record.unwrap());
    records.push(answer.created.unwrap().0);
    for record in records {
        let json = record_to_json(&record);
        assert_eq!(record_from_json(&json).unwrap(), record);
        assert_eq!(record_from_json(&tree(&record).to_string()).unwrap(), record);
    }
}

#[test]
fn a_record_that_a_newer_version_wrote_is_not_touched() {
    let mut value = tree(&in_progress(&plain()));
    value["v"] = 2.into();
    assert_eq!(
        record_from_json(&value.to_string()).unwrap_err(),
        "record.v is 2: this version reads 1"
    );
    value["v"] = 1.into();
    value["colour"] = "red".into();
    assert_eq!(record_from_json(&value.to_string()).unwrap_err(), "record has no field \"colour\"");
}

#[test]
fn a_broken_record_names_its_field() {
    for (field, broken, message) in [
        ("v", Value::Null, "record.v is missing"),
        ("state", "lost".into(), "record.state has no value \"lost\""),
        ("owner", Value::Null, "record.owner is missing"),
        ("leaseUntil", "soon".into(), "record.leaseUntil must be whole milliseconds since 1970"),
        ("leaseUntil", json!(0.5), "record.leaseUntil must be whole milliseconds since 1970"),
        ("attempt", json!(-1), "record.attempt must be a whole number from 0 on"),
        ("status", json!(70_000), "record.status must be a whole number from 0 on"),
        ("key", "a b".into(), "record.key is none that a server could take"),
        ("maybeProcessed", "no".into(), "record.maybeProcessed must be true or false"),
    ] {
        let mut value = tree(&in_progress(&plain()));
        value[field] = broken;
        assert_eq!(record_from_json(&value.to_string()).unwrap_err(), message);
    }
    assert_eq!(record_from_json("[]").unwrap_err(), "record must be an object");
}

#[test]
fn a_call_lives_in_json_from_claim_to_replay() {
    let terms = honoured();
    let started = ask(&terms, &Value::Null, &claim_json("w1"), 0);
    assert_eq!((&started["result"], &started["attempt"]), (&json!("start"), &json!(1)));
    assert_eq!(started["entries"].as_array().map(alloc::vec::Vec::len), Some(2));
    let settle = json!({"op": "settle", "attempt": 1, "status": 429, "kind": "retry",
        "reason": "server-hint", "delayMs": 5000.0, "class": "throttled",
        "delivery": "not_processed", "sustainedThrottling": true});
    let waits = ask(&terms, &started["record"], &settle, 100);
    assert_eq!(waits["record"]["dueAt"], 5_100);
    assert_eq!(waits["entries"][0]["severity"], "warning");
    assert_eq!(waits["entries"][0]["delayMs"], 5_000);
    let early = ask(&terms, &waits["record"], &claim_json("w2"), 200);
    assert_eq!((&early["result"], &early["retryInMs"]), (&json!("in-progress"), &json!(4_900)));
    assert_eq!((&early["changed"], &early["record"]), (&json!(false), &waits["record"]));
    let second = ask(&terms, &waits["record"], &claim_json("w2"), 5_100);
    let done = json!({"op": "complete", "attempt": 2, "status": 201});
    let done = ask(&terms, &second["record"], &done, 5_200);
    assert_eq!(done["record"]["state"], "completed");
    let replay = ask(&terms, &done["record"], &claim_json("w3"), 1 << 50);
    assert_eq!((&replay["result"], &replay["record"]["status"]), (&json!("replay"), &json!(201)));
}

#[test]
fn a_question_that_cannot_be_read_is_a_sentence_and_never_a_guess() {
    let base = json!({"record": null, "event": claim_json("w"), "now": 0});
    let with = |path: &str, value: Value| {
        let mut question = base.clone();
        *question.pointer_mut(path).unwrap() = value;
        plain().apply_json(&question.to_string()).unwrap_err()
    };
    assert_eq!(with("/now", Value::Null), "question.now is missing");
    assert_eq!(with("/now", json!(1.5)), "question.now must be whole milliseconds since 1970");
    assert_eq!(with("/event/op", json!("steal")), "event.op has no value \"steal\"");
    assert_eq!(with("/event/owner", Value::Null), "event.owner is missing");
    let mut extra = base.clone();
    extra["event"]["leaseMS"] = 5.into();
    let error = plain().apply_json(&extra.to_string()).unwrap_err();
    assert_eq!(error, "event has no field \"leaseMS\"");
    assert!(plain().apply_json("{").unwrap_err().starts_with("no JSON"));
    for text in ["", "null", "[]", "{\"event\":{}}", &String::from("[").repeat(10_000)] {
        assert!(plain().apply_json(text).is_err());
        assert!(Item::describe_json(text).is_err());
    }
}

#[test]
fn a_review_item_tells_what_to_know_and_hides_the_key() {
    let mut record = review(&plain(), Cause::Ambiguous);
    record.key = Some(crate::Key::own("8e03978e-40d5-43e8-bc93-6894a57f9324", 0).unwrap());
    for (lang, word) in [("en", "vendor"), ("ar", "المورّد")] {
        let question = json!({"record": tree(&record), "lang": lang}).to_string();
        let answer: Value = serde_json::from_str(&Item::describe_json(&question).unwrap()).unwrap();
        let item = &answer["item"];
        assert_eq!(item["cause"], "ambiguous");
        assert_eq!(item["key"], "8e03…9324");
        assert_eq!(item["actions"], json!(["confirm", "retry-new-key", "abandon"]));
        assert!(item["advice"].as_str().unwrap().contains(word));
        assert_eq!(item["since"], 10);
    }
    let question = json!({"record": tree(&completed(&plain()))}).to_string();
    assert_eq!(Item::describe_json(&question).unwrap(), r#"{"item":null}"#);
}

#[test]
fn every_event_reads_from_json_as_it_is_made_in_rust() {
    let (terms, wait) = (honoured(), Some(UnixMillis::new(500)));
    let all = Ending {
        status: Some(503),
        due: wait,
        cause: Some(Cause::Deadline),
        reason: Some(crate::Reason::Deadline),
        rate_limited: true,
        maybe_processed: true,
        sustained_throttling: true,
        ..Ending::of(1)
    };
    let told = json!({"attempt": 1, "status": 503, "dueAt": 500, "cause": "deadline",
        "reason": "deadline", "rateLimited": true, "maybeProcessed": true,
        "sustainedThrottling": true});
    let with = |more: Value| {
        let mut event = told.clone();
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let (fresh, over) = (in_progress(&terms), review(&terms, Cause::Ambiguous));
    let done = completed(&terms);
    let decision = crate::review::Decision::retry("ann", "asked", "k2", Some("key2"));
    for (record, event, told) in [
        (&fresh, Event::Fail(all), with(json!({"op": "fail"}))),
        (&fresh, Event::Ambiguous(all), with(json!({"op": "ambiguous"}))),
        (&fresh, Event::Release { attempt: 1 }, json!({"op": "release", "attempt": 1})),
        (
            &over,
            Event::Lookup { found: Found::Processed, ending: all },
            with(json!({"op": "lookup", "answer": "processed"})),
        ),
        (
            &over,
            Event::Resolve(decision),
            json!({"op": "resolve", "action": "retry-new-key", "by": "ann", "why": "asked",
                "newId": "k2", "newKey": "key2"}),
        ),
        (&done, Event::Purge, json!({"op": "purge"})),
    ] {
        let expected = crate::ledger::json::answer(&terms.apply(Some(record), &event, at(40)));
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(ask(&terms, &tree(record), &told, 40), expected, "{told}");
    }
    let nobody = json!({"op": "resolve", "action": "confirm"});
    let answer = ask(&terms, &tree(&over), &nobody, 40);
    assert_eq!((&answer["result"], &answer["changed"]), (&json!("refused"), &json!(false)));
    let submit = json!({"op": "submit", "id": "k", "key": "k", "fingerprint": "f", "dueAt": 900});
    let submitted = ask(&terms, &Value::Null, &submit, 0);
    assert_eq!((&submitted["changed"], &submitted["record"]["dueAt"]), (&json!(true), &json!(900)));
}

#[test]
fn every_refusal_says_what_is_wrong_in_a_sentence_of_its_own() {
    let sentences = Problem::ALL.iter().map(|problem| problem.sentence());
    let mut sentences: alloc::vec::Vec<_> = sentences.collect();
    assert!(sentences.iter().all(|sentence| sentence.len() > 20 && !sentence.ends_with('.')));
    let all = sentences.len();
    sentences.sort_unstable();
    sentences.dedup();
    assert_eq!(sentences.len(), all);
}

#[test]
fn the_terms_are_the_policys() {
    let policy =
        Policy::from_json(r#"{"profile":"adyen","idempotency":{"leaseMs":0,"retentionMs":5000}}"#)
            .unwrap();
    let terms = Ledger::new(&policy);
    assert!(terms.honoured);
    assert_eq!((terms.lease, terms.window.get()), (Millis::ZERO, 604_800_000));
    assert_eq!((terms.retention, terms.keys.max_len), (Some(Millis::new(5_000)), 64));
    let long = format!(
        "{{\"op\":\"claim\",\"id\":\"k\",\"key\":\"{}\",\"fingerprint\":\"f\",\"owner\":\"w\"}}",
        "k".repeat(65)
    );
    let answer = ask(&terms, &Value::Null, &serde_json::from_str(&long).unwrap(), 0);
    assert_eq!(answer["result"], "refused");
    assert!(answer["problem"].as_str().unwrap().contains("key"));
}
