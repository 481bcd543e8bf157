//! The interfaces `ledger` and `trail`.

mod answer;
mod event;

use alloc::{string::String, vec::Vec};

use retrywise::{
    Ledger, Policy,
    ledger::{Record, record_from_json},
    review::Item as Known,
    trail::{Story as Told, entry_from_json},
};

use crate::{
    component::{
        Component, given,
        policy::Held,
        wit::exports::retrywise::policy::{
            ledger::{Answer, DocumentError, Event, Guest, Item, Kept, PolicyBorrow},
            trail::{Guest as Trail, Story},
            types::Language,
        },
    },
    scratch::MAX_INPUT,
    state::with,
};

impl Guest for Component {
    fn apply(
        policy: Option<PolicyBorrow<'_>>,
        record: Option<String>,
        event: Event,
        now: i64,
    ) -> Result<Answer, DocumentError> {
        let terms = with(|engine| {
            let policy = policy.as_ref().and_then(|policy| engine.policy(policy.get::<Held>().0));
            policy.map_or_else(|| Ledger::new(&Policy::standard()), Ledger::new)
        });
        let record = record.as_deref().map(read).transpose()?;
        let applied = terms.apply(record.as_ref(), &event::given(&event), given::time(now));
        Ok(answer::said(&applied))
    }

    fn read(record: String) -> Result<Kept, DocumentError> {
        read(&record).map(|record| answer::kept(&record))
    }

    fn review(record: String, language: Language) -> Result<Option<Item>, DocumentError> {
        let record = read(&record)?;
        Ok(Known::of(&record).map(|item| answer::item(&item, given::lang(language))))
    }
}

impl Trail for Component {
    fn render(story: Story, language: Language) -> Result<String, DocumentError> {
        let entries = story.entries.iter().map(|entry| {
            bounded(entry).and_then(entry_from_json).map_err(DocumentError::Unreadable)
        });
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        let labels: Vec<_> =
            story.labels.iter().map(|label| (&*label.name, &*label.value)).collect();
        let mut told = Told::of(&entries);
        told.id = story.id.as_deref();
        told.key = story.key.as_deref();
        told.labels = &labels;
        let mut text = String::new();
        told.render(&mut text, given::lang(language));
        Ok(text)
    }
}

fn read(record: &str) -> Result<Record, DocumentError> {
    bounded(record).and_then(record_from_json).map_err(DocumentError::Unreadable)
}

/// As long as any other input.
fn bounded(document: &str) -> Result<&str, String> {
    let allowed = document.len() <= MAX_INPUT;
    allowed.then_some(document).ok_or_else(|| "the document is longer than 1 MiB".into())
}
