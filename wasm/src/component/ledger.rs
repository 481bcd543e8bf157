//! The interfaces `ledger` and `trail`.

use alloc::string::String;

use retrywise::{Ledger, Policy, review::Item, trail};

use crate::{
    component::{
        Component,
        policy::Held,
        wit::exports::retrywise::policy::{
            ledger::{DocumentError, Guest, PolicyBorrow},
            trail::Guest as Trail,
        },
    },
    state::with,
};

impl Guest for Component {
    fn apply(policy: Option<PolicyBorrow<'_>>, question: String) -> Result<String, DocumentError> {
        let terms = with(|engine| {
            let policy = policy.as_ref().and_then(|policy| engine.policy(policy.get::<Held>().0));
            policy.map_or_else(|| Ledger::new(&Policy::standard()), Ledger::new)
        });
        terms.apply_json(&question).map_err(DocumentError::Unreadable)
    }

    fn review(question: String) -> Result<String, DocumentError> {
        Item::describe_json(&question).map_err(DocumentError::Unreadable)
    }
}

impl Trail for Component {
    fn render(question: String) -> Result<String, DocumentError> {
        trail::render_json(&question).map_err(DocumentError::Unreadable)
    }
}
