//! Documents of the vectors as records of the contract, and back.

use retrywise_host_wasmtime::wit::{
    types::{
        BodyCodes, Class, Classification, Delivery, Family, Header, Outcome, Response,
        TransportError,
    },
    upstream::{
        BeginError, BreakerState, DelayState, Refusal, Request, ResumeError, Verdict, View, Wait,
    },
};
use serde_json::{Map, Value, json};

pub(crate) fn request(doc: &Value) -> Request {
    Request {
        method: text(&doc["method"]).unwrap_or_default(),
        key: text(&doc["key"]),
        entropy: None,
        event: None,
        headers: headers(&doc["headers"]),
        replayable_body: doc["replayableBody"].as_bool().unwrap_or(true),
        idempotent: None,
        priority: 0,
        ticket: None,
        nested: false,
    }
}

pub(crate) fn outcome(doc: &Value) -> Outcome {
    let response = doc["status"].as_u64().map(|status| Response {
        status: u16::try_from(status).unwrap_or_default(),
        headers: headers(&doc["headers"]),
        body: BodyCodes {
            code: text(&doc["body"]["code"]),
            policy: text(&doc["body"]["policy"]),
            problem_type: text(&doc["body"]["problem_type"]),
            retry_delay: text(&doc["body"]["retry_delay"]),
            retry_after_s: text(&doc["body"]["retry_after_s"]),
        },
    });
    let chain = std::iter::successors(Some(&doc["error"]), |error| Some(&error["cause"]));
    let errors = chain.take_while(|error| error.is_object()).map(error).collect();
    let committed = doc["committed"].as_bool().unwrap_or(false);
    Outcome { response, errors, committed, duration: doc["durationMs"].as_u64() }
}

fn error(doc: &Value) -> TransportError {
    let flag = |name: &str| doc[name].as_bool().unwrap_or(false);
    TransportError {
        family: doc["family"].as_str().map_or(Family::Unknown, family),
        code: text(&doc["code"]),
        name: text(&doc["name"]),
        message: text(&doc["message"]),
        syscall: text(&doc["syscall"]),
        phase: text(&doc["phase"]),
        op: text(&doc["op"]),
        kind: text(&doc["type"]),
        rcode: text(&doc["rcode"]),
        frame: text(&doc["frame"]),
        progress: text(&doc["progress"]),
        stream_id: doc["stream_id"].as_u64(),
        last_stream_id: doc["last_stream_id"].as_u64(),
        temporary: flag("temporary"),
        not_found: flag("not_found"),
        reused: flag("reused") || doc["reused"] == "reused",
    }
}

/// An outcome of this class and delivery; `not_processed` rests on more than a status.
pub(crate) fn stand_in(class: &str, delivery: &str) -> Value {
    let error = |family: &str, code: &str| json!({ "error": { "family": family, "code": code } });
    match (class, delivery) {
        ("success", _) => json!({ "status": 200 }),
        ("transient", "processed") => {
            json!({ "status": 404, "headers": [["x-should-retry", "true"]] })
        }
        ("transient", "not_processed") => error("node", "ECONNREFUSED"),
        ("transient", _) => error("node", "ECONNRESET"),
        ("throttled", "not_processed") => json!({
            "status": 503,
            "headers": [["proxy-status", "edge; error=connection_limit_reached"]],
        }),
        ("throttled", _) => error("http2", "ENHANCE_YOUR_CALM"),
        ("permanent", "not_processed") => error("node", "CERT_HAS_EXPIRED"),
        ("permanent", _) => json!({ "status": 404 }),
        _ => json!({ "error": { "family": "dom", "name": "AbortError" } }),
    }
}

pub(crate) fn class(name: &str) -> Class {
    match name {
        "success" => Class::Success,
        "throttled" => Class::Throttled,
        "permanent" => Class::Permanent,
        "cancelled" => Class::Cancelled,
        _ => Class::Transient,
    }
}

pub(crate) fn classification(found: &Classification) -> Map<String, Value> {
    let class = match found.class {
        Class::Success => "success",
        Class::Transient => "transient",
        Class::Throttled => "throttled",
        Class::Permanent => "permanent",
        Class::Cancelled => "cancelled",
    };
    let delivery = match found.delivery {
        Delivery::NotProcessed => "not_processed",
        Delivery::MaybeProcessed => "maybe_processed",
        Delivery::Processed => "processed",
    };
    [("class".into(), class.into()), ("delivery".into(), delivery.into())].into_iter().collect()
}

