//! Saving an upstream, and going on from it in another process.

use alloc::{collections::BTreeMap, sync::Arc};

use retrywise::{Policy, Snapshot, Upstream};

use super::NoAnswer;
use crate::trace::Step;

/// The documents that a trace saved, by name.
#[derive(Default)]
pub(super) struct Saved(BTreeMap<String, String>);

impl Saved {
    /// Saves as a document; loads into a new upstream, so that nothing survives beside it.
    pub(super) fn step(
        &mut self,
        policy: &Arc<Policy>,
        upstream: &mut Upstream,
        step: &Step,
    ) -> Result<(), NoAnswer> {
        let wall = step.wall.map(|wall| wall.0);
        if step.op.name == "save" {
            let document = upstream.save(step.at, wall).to_json();
            self.0.insert(step.text("as").to_owned(), document);
            return Ok(());
        }
        let name = step.text("from");
        let missing = || NoAnswer::Refused(format!("nothing was saved as `{name}`"));
        let document = self.0.get(name).ok_or_else(missing)?;
        let mut loaded = Upstream::new(Arc::clone(policy), 0);
        Snapshot::from_json(document)
            .and_then(|snapshot| loaded.load(&snapshot, step.at, wall))
            .map_err(|issues| NoAnswer::Refused(format!("the snapshot is invalid: {issues}")))?;
        *upstream = loaded;
        Ok(())
    }
}
