//! The AWS SDK's standard retries, specification 2.1: the scenarios of aws.json at the largest
//! draw, and which statuses its classifier retries.

use core::time::Duration;
use std::sync::{Arc, Mutex};

use aws_smithy_runtime::client::retries::{
    TokenBucket, classifiers::HttpStatusCodeClassifier, strategy::StandardRetryStrategy,
};
use aws_smithy_runtime_api::{
    client::{
        interceptors::context::{Error, Input, InterceptorContext, Output},
        orchestrator::{HttpRequest, HttpResponse, OrchestratorError},
        retries::{
            RequestAttempts, RetryStrategy, ShouldAttempt,
            classifiers::{ClassifyRetry, RetryAction},
        },
        runtime_components::{RuntimeComponents, RuntimeComponentsBuilder},
    },
    http::StatusCode,
};
use aws_smithy_types::{
    body::SdkBody,
    config_bag::{ConfigBag, Layer},
    retry::{ErrorKind, RetryConfig, RetrySpec},
};
use serde_json::{Value, json};

use crate::lines::{ms, trace};

const SCENARIOS: &str = include_str!("../../aws.json");

pub fn all() {
    let scenarios: Vec<Value> = serde_json::from_str(SCENARIOS).expect("aws.json is a list");
    scenarios.iter().filter(|scenario| can_be_told(scenario)).for_each(play);
    statuses();
}

/// A header that is no number never reaches the strategy.
fn can_be_told(scenario: &Value) -> bool {
    let calls = scenario["calls"].to_string();
    !calls.contains("+abc") && !calls.contains("+-")
}

/// Says what it was told to say.
#[derive(Clone, Debug, Default)]
struct Told(Arc<Mutex<RetryAction>>);

impl ClassifyRetry for Told {
    fn classify_retry(&self, _: &InterceptorContext) -> RetryAction {
        self.0.lock().expect("nobody panics with it").clone()
    }

    fn name(&self) -> &'static str {
        "told"
    }
}

fn play(scenario: &Value) {
    let (max, quota) = (number(scenario, "max", 3), number(scenario, "quota", 500));
    let is_dynamo = scenario["service"] == "dynamodb";
    let bucket = TokenBucket::builder()
        .capacity(quota as usize)
        .retry_cost(14)
        .timeout_retry_cost(14)
        .throttling_retry_cost(5)
        .build();
    let mut spec = RetrySpec::v2_1();
    if is_dynamo {
        spec = spec.with_non_throttling_initial_backoff(Duration::from_millis(25));
    }
    let mut config = RetryConfig::standard()
        .with_retry_spec(spec)
        .with_max_attempts(max as u32)
        .with_use_static_exponential_base(true);
    let cap = scenario["cap"].as_f64();
    if let Some(cap) = cap {
        config = config.with_max_backoff(Duration::from_secs_f64(cap));
    }
    let told = Told::default();
    let components = RuntimeComponentsBuilder::for_tests()
        .with_retry_classifier(told.clone())
        .build()
        .expect("everything is there");
    // One for all calls, as a client has it.
    let strategy = StandardRetryStrategy::new();

    let (mut at, mut steps) = (0, Vec::new());
    for (index, responses) in list(&scenario["calls"]).iter().enumerate() {
        let call = format!("c{index}");
        steps.push(json!({"at": at, "op": "begin", "call": call, "request": {"method": "GET"}}));
        for (attempt, response) in (1_u32..).zip(list(responses)) {
            let response = response.as_str().unwrap_or_default();
            let mut layer = Layer::new("scenario");
            layer.store_put(RequestAttempts::new(attempt));
            layer.store_put(config.clone());
            layer.store_put(bucket.clone());
            let bag = ConfigBag::of_layers(vec![layer]);
            let said = ask(&strategy, &told, &components, &bag, response);
            let expect = match said {
                _ if response == "ok" => json!({"verdict": "accept"}),
                ShouldAttempt::YesAfterDelay(wait) => {
                    json!({"verdict": "retry", "attempt": attempt + 1, "delayMs": ms(wait)})
                }
                _ if u64::from(attempt) >= max => {
                    json!({"verdict": "stop", "reason": "retries-exhausted"})
                }
                _ => json!({"verdict": "stop", "reason": "budget-exhausted"}),
            };
            let wait = expect["delayMs"].as_u64();
            let outcome = outcome(response);
            steps.push(json!({"at": at, "op": "settle", "call": call, "outcome": outcome, "expect": expect}));
            steps.push(json!({"at": at, "op": "balance", "expect": {"balance": left(&bucket)}}));
            if let Some(wait) = wait {
                at += wait;
                steps.push(
                    json!({"at": at, "op": "resume", "call": call, "expect": {"admitted": true}}),
                );
            }
        }
    }
    let mut policy = json!({
        "profile": if is_dynamo { "dynamodb" } else { "aws" },
        "maxRetries": max - 1,
        "breaker": null,
        "budget": {"kind": "tokens", "capacity": quota, "transientCost": 14, "throttledCost": 5, "credit": 1},
    });
    if let Some(cap) = cap {
        let cap = ms(Duration::from_secs_f64(cap));
        policy["backoff"] = json!({"capMs": cap, "throttledBaseMs": cap});
    }
    let id = format!("smithy-rs-{}", scenario["id"].as_str().unwrap_or_default());
    trace(&id, &policy, &steps, &["max"; 40]);
}

