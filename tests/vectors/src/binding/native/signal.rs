//! One outcome, one answer.

use retrywise::{
    Basis, Class, Classification, Delivery, Method,
    classify::{self, Context},
    hint, is_repeatable,
    policy::Safety,
    profile,
};
use serde_json::{Value, json};

use super::Answers;
use crate::signal::{Input, Signal};

/// Answers everything that the input has an answer for.
pub(super) fn answer(signal: &Signal) -> Answers {
    let input = &signal.input;
    let mut answers = Answers::new();
    let classification = match input.given {
        Some(given) => Some(taken_from(given)),
        None if input.outcome.is_empty() => None,
        None => Some(read(signal, &mut answers)),
    };
    if let Some(classification) = classification {
        answers.insert("class".into(), classification.class.name().into());
        answers.insert("delivery".into(), classification.delivery.name().into());
    }
    if let Some(token) = &input.method {
        let method = Method::from_token(token);
        answers.insert("safe".into(), method.is_safe().into());
        answers.insert("idempotent".into(), method.is_idempotent().into());
        if let Some(classification) = classification {
            answers.insert("retry".into(), is_retried(method, input, classification).into());
        }
    }
    answers
}

/// Classifies the outcome; its hint goes into `answers`.
fn read(signal: &Signal, answers: &mut Answers) -> Classification {
    let Input { outcome, profile, idempotency_key, .. } = &signal.input;
    // A profile that is not known is read by the generic rules.
    let profile = profile.as_deref().and_then(profile::find);
    outcome.with(|outcome| {
        let wall = signal.now.map(|now| now.0);
        let hint = outcome.response.and_then(|response| hint::read(&response, wall, profile));
        answers.insert("delay_ms".into(), hint.map_or(Value::Null, |hint| json!(hint.delay.get())));
        let mut context = Context::default();
        context.key_sent = *idempotency_key;
        context.profile = profile;
        context.hint = hint;
        classify::classify(outcome, &context)
    })
}

/// A classification of the given class and delivery, where a `not_processed` counts as proven.
fn taken_from((class, delivery): (Class, Delivery)) -> Classification {
    let mut classification =
        classify::classify(&retrywise::Outcome::default(), &Context::default());
    classification.class = class;
    classification.delivery = delivery;
    classification.basis = match delivery {
        Delivery::NotProcessed => Basis::Transport,
        _ => Basis::None,
    };
    classification
}

/// The decision, attempts and budget aside.
fn is_retried(method: Method, input: &Input, classification: Classification) -> bool {
    let idempotent = method.is_idempotent();
    classification.is_retryable()
        && is_repeatable(idempotent, input.idempotency_key, &classification, Safety::Proven)
}
