//! One change.

use alloc::boxed::Box;

use super::{Severity, TrailState};
use crate::{
    ledger::Cause,
    time::{Millis, UnixMillis},
    verdict::Reason,
};

/// One change of a call: plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// When, by the wall clock.
    pub at: UnixMillis,
    /// To what.
    pub state: TrailState,
    /// The attempt it is about, from 1; 0 when none was sent yet.
    pub attempt: u32,
    /// The status of its answer, if one came.
    pub status: Option<u16>,
    /// The wait before the next attempt.
    pub delay: Option<Millis>,
    /// The verdict's reason.
    pub reason: Option<Reason>,
    /// [`TrailState::Failed`]: why a person has to decide.
    pub cause: Option<Cause>,
    /// Rate limits keep coming: the rate is wrong, not the retry.
    pub sustained_throttling: bool,
    /// The worker of the attempt before vanished.
    pub taken_over: bool,
    /// The record that takes the place of this one, or whose place this one takes.
    pub other: Option<Box<str>>,
    /// The person who decided.
    pub by: Option<Box<str>>,
    /// Why they did.
    pub why: Option<Box<str>>,
}

impl Entry {
    /// A change of which nothing else is known.
    pub const fn new(at: UnixMillis, state: TrailState, attempt: u32) -> Self {
        Self {
            at,
            state,
            attempt,
            status: None,
            delay: None,
            reason: None,
            cause: None,
            sustained_throttling: false,
            taken_over: false,
            other: None,
            by: None,
            why: None,
        }
    }

    /// Who has to look: an error for the failure that nobody repairs by waiting, a warning where
    /// rate limits keep coming, else nobody.
    pub const fn severity(&self) -> Severity {
        match self.state {
            TrailState::Failed => Severity::Error,
            _ if self.sustained_throttling => Severity::Warning,
            _ => Severity::Info,
        }
    }
}