pub(crate) fn verdict(verdict: &Verdict) -> Value {
    let (kind, facts, delay) = match verdict {
        Verdict::Accept(facts) => ("accept", facts, 0),
        Verdict::Retry(retry) => ("retry", &retry.facts, retry.delay),
        Verdict::Stop(facts) => ("stop", facts, 0),
    };
    let mut answers = classification(&facts.classification);
    let mut put = |name: &str, value: Value| answers.insert(name.to_owned(), value);
    put("verdict", kind.into());
    put("attempt", facts.attempt.into());
    put("delayMs", delay.into());
    put("reason", facts.reason.name.as_str().into());
    put("stale", facts.stale.into());
    if let Some(change) = facts.transition {
        let change = [change.from, change.to].map(breaker_state);
        put("transition", change.join("->").into());
    }
    if let Some(hint) = &facts.hint {
        put("hintMs", hint.delay.into());
        put("hintSource", hint.source.name.as_str().into());
    }
    answers.into()
}

pub(crate) fn view(view: &View) -> Value {
    let breaker = view.breaker.as_ref();
    let balance = view.budget_thousandths.map(|left| left as f64 / 1_000.0);
    json!({
        "state": breaker.map(|breaker| breaker_state(breaker.state)),
        "retryInMs": breaker.and_then(|breaker| breaker.retry_in),
        "balance": balance,
    })
}

const fn breaker_state(state: BreakerState) -> &'static str {
    match state {
        BreakerState::Closed => "closed",
        BreakerState::Open => "open",
        BreakerState::HalfOpen => "half-open",
        BreakerState::Isolated => "isolated",
    }
}

pub(crate) fn refused(error: &BeginError) -> Value {
    match error {
        BeginError::Refused(refusal) => not_admitted(refusal),
        BeginError::TooMany(most) => {
            json!({ "admitted": false, "reason": format!("more than {most}") })
        }
    }
}

pub(crate) fn not_resumed(error: &ResumeError) -> Value {
    let (mut answers, over) = match error {
        ResumeError::Later(refusal) => (not_admitted(refusal), false),
        ResumeError::Over(ended) => (not_admitted(&ended.refusal), true),
    };
    answers["over"] = over.into();
    answers
}

fn not_admitted(refusal: &Refusal) -> Value {
    let retry_in = refusal.retry_in;
    json!({ "admitted": false, "reason": refusal.reason.name, "retryInMs": retry_in })
}

pub(crate) fn wait(wait: &Wait) -> (Value, DelayState) {
    match wait {
        Wait::Chosen(chosen) => {
            (json!({ "delayMs": chosen.delay, "reason": chosen.reason.name }), chosen.state)
        }
        Wait::TooLong(state) => (json!({ "delayMs": null, "reason": "hint-too-long" }), *state),
    }
}

fn headers(doc: &Value) -> Vec<Header> {
    let line = |pair: &Value| Header {
        name: text(&pair[0]).unwrap_or_default(),
        value: text(&pair[1]).unwrap_or_default().into_bytes(),
    };
    doc.as_array().into_iter().flatten().map(line).collect()
}

/// A string, or a number by its text: body codes are both.
fn text(doc: &Value) -> Option<String> {
    match doc {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn family(name: &str) -> Family {
    match name {
        "node" => Family::Node,
        "undici" => Family::Undici,
        "axios" => Family::Axios,
        "fetch" => Family::Fetch,
        "dom" => Family::Dom,
        "http2" => Family::Http2,
        "http3" => Family::Http3,
        "wasi-http" => Family::WasiHttp,
        "python-urllib3" => Family::PythonUrllib3,
        "python-requests" => Family::PythonRequests,
        "python-httpx" => Family::PythonHttpx,
        "python-aiohttp" => Family::PythonAiohttp,
        "go" => Family::Go,
        "java" => Family::Java,
        "reqwest" => Family::Reqwest,
        "dotnet" => Family::Dotnet,
        "curl" => Family::Curl,
        "grpc" => Family::Grpc,
        _ => Family::Unknown,
    }
}
