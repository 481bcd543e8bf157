//! A policy whole: every field with the value that holds, once preset, profile and document are
//! laid over the standard.

use alloc::{string::String, sync::Arc, vec::Vec};

use super::{
    allowed::{Allowed, DOUBLED},
    json::{count, policy_of, standard},
};
use crate::{
    document::Fields as Question,
    json::write::{Out, Writer, text},
    policy::{
        Options, Policy,
        fields::{Fields, Place, What, each},
    },
    text::number,
};

/// The policy of a question; see [`run`](super::run).
pub(super) fn run_effective(mut fields: Question<'_>) -> Result<String, String> {
    let policy = policy_of(&mut fields)?.unwrap_or_else(standard);
    let clients = fields.count::<u32>("clients")?.unwrap_or(10);
    let rate = fields.count::<u32>("rate")?.unwrap_or(1_000);
    fields.end()?;
    let allowed = Allowed::of(&policy, clients);
    let load = allowed.map(|allowed| {
        let calls = u64::from(rate) * allowed.window.get() / 1_000;
        allowed.load(calls)
    });
    let mut answer = Writer::new();
    answer.put("policy", Out::Json(&document(&policy)));
    answer.nullable("allowed", load.map(count));
    answer.nullable("windowMs", allowed.map(|allowed| allowed.window));
    answer.put("doubles", load.is_some_and(|load| load >= DOUBLED));
    Ok(answer.end())
}

fn document(policy: &Arc<Policy>) -> String {
    let mut options: Options = Policy::clone(policy).into_options();
    let mut document = Writer::new();
    if let Some(profile) = options.profile {
        document.put("profile", profile.id);
    }
    members(&mut options, &mut document);
    document.end()
}

/// An object and all that it holds.
fn object(part: &mut dyn Fields) -> String {
    let mut object = Writer::new();
    members(part, &mut object);
    object.end()
}

/// What each field holds. What is not said has no word for it, so it is left out.
fn members(part: &mut dyn Fields, out: &mut Writer) {
    each(part, &mut |field, place| {
        let (name, Some(place)) = (field.name, place) else { return };
        match (field.what, place) {
            (What::Number(spec), place) => {
                let shown = place.number().map(|value| spec.show(value));
                // Where a document must not say null, nothing stands for nothing.
                if shown.is_some() || spec.null {
                    out.nullable(name, shown.as_deref().map(Out::Json));
                }
            }
            (_, Place::Flag(slot)) => out.put(name, *slot),
            (_, Place::Name(slot)) => out.maybe(name, slot.get()),
            (What::Text(_), place) => out.maybe(name, place.text(0)),
            (What::Texts(_), place) => {
                let texts = (0..).map_while(|at| place.text(at).map(text));
                out.list(name, texts);
            }
            (What::Statuses, place) => {
                let statuses = (0..).map_while(|at| place.status(at));
                out.list(name, statuses.map(|status| number(status.into())));
            }
            (_, Place::Object(part)) => out.put(name, Out::Json(&object(part))),
            (_, Place::Optional(slot)) => {
                let inside = slot.get().map(object);
                out.nullable(name, inside.as_deref().map(Out::Json));
            }
            (_, Place::Objects(slot)) => {
                let mut all = Vec::new();
                while let Some(part) = slot.get(all.len()) {
                    all.push(object(part));
                }
                out.list(name, all.into_iter());
            }
            _ => {}
        }
    });
}
