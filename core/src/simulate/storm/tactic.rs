//! The policies that a storm compares: each adds one thing to the one before it.

#[cfg(feature = "json")]
use alloc::string::String;
use alloc::sync::Arc;

#[cfg(feature = "json")]
use crate::json::write::{Out, Writer};
use crate::{
    codes::codes,
    policy::{
        BackoffOptions, BreakerOptions, BudgetOptions, Curve, HintMode, HintOptions, Jitter,
        Options, Policy,
    },
    time::Millis,
};

codes! {
    /// A way to retry.
    pub enum Tactic {
        /// Again at once.
        Naive = 0 => "naive",
        /// Again after a second.
        Fixed = 1 => "fixed",
        /// After half a second, and twice as long each time.
        Exponential = 2 => "exponential",
        /// The same with full jitter.
        FullJitter = 3 => "full-jitter",
        /// And retries add at most a tenth.
        Budget = 4 => "budget",
        /// And a breaker that leaves the server alone.
        Breaker = 5 => "breaker",
        /// And the wait that the server asks for: the standard policy.
        Hint = 6 => "hint",
    }
}

impl Tactic {
    /// The same policy as a document, to start from.
    #[cfg(feature = "json")]
    pub fn document(self, retries: u32) -> String {
        let backoff = match self {
            Self::Naive => r#"{ "curve": "none", "baseMs": 0, "jitter": "none" }"#,
            Self::Fixed => r#"{ "curve": "constant", "baseMs": 1000, "jitter": "none" }"#,
            Self::Exponential => r#"{ "baseMs": 500, "jitter": "none" }"#,
            _ => r#"{ "baseMs": 500, "jitter": "full" }"#,
        };
        let budget = if self >= Self::Budget {
            r#"{ "kind": "ratio", "ratio": 0.1, "minPerSecond": 1, "windowMs": 10000 }"#
        } else {
            "null"
        };
        let breaker = if self >= Self::Breaker {
            r#"{ "kind": "rate", "threshold": 0.5, "openMs": 5000, "maxOpenMs": 60000 }"#
        } else {
            "null"
        };
        let mut document = Writer::new();
        document.put("maxRetries", retries.min(1_000_000));
        document.put("backoff", Out::Json(backoff));
        if self < Self::Hint {
            document.put("hint", Out::Json(r#"{ "mode": "ignore" }"#));
        }
        document.put("budget", Out::Json(budget));
        document.put("breaker", Out::Json(breaker));
        document.end()
    }

    /// The policy, with this many retries at most.
    pub fn policy(self, retries: u32) -> Arc<Policy> {
        let (curve, base, jitter) = match self {
            Self::Naive => (Curve::None, 0, Jitter::None),
            Self::Fixed => (Curve::Constant, 1_000, Jitter::None),
            Self::Exponential => (Curve::Exponential, 500, Jitter::None),
            _ => (Curve::Exponential, 500, Jitter::Full),
        };
        let heard = if self >= Self::Hint { HintMode::Override } else { HintMode::Ignore };
        let options = Options {
            max_retries: retries.min(1_000_000),
            backoff: BackoffOptions {
                curve,
                base: Millis::new(base),
                jitter,
                ..BackoffOptions::default()
            },
            hint: HintOptions { mode: heard, ..HintOptions::default() },
            budget: (self >= Self::Budget).then(BudgetOptions::default),
            breaker: (self >= Self::Breaker).then(BreakerOptions::default),
            ..Options::default()
        };
        Arc::new(options.validate().unwrap_or_else(|_| Policy::standard()))
    }
}

#[cfg(all(test, feature = "json"))]
mod tests {
    use super::*;

    #[test]
    fn the_document_of_a_tactic_is_its_policy() {
        for &tactic in Tactic::ALL {
            for retries in [0, 3, u32::MAX] {
                let document = tactic.document(retries);
                let read = Policy::from_json(&document).unwrap();
                assert_eq!(read, *tactic.policy(retries), "{document}");
            }
        }
    }
}
