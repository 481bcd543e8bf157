//! What hosts hand over most: a request and an answer of which only the usual is known.

use crate::wit::{
    types::{BodyCodes, Header, Outcome, Response},
    upstream::Request,
};

/// A request by its method, with a body that can be sent again.
#[must_use]
pub fn request(method: &str) -> Request {
    Request {
        method: method.to_owned(),
        key: None,
        entropy: None,
        event: None,
        headers: Vec::new(),
        replayable_body: true,
        idempotent: None,
        priority: 0,
        ticket: None,
        nested: false,
    }
}

/// An answer by its head; its body is not looked into.
#[must_use]
pub fn answered<'a>(status: u16, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Outcome {
    let line = |(name, value): (&str, &str)| Header { name: name.into(), value: value.into() };
    let headers = headers.into_iter().map(line).collect();
    let body = BodyCodes {
        code: None,
        policy: None,
        problem_type: None,
        retry_delay: None,
        retry_after_s: None,
    };
    let response = Some(Response { status, headers, body });
    Outcome { response, errors: Vec::new(), committed: false, duration: None }
}
