//! Any text gives an answer: seeded, so that a failure can be run again.

use alloc::{format, string::String, vec::Vec};

use super::super::{Policy, PolicySet};
use crate::rng::Rng;

struct Writer {
    rng: Rng,
}

impl Writer {
    fn below(&mut self, n: usize) -> usize {
        self.rng.draw().between(0, n as u64 - 1) as usize
    }

    fn pick(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }

    fn value(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => self.pick(&["null", "true", "false"]).into(),
            1 => format!("{}", self.rng.draw().bits() >> self.below(64)),
            2 => format!("-{}", self.below(5)),
            3 => format!("{}.{}e{}", self.below(50), self.below(20_000), self.below(9)),
            4 => format!("{:?}", self.pick(WORDS)),
            5 => self.pick(&["1e308", "1e-308", "-0.0", "0.1", "5e-324", "0"]).into(),
            6 => {
                let len = self.below(4);
                let items: Vec<_> = (0..len).map(|_| self.value(depth - 1)).collect();
                format!("[{}]", items.join(","))
            }
            _ => self.object(depth),
        }
    }

    fn object(&mut self, depth: usize) -> String {
        let len = self.below(6);
        let fields: Vec<_> = (0..len)
            .map(|_| format!("{:?}:{}", self.pick(WORDS), self.value(depth.saturating_sub(1))))
            .collect();
        format!("{{{}}}", fields.join(","))
    }
}

#[test]
fn a_random_document_is_a_policy_or_a_list_of_issues() {
    const SEED: u64 = 20_260_115;
    let mut writer = Writer { rng: Rng::new(SEED) };
    let mut valid = 0;
    for round in 0..4_000 {
        let document = writer.object(4);
        match Policy::from_json(&document) {
            Ok(policy) => {
                valid += 1;
                let again = policy.clone().into_options().validate();
                assert_eq!(again, Ok(policy), "seed {SEED} round {round}: {document}");
            }
            Err(issues) => {
                assert!(!issues.as_slice().is_empty(), "seed {SEED} round {round}: {document}");
                let mut seen: Vec<_> =
                    issues.as_slice().iter().map(|i| (&i.field, i.kind)).collect();
                let all = seen.len();
                seen.sort();
                seen.dedup();
                assert_eq!(seen.len(), all, "seed {SEED} round {round}: {document}\n{issues}");
            }
        }
        drop(super::options(&document));
        drop(PolicySet::from_json(&document));
    }
    assert!(valid > 100, "the test tests something: {valid}");
}

#[test]
fn random_text_never_panics() {
    const SEED: u64 = 7;
    let mut rng = Rng::new(SEED);
    let alphabet: Vec<char> = r#"{}[]",:\0123456789.eE+-truefalsn é😀"#.chars().collect();
    let good = r#"{"backoff":{"baseMs":1e2,"overrides":[{"statuses":[503]}]},"maxRetries":3}"#;
    for _ in 0..5_000 {
        let mut text: Vec<char> = good.chars().collect();
        for _ in 0..=rng.draw().between(0, 3) {
            let letter = alphabet[rng.draw().between(0, alphabet.len() as u64 - 1) as usize];
            let at = rng.draw().between(0, text.len() as u64 - 1) as usize;
            text[at] = letter;
        }
        drop(Policy::validate_json(&text.iter().collect::<String>()));
    }
}

const WORDS: &[&str] = &[
    "extends",
    "profile",
    "maxRetries",
    "deadlineMs",
    "attemptTimeoutMs",
    "safety",
    "backoff",
    "curve",
    "baseMs",
    "factor",
    "capMs",
    "ceilingMs",
    "jitter",
    "jitterRatio",
    "throttledBaseMs",
    "firstRetryImmediate",
    "overrides",
    "class",
    "statuses",
    "errors",
    "immediate",
    "hint",
    "mode",
    "maxMs",
    "beyond",
    "spread",
    "retryOn",
    "add",
    "remove",
    "methods",
    "idempotency",
    "header",
    "format",
    "generate",
    "honoured",
    "windowMs",
    "leaseMs",
    "retentionMs",
    "budget",
    "kind",
    "shared",
    "ratio",
    "minPerSecond",
    "capacity",
    "maxTokens",
    "tokenRatio",
    "minConcurrency",
    "breaker",
    "failures",
    "window",
    "windowCalls",
    "threshold",
    "minimumCalls",
    "openMs",
    "maxOpenMs",
    "probes",
    "successes",
    "onLeaseExpiry",
    "limiter",
    "tokens",
    "throttle",
    "concurrency",
    "rate",
    "consecutive",
    "count",
    "time",
    "standard",
    "interactive",
    "batch",
    "payments",
    "never",
    "full",
    "linear",
    "throttled",
    "give-up",
    "exact",
    "policies",
    "match",
    "default",
    "use",
    "path",
    "origin",
    "method",
    "/v1/*",
    "https://a.example",
    "POST",
    "",
    "é😀",
];
