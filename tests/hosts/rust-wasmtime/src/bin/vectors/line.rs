//! The queue of a trace, through the interface `dispatch`: whose turn it is when all are due.

use retrywise_host_wasmtime::{Brain, wit::dispatch::Next};
use serde_json::{Value, json};
use wasmtime::component::ResourceAny;

use crate::Refused;

/// At this time everything is due.
const END: u64 = (1 << 53) - 1;
/// As many calls as a trace may have waiting.
const CAPACITY: u32 = 1_000_000;

/// The calls that wait, by their place in the list of names.
pub(crate) struct Line {
    dispatch: ResourceAny,
    names: Vec<Value>,
}

impl Line {
    pub(crate) fn open(brain: &mut Brain) -> wasmtime::Result<Self> {
        let api = brain.exports.retrywise_policy_dispatch().dispatch();
        let dispatch = api.call_constructor(&mut brain.store, 1, CAPACITY, None)?;
        Ok(Self { dispatch, names: Vec::new() })
    }

    pub(crate) fn play(
        &mut self,
        brain: &mut Brain,
        op: &str,
        args: &Value,
        now: u64,
    ) -> Result<Value, Refused> {
        let api = brain.exports.retrywise_policy_dispatch().dispatch();
        if op == "pop" {
            let next = api.call_next(&mut brain.store, self.dispatch, END)?;
            let Next::Start(id) = next else { return Ok(json!({ "id": null })) };
            api.call_done(&mut brain.store, self.dispatch, id)?;
            let name = usize::try_from(id).ok().and_then(|id| self.names.get(id));
            return Ok(json!({ "id": name }));
        }
        let (id, due) = (self.names.len() as u64, args["dueAt"].as_u64());
        let priority = i32::try_from(args["priority"].as_i64().unwrap_or_default());
        let priority = priority.map_err(|_| Refused("`priority` does not fit 32 bits".into()))?;
        api.call_add(&mut brain.store, self.dispatch, id, priority, due, now)?
            .map_err(|error| Refused(format!("{error:?}")))?;
        self.names.push(args["id"].clone());
        Ok(json!({}))
    }

    pub(crate) fn end(self, brain: &mut Brain) -> wasmtime::Result<()> {
        self.dispatch.resource_drop(&mut brain.store)
    }
}
