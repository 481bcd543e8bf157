//! The one verdict, as large as one of the engine's: a retry with its reasons.

use alloc::borrow::ToOwned;

use crate::wit::exports::retrywise::policy::{
    types::{Basis, Class, Classification, Code, Delivery},
    upstream::{Facts, Retry, Verdict},
};

pub(crate) fn verdict() -> Verdict {
    Verdict::Retry(Retry {
        delay: 250,
        facts: Facts {
            reason: code(30, "backoff"),
            attempt: 2,
            hint: None,
            classification: Classification {
                class: Class::Transient,
                delivery: Delivery::MaybeProcessed,
                basis: Basis::None,
                signal: code(1, "status"),
                veto: false,
                local: false,
                rate_limit: false,
            },
            transition: None,
            sustained_throttling: false,
            stale: false,
        },
    })
}

fn code(code: u8, name: &str) -> Code {
    Code { code, name: name.to_owned() }
}
