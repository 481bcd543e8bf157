//! Records that did not exist before.

use alloc::boxed::Box;

use super::{Ledger, MAX_ID_BYTES, MAX_TEXT_BYTES, NewCall, Problem, Record, State};
use crate::time::UnixMillis;

impl Ledger {
    /// A record of this call that waits from `now` on.
    pub(super) fn create(&self, call: &NewCall<'_>, now: UnixMillis) -> Result<Record, Problem> {
        check_id(call.id)?;
        if call.fingerprint.len() > MAX_TEXT_BYTES {
            return Err(Problem::Text);
        }
        let key = call.key.map(|key| self.keys.own(key)).transpose().map_err(|_| Problem::Key)?;
        Ok(Record {
            revision: 1,
            id: call.id.into(),
            key,
            fingerprint: call.fingerprint.into(),
            state: State::Waiting { due: now },
            attempt: 0,
            status: None,
            maybe_processed: false,
            queued: false,
            created: now,
            updated: now,
            first_sent: None,
            replaces: None,
            replaced_by: None,
            resolution: None,
        })
    }

    /// The record that takes the place of `old` under a new id and, where it has a key, a new key.
    pub(super) fn successor(
        &self,
        old: &Record,
        id: Option<&str>,
        key: Option<&str>,
        now: UnixMillis,
    ) -> Result<Record, Problem> {
        let id = id.filter(|&id| id != &*old.id).ok_or(Problem::Id)?;
        let old_key = old.key.as_ref().map(crate::Key::as_str);
        if old_key.is_some() && (key.is_none() || key == old_key) {
            return Err(Problem::Key);
        }
        let call = NewCall { id, key, fingerprint: &old.fingerprint };
        let made = self.create(&call, now)?;
        Ok(Record { queued: true, replaces: Some(Box::clone(&old.id)), ..made })
    }
}

fn check_id(id: &str) -> Result<(), Problem> {
    let fits = !id.is_empty() && id.len() <= MAX_ID_BYTES;
    if fits { Ok(()) } else { Err(Problem::Id) }
}
