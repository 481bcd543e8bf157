//! Events on one upstream, in any order and at any time.

extern crate alloc;

use alloc::sync::Arc;

use retrywise::{
    Call, Family, Header, Instant, Outcome, Policy, Request, TransportError, UnixMillis, Upstream,
    VerdictKind, method::Method,
};

const POLICIES: [&str; 5] = [
    "{}",
    r#"{"budget":{"kind":"tokens"},"breaker":{"kind":"consecutive","failures":2,"openMs":50}}"#,
    r#"{"budget":{"kind":"throttle"},"breaker":{"minimumCalls":2,"openMs":0,"probeTimeoutMs":0}}"#,
    r#"{"budget":{"kind":"concurrency"},"breaker":null,"limiter":{},"deadlineMs":1000}"#,
    r#"{"extends":"payments","backoff":{"jitter":"polly-v2","baseMs":31622400000,"capMs":31622400000}}"#,
];
const WAITS: [&[u8]; 4] = [b"0", b"7", b"99999999999999999999", b"Thu, 15 Jan 2026 12:02:00 GMT"];

/// One byte chooses the policy; then each event takes four: what, which call, an argument, time.
///
/// # Panics
/// When that is broken.
pub fn ops(data: &[u8]) {
    let Some((&which, events)) = data.split_first() else { return };
    let policy = Policy::from_json(POLICIES[usize::from(which) % POLICIES.len()]);
    let policy = Arc::new(policy.expect("the policies above are valid"));
    let mut upstream = Upstream::new(Arc::clone(&policy), which.into());
    let mut calls: [Option<Call>; 4] = Default::default();
    let mut now = 0_u64;
    for event in events.as_chunks::<4>().0.iter().take(2_000) {
        let [what, call, argument, time] = *event;
        now = match time {
            0..=200 => now.saturating_add(u64::from(time)),
            201..=230 => now.saturating_sub(u64::from(time) * 50),
            231..=250 => now.saturating_add(u64::from(time) * 100_000),
            _ => u64::MAX - u64::from(time),
        };
        let at = Instant::from_millis(now);
        let slot = &mut calls[usize::from(call) % 4];
        match (what % 6, slot.as_mut()) {
            (0, _) => {
                if let Some(mut old) = slot.take() {
                    upstream.end(&mut old, at);
                }
                let method = if argument % 2 == 0 { Method::Get } else { Method::Post };
                let mut request = Request::new(method);
                request.entropy = Some([argument; 16]);
                *slot = upstream.begin(&request, at, Some(UnixMillis::new(0))).ok();
            }
            (1 | 2, Some(call)) => {
                let waited = call.is_waiting() || call.is_over();
                let attempt = call.attempt();
                let verdict = settle(&mut upstream, call, argument, at);
                assert_eq!(verdict.stale, waited, "a settle counts once");
                if !waited && verdict.kind == VerdictKind::Retry {
                    assert_eq!(verdict.attempt, attempt + 1);
                    assert!(attempt <= policy.max_retries(), "one retry too many");
                }
            }
            (3, Some(call)) => {
                let over = call.is_over();
                let resumed = upstream.resume(call, at);
                assert!(!(over && resumed.is_ok()), "sent after its end");
            }
            (4, Some(call)) => {
                assert_ne!(upstream.cancel(call, at).kind, VerdictKind::Retry);
                assert!(call.is_over());
            }
            (5, Some(call)) => upstream.end(call, at),
            _ => {}
        }
    }
}

fn settle(
    upstream: &mut Upstream,
    call: &mut Call,
    argument: u8,
    at: Instant,
) -> retrywise::Verdict {
    const STATUSES: [u16; 8] = [200, 404, 408, 429, 500, 503, 529, 304];
    const CODES: [&str; 4] = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ERR_INVALID_URL"];
    let choice = usize::from(argument);
    let header = [Header::new("retry-after", WAITS[choice / 16 % WAITS.len()])];
    let outcome = if argument & 8 == 0 {
        let headers = if argument & 128 == 0 { &header[..] } else { &[] };
        Outcome::from_response(STATUSES[choice % 8], headers)
    } else {
        Outcome::from_error(TransportError::new(Family::Node, CODES[choice % 4]))
    };
    let wall = (argument & 64 == 0).then(|| UnixMillis::new(1_768_478_400_000));
    upstream.settle(call, &outcome, at, wall)
}