/// Tells the strategy of a response.
fn ask(
    strategy: &StandardRetryStrategy,
    told: &Told,
    components: &RuntimeComponents,
    bag: &ConfigBag,
    response: &str,
) -> ShouldAttempt {
    let (kind, hint) = match response.split_once('+') {
        Some((kind, hint)) => (kind, hint.parse().ok().map(Duration::from_millis)),
        None => (response, None),
    };
    let kind = if kind == "Th" { ErrorKind::ThrottlingError } else { ErrorKind::ServerError };
    let mut context: InterceptorContext<Input, Output, Error> =
        InterceptorContext::new(Input::doesnt_matter());
    let action = match hint {
        _ if response == "ok" => RetryAction::NoActionIndicated,
        Some(hint) => RetryAction::retryable_error_with_explicit_delay(kind, hint),
        None => RetryAction::retryable_error(kind),
    };
    *told.0.lock().expect("nobody panics with it") = action;
    context.set_output_or_error(if response == "ok" {
        Ok(Output::doesnt_matter())
    } else {
        Err(OrchestratorError::other("failed"))
    });
    strategy.should_attempt_retry(&context, components, bag).expect("it always answers")
}

/// What the bucket holds: it tells nobody, except who debugs it.
fn left(bucket: &TokenBucket) -> u64 {
    let shown = format!("{bucket:?}");
    let number = shown.split_once("permits: ").map(|(_, rest)| rest);
    let digits = number.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    digits.and_then(|digits| digits.parse().ok()).expect("a semaphore shows its permits")
}

fn outcome(response: &str) -> Value {
    let (kind, hint) = response.split_once('+').unwrap_or((response, ""));
    let headers = if hint.is_empty() { json!([]) } else { json!([["x-amz-retry-after", hint]]) };
    match kind {
        "Th" => json!({"status": 400, "headers": headers, "body": {"code": "Throttling"}}),
        "ok" => json!({"status": 200, "headers": headers}),
        _ => json!({"status": 500, "headers": headers}),
    }
}

/// Statuses that have a name, and some at the ends of their hundreds.
const STATUSES: [u16; 60] = [
    100, 101, 103, 200, 201, 202, 204, 206, 299, 300, 301, 302, 304, 307, 308, 400, 401, 402, 403,
    404, 405, 406, 408, 409, 410, 411, 412, 413, 415, 416, 418, 420, 421, 422, 423, 424, 425, 426,
    428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 508, 509, 511, 520, 522, 525, 526,
    529, 530, 599,
];

/// Whether an answer of each status is tried again.
fn statuses() {
    let classifier = HttpStatusCodeClassifier::default();
    for status in STATUSES {
        let mut context: InterceptorContext<Input, Output, Error> =
            InterceptorContext::new(Input::doesnt_matter());
        context.enter_serialization_phase();
        let _ = context.take_input();
        context.set_request(HttpRequest::empty());
        context.enter_before_transmit_phase();
        context.enter_transmit_phase();
        let _ = context.take_request();
        let code = StatusCode::try_from(status).expect("three digits");
        context.set_response(HttpResponse::new(code, SdkBody::empty()));
        let retry = classifier.classify_retry(&context).should_retry();
        let input = json!({"status": status, "headers": [], "method": "GET", "profile": "aws"});
        let id = format!("smithy-rs-status-{status}");
        println!(
            "{}",
            json!({"id": id, "area": "status", "input": input, "now": null, "expect": {"retry": retry}})
        );
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value, name: &str, default: u64) -> u64 {
    value[name].as_u64().unwrap_or(default)
}
