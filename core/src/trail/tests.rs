//! How trails read.

use alloc::{string::String, vec::Vec};

use super::*;
use crate::{
    explain::Lang,
    ledger::Cause,
    time::{Millis, UnixMillis},
    verdict::Reason,
};

/// 2026-01-15T12:00:00Z and so many milliseconds.
fn at(ms: i64) -> UnixMillis {
    UnixMillis::new(1_768_478_400_000 + ms)
}

fn entry(ms: i64, state: TrailState, attempt: u32) -> Entry {
    Entry::new(at(ms), state, attempt)
}

/// A call that was rate limited, retried and confirmed.
fn renewal() -> Vec<Entry> {
    alloc::vec![
        entry(0, TrailState::Pending, 0),
        entry(0, TrailState::Attempted, 1),
        Entry {
            status: Some(429),
            delay: Some(Millis::new(5_000)),
            reason: Some(Reason::ServerHint),
            ..entry(40, TrailState::RateLimited, 1)
        },
        entry(5_040, TrailState::Attempted, 2),
        Entry {
            delay: Some(Millis::new(1_250)),
            reason: Some(Reason::Backoff),
            ..entry(15_040, TrailState::Retrying, 2)
        },
        entry(16_290, TrailState::Attempted, 3),
        Entry { status: Some(201), ..entry(16_400, TrailState::Confirmed, 3) },
    ]
}

fn show(story: &Story<'_>, lang: Lang) -> String {
    let mut text = String::new();
    story.render(&mut text, lang);
    text
}

fn one(entry: &Entry, lang: Lang) -> String {
    let mut text = String::new();
    line(&mut text, entry, lang);
    text
}

#[test]
fn a_trail_reads_like_a_short_story() {
    let entries = renewal();
    let story = Story {
        id: Some("renewal/2026/42"),
        key: Some("8e03978e-40d5-43e8-bc93-6894a57f9324"),
        labels: &[("customer", "Contoso"), ("vendor", "adobe")],
        entries: &entries,
    };
    assert_eq!(
        show(&story, Lang::English),
        "\
call renewal/2026/42, key 8e03…9324, customer Contoso, vendor adobe
2026-01-15T12:00:00.000Z  info     pending            recorded, not sent yet
2026-01-15T12:00:00.000Z  info     attempted          attempt 1: sent, waiting for the answer
2026-01-15T12:00:00.040Z  info     rate limited       attempt 1, HTTP 429: the vendor asked to wait; the next attempt in 5 s (server-hint)
2026-01-15T12:00:05.040Z  info     attempted          attempt 2: sent, waiting for the answer
2026-01-15T12:00:15.040Z  info     retrying           attempt 2, no answer: failed for now; the next attempt in 1.25 s (backoff)
2026-01-15T12:00:16.290Z  info     attempted          attempt 3: sent, waiting for the answer
2026-01-15T12:00:16.400Z  info     confirmed          attempt 3, HTTP 201: the vendor answered success
confirmed; attempts: 3; took 16.4 s
"
    );
}

#[test]
fn the_same_story_reads_in_arabic_with_the_words_of_operators() {
    let entries = renewal();
    let text = show(&Story { id: Some("renewal"), ..Story::of(&entries) }, Lang::Arabic);
    for word in ["قيد الانتظار", "تمت المحاولة", "محدود المعدل", "قيد إعادة المحاولة", "مؤكد"]
    {
        assert!(text.contains(word), "{word}");
    }
    assert!(
        text.contains("المحاولة 1، HTTP 429: طلب المورّد الانتظار؛ المحاولة التالية بعد 5 ثانية")
    );
    assert!(text.starts_with("الطلب \u{2068}renewal\u{2069}\n"), "{text}");
    assert!(text.ends_with("مؤكد؛ عدد المحاولات: 3؛ المدة: 16.4 ثانية\n"), "{text}");
    assert_eq!(text.lines().count(), entries.len() + 2);
}

#[test]
fn every_state_and_cause_has_its_words_in_both_languages() {
    for &state in TrailState::ALL {
        for cause in [None].into_iter().chain(Cause::ALL.iter().copied().map(Some)) {
            for by in [None, Some("ann".into())] {
                let entry = Entry { cause, by: by.clone(), why: by, ..entry(0, state, 1) };
                for &lang in Lang::ALL {
                    let text = one(&entry, lang);
                    assert!(!text.contains(['{', '}', '\n']), "{text}");
                    assert!(text.contains(state.label(lang)), "{text}");
                    let latin = text.split('|').nth(2).is_none_or(str::is_ascii);
                    assert_eq!(latin, lang == Lang::English, "{text}");
                }
            }
        }
    }
    assert_eq!(TrailState::Failed.label(Lang::English), "failed, in review");
    assert_eq!(TrailState::Failed.label(Lang::Arabic), "فاشل");
}

