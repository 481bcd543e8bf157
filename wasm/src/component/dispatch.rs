//! The interface `dispatch`. Each resource holds the core's value itself: it shares nothing.

use core::cell::RefCell;

use retrywise::{
    Dispatch as Calls, Millis,
    dispatch::{DispatchView, Next as Decided},
    queue::DEFAULT_STEP,
};

use crate::component::{
    Component, given,
    wit::exports::retrywise::policy::dispatch::{AddError, Guest, GuestDispatch, Next, Standing},
};

/// The calls of one dispatch, and how many it keeps.
pub(crate) struct Held {
    calls: RefCell<Calls>,
    capacity: u32,
}

impl Guest for Component {
    type Dispatch = Held;
}

impl GuestDispatch for Held {
    fn new(concurrency: u32, capacity: u32, step: Option<u64>) -> Self {
        let step = step.map_or(DEFAULT_STEP, Millis::new);
        let calls = Calls::new(concurrency as usize, capacity as usize, step);
        Self { calls: RefCell::new(calls), capacity }
    }

    fn add(&self, id: u64, priority: i32, due: Option<u64>, now: u64) -> Result<(), AddError> {
        let (due, now) = (due.map(given::instant), given::instant(now));
        let added = self.calls.borrow_mut().add(id, priority, due, now);
        added.map_err(|_| AddError::Full(self.capacity))
    }

    fn next(&self, now: u64) -> Next {
        match self.calls.borrow_mut().next(given::instant(now)) {
            Decided::Start(id) => Next::Start(id),
            Decided::Wait(wait) => Next::Wait(wait.get()),
            _ => Next::Idle,
        }
    }

    fn put_back(&self, id: u64, retry_in: u64, now: u64) -> bool {
        let (retry_in, now) = (Millis::new(retry_in), given::instant(now));
        self.calls.borrow_mut().put_back(id, retry_in, now)
    }

    fn done(&self, id: u64) -> bool {
        self.calls.borrow_mut().done(id)
    }

    fn remove(&self, id: u64) -> bool {
        self.calls.borrow_mut().remove(id)
    }

    fn view(&self) -> Standing {
        let DispatchView { not_due, waiting, running, .. } = self.calls.borrow().view();
        let count = |calls: usize| u32::try_from(calls).unwrap_or(u32::MAX);
        Standing { not_due: count(not_due), waiting: count(waiting), running: count(running) }
    }
}
