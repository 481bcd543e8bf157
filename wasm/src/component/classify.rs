//! The interface `classify`.

use alloc::{string::String, vec::Vec};

use retrywise::{
    Method, Policy, Profile,
    classify::{self, Context as Beside},
    headers, hint, profile,
};

use crate::{
    component::{
        Component, given,
        policy::Held,
        said,
        wit::exports::retrywise::policy::{
            classify::{Context, Finding, Guest, MethodFacts},
            types::{Hint, Outcome, Response},
        },
    },
    state::with,
};

impl Guest for Component {
    fn classify(outcome: Outcome, context: Context<'_>) -> Finding {
        find(&outcome, &context)
    }

    fn classify_all(outcomes: Vec<Outcome>, context: Context<'_>) -> Vec<Finding> {
        outcomes.iter().map(|outcome| find(outcome, &context)).collect()
    }

    fn retry_hint(response: Response, profile: Option<String>, wall: Option<i64>) -> Option<Hint> {
        let lines = given::headers(&response.headers);
        let response = given::response(&response, &lines);
        hint::read(&response, given::wall(wall), known(profile.as_deref())).map(said::hint)
    }

    fn reads_header(name: String) -> bool {
        headers::is_read(&name)
    }

    fn method(token: String) -> MethodFacts {
        let method = Method::from_token(&token);
        MethodFacts { safe: method.is_safe(), idempotent: method.is_idempotent() }
    }
}

fn find(outcome: &Outcome, context: &Context<'_>) -> Finding {
    with(|engine| {
        let policy = context.policy.as_ref().and_then(|p| engine.policy(p.get::<Held>().0));
        let profile = known(context.profile.as_deref());
        let profile = profile.or_else(|| policy.and_then(Policy::profile));
        given::outcome(outcome, |outcome| {
            let wall = given::wall(context.wall);
            let hint = outcome.response.and_then(|response| hint::read(&response, wall, profile));
            let mut beside = Beside::default();
            beside.key_sent = context.key_sent;
            beside.profile = profile;
            beside.retry_on = policy.map(Policy::retry_on);
            beside.hint = hint;
            let found = classify::classify(outcome, &beside);
            Finding { classification: said::classification(&found), hint: hint.map(said::hint) }
        })
    })
}

fn known(id: Option<&str>) -> Option<&'static Profile> {
    id.and_then(profile::find)
}