#[test]
fn only_the_last_failure_is_an_error() {
    for &state in TrailState::ALL {
        let plain = entry(0, state, 1);
        let sustained = Entry { sustained_throttling: true, ..plain.clone() };
        let is_failure = state == TrailState::Failed;
        let (quiet, loud) = (plain.severity(), sustained.severity());
        assert_eq!(quiet, if is_failure { Severity::Error } else { Severity::Info });
        assert_eq!(loud, if is_failure { Severity::Error } else { Severity::Warning });
        assert!(one(&sustained, Lang::English).ends_with("fix the rate, not the retry"));
    }
}

#[test]
fn a_call_under_way_says_so_and_an_empty_trail_says_that() {
    let entries = renewal();
    let open = show(&Story::of(&entries[..3]), Lang::English);
    assert!(open.ends_with("still rate limited; attempts: 1; 40 ms so far\n"), "{open}");
    assert_eq!(show(&Story::default(), Lang::English), "nothing has happened yet\n");
    assert_eq!(show(&Story::default(), Lang::Arabic), "لم يحدث شيء بعد\n");
}

#[test]
fn what_people_decided_is_told_with_who_and_why() {
    let failed = Entry {
        cause: Some(Cause::Ambiguous),
        reason: Some(Reason::UnsafeToRepeat),
        ..entry(0, TrailState::Failed, 2)
    };
    assert!(one(&failed, Lang::English).ends_with(
        "attempt 2, no answer: it may have been processed, and sending it again could do it twice; handed to a person (unsafe-to-repeat)"
    ));
    let decided = |state| Entry {
        by: Some("ann".into()),
        why: Some("asked the vendor".into()),
        other: Some("renewal-2".into()),
        ..entry(0, state, 2)
    };
    for (state, said) in [
        (TrailState::Confirmed, "confirmed by ann: asked the vendor"),
        (TrailState::Abandoned, "given up by ann: asked the vendor"),
        (TrailState::Replaced, "sent again as renewal-2 under a new key, by ann: asked the vendor"),
        (TrailState::Pending, "takes the place of renewal-2, by ann: asked the vendor"),
    ] {
        assert!(one(&decided(state), Lang::English).ends_with(said), "{state}");
        assert!(one(&decided(state), Lang::Arabic).contains("asked the vendor"), "{state}");
    }
}

#[test]
fn no_free_text_can_forge_a_line_or_show_a_secret() {
    let evil = "x\n2026-01-15T12:00:00.000Z  info     confirmed\u{202e}\u{1b}[2J\u{2069}";
    let key = "sk_live_0123456789abcdef";
    let entries = [Entry {
        by: Some(evil.into()),
        why: Some(evil.into()),
        other: Some(evil.into()),
        ..entry(0, TrailState::Replaced, 1)
    }];
    let story =
        Story { id: Some(evil), key: Some(key), labels: &[(evil, evil)], entries: &entries };
    for &lang in Lang::ALL {
        let text = show(&story, lang);
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\r']));
        assert!(!text.contains("live_0123"), "{text}");
        let isolates = |c| text.matches(c).count();
        assert_eq!(isolates('\u{2068}'), isolates('\u{2069}'), "each is closed by us");
    }
}

#[cfg(feature = "json")]
mod json {
    use serde_json::{Value, json};

    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_entry_reads_back_as_it_was_written() {
        let mut entries = renewal();
        entries.push(Entry {
            cause: Some(Cause::Deadline),
            sustained_throttling: true,
            taken_over: true,
            other: Some("k2".into()),
            by: Some("آن".into()),
            why: Some("\u{202e}".into()),
            ..entry(1, TrailState::Failed, 4)
        });
        for entry in entries {
            assert_eq!(entry_from_json(&entry_to_json(&entry)).unwrap(), entry);
        }
    }

    #[test]
    fn a_story_is_rendered_from_its_document() {
        let entries: Vec<Value> = renewal()
            .iter()
            .map(|entry| serde_json::from_str(&entry_to_json(entry)).unwrap())
            .collect();
        let trail =
            json!({"id": "renewal", "key": null, "labels": {"order": "42"}, "entries": entries});
        let ask = |lang: &str| render_json(&json!({"trail": trail, "lang": lang}).to_string());
        let english = ask("en").unwrap();
        assert!(english.starts_with("call renewal, order 42\n"), "{english}");
        assert!(ask("ar").unwrap().contains("محدود المعدل"));
        assert_eq!(ask("fr").unwrap_err(), "question.lang has no value \"fr\"");
    }

    #[test]
    fn what_is_no_trail_is_a_sentence() {
        for (trail, error) in [
            (json!({"entries": {}}), "trail.entries must be a list"),
            (json!({"entries": [{}]}), "entry.at is missing"),
            (json!({"labels": {"a": 1}}), "trail.labels.a must be a text"),
            (json!({"headers": {}}), "trail has no field \"headers\""),
            (Value::Null, "question.trail is missing"),
        ] {
            assert_eq!(render_json(&json!({"trail": trail}).to_string()).unwrap_err(), error);
        }
        assert!(render_json("{").is_err());
    }
}
