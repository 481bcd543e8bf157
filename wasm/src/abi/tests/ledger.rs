//! Keys, the ledger and its trail across the boundary.

use super::*;

const CLAIM: &str = r#"{"record":null,"event":{"op":"claim","id":"k","key":"k","fingerprint":"f","owner":"w"},"now":5}"#;

/// An event under the terms that a deciding module read from its policy.
fn under(policy: u32) -> impl Fn(&mut State, u32) -> u32 {
    move |state, length| {
        assert_eq!(policy_terms(state, policy), 1);
        let [honoured, window, lease, retention, longest, shape, _version, retries] =
            core::array::from_fn(|slot| output(state, slot as u32));
        let whole = |number: f64| number as u32;
        let (honoured, longest, shape) = (whole(honoured), whole(longest), whole(shape));
        ledger_op(state, honoured, window, lease, retention, longest, shape, whole(retries), length)
    }
}

impl Host {
    /// What is wrong, and the answer.
    fn asked(&mut self, question: &str, ask: impl FnOnce(&mut State, u32) -> u32) -> [String; 2] {
        let length = self.write(question.as_bytes());
        assert!(ask(&mut self.0, length) > 0);
        self.strings().try_into().expect("two strings")
    }
}

#[test]
fn an_event_goes_in_and_the_record_comes_out() {
    let mut host = Host::new();
    let [problem, answer] = host.asked(CLAIM, under(0));
    assert_eq!(problem, "");
    assert!(answer.contains(r#""result":"start""#) && answer.contains(r#""leaseUntil":60005"#));
    let policy = host.policy(r#"{"idempotency":{"leaseMs":100}}"#);
    let [_, answer] = host.asked(CLAIM, under(policy));
    assert!(answer.contains(r#""leaseUntil":105"#), "{answer}");
    policy_free(&mut host.0, policy);
    assert_eq!(policy_terms(&mut host.0, policy), 0, "the policy is gone");
}

#[test]
fn what_cannot_be_read_is_a_sentence() {
    let mut host = Host::new();
    let apply: &dyn Fn(&mut State, u32) -> u32 = &under(0);
    for ask in [apply, &trail_render, &review_item] {
        for question in ["", "{", "null", "{\"now\":\"\"}"] {
            let [problem, answer] = host.asked(question, ask);
            assert!(!problem.is_empty() && answer.is_empty(), "{question}");
        }
        let length = host.write(&[0xFF, 0xFE]);
        ask(&mut host.0, length);
        assert_eq!(host.strings(), ["the question is not UTF-8", ""]);
    }
}

#[test]
fn a_trail_is_rendered_in_both_languages() {
    let mut host = Host::new();
    for (lang, word) in [("en", "rate limited"), ("ar", "محدود المعدل")] {
        let question = alloc::format!(
            r#"{{"trail":{{"entries":[{{"at":0,"state":"rate-limited","attempt":1}}]}},"lang":"{lang}"}}"#
        );
        let [problem, text] = host.asked(&question, trail_render);
        assert!(problem.is_empty() && text.contains(word), "{problem}{text}");
    }
}

#[test]
fn a_key_is_made_of_an_event_or_of_the_hosts_random_bits() {
    let mut host = Host::new();
    let make = |host: &mut Host, policy, wall, items: &[(u8, &[u8])]| {
        assert_eq!(policy_terms(&mut host.0, policy), 1);
        let [longest, shape, version] = [4, 5, 6].map(|slot| output(&mut host.0, slot) as u32);
        let length = host.items(items);
        key_make(&mut host.0, version, longest, shape, wall, length);
        let [problem, key]: [String; 2] = host.strings().try_into().unwrap();
        if problem.is_empty() { Ok(key) } else { Err(problem) }
    };
    let entropy: &[u8] = &[0xFF; 16];
    let v4 = make(&mut host, 0, NONE, &[(tag::ENTROPY, entropy)]).unwrap();
    assert_eq!(v4, "ffffffff-ffff-4fff-bfff-ffffffffffff");
    let event = make(&mut host, 0, NONE, &[(tag::EVENT, b"renewal")]).unwrap();
    assert_eq!(event, retrywise::Key::from_event("renewal").as_str());
    assert!(make(&mut host, 0, NONE, &[]).is_err());
    let uuid = host.policy(r#"{"profile":"partner-center"}"#);
    assert!(make(&mut host, uuid, NONE, &[(tag::EVENT, b"renewal")]).is_ok());
    let v7 = host.policy(r#"{"idempotency":{"version":"v7"}}"#);
    assert!(make(&mut host, v7, NONE, &[(tag::ENTROPY, entropy)]).is_err(), "no clock");
    let key = make(&mut host, v7, 1.0, &[(tag::ENTROPY, entropy)]).unwrap();
    assert_eq!(key, "00000000-0001-7fff-bfff-ffffffffffff");
}

#[test]
fn a_call_says_its_key_and_where_it_goes() {
    let mut host = Host::new();
    let upstream = host.upstream(r#"{"profile":"square","idempotency":{"honoured":true}}"#);
    let length = host.items(&[(tag::KEY, b"order-1")]);
    let call = host.begin(upstream, Method::Post, length);
    call_key(&mut host.0, call);
    assert_eq!(host.strings(), ["order-1", "idempotency_key"]);
    let keyless = host.begin(upstream, Method::Get, 0);
    assert_eq!(call_key(&mut host.0, keyless), 0);
}

#[test]
fn a_first_sending_of_an_earlier_process_is_told_again() {
    let mut host = Host::new();
    let upstream = host.upstream(
        r#"{"idempotency":{"honoured":true,"header":"R-ID","firstSentHeader":"R-Sent"}}"#,
    );
    let length = host.items(&[(tag::KEY, b"k"), (tag::FIRST_SENT, b"784111777000")]);
    let method = Method::Post.code().into();
    let call = call_begin(&mut host.0, upstream, method, 0, 0.0, 0.0, 784_111_800_000.0, length);
    call_headers(&mut host.0, call);
    assert_eq!(host.strings(), ["R-ID", "k", "R-Sent", "Sun, 06 Nov 1994 08:49:37 GMT"]);
}
