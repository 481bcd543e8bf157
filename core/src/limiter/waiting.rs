//! The calls that were told to wait: who is ahead of whom, and who has gone.

use alloc::vec::Vec;

use crate::{
    queue::{Place, place},
    time::{Instant, Millis},
};

/// How long after the time it was told a call keeps its place without asking again.
const GRACE: Millis = Millis::new(1_000);

/// By what a call is known when it asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ticket {
    /// By nothing: it takes the oldest place of its priority among those of its kind whose time
    /// has come.
    Nobody,
    /// By a number of the host's.
    Host(u64),
    /// By a number that the upstream gave a call between its attempts.
    Call(u64),
}

/// Calls that wait, in no order.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    waiters: Vec<Waiter>,
    arrivals: u64,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    ticket: Ticket,
    priority: i32,
    place: Place,
    since: Instant,
    ask_at: Instant,
}

/// A call that asks, seen from the room.
pub(super) struct Asking {
    place: Place,
    priority: i32,
    /// When it asked for the first time.
    pub(super) since: Instant,
    /// Calls that go before it.
    pub(super) ahead: u64,
    /// Those among them whose time has come.
    pub(super) ahead_due: u64,
}

impl Waiting {
    pub(super) const fn new() -> Self {
        Self { waiters: Vec::new(), arrivals: 0 }
    }

    /// Finds the place of a call, or makes the one of `due`; forgets the calls that did not come.
    pub(super) fn find(
        &mut self,
        ticket: Ticket,
        priority: i32,
        due: Instant,
        step: Millis,
        now: Instant,
    ) -> Asking {
        self.retain(&mut |waiter| now <= waiter.ask_at.after(GRACE));
        let is_it = |waiter: &&Waiter| match ticket {
            Ticket::Nobody => {
                waiter.ticket == ticket && waiter.priority == priority && waiter.ask_at <= now
            }
            _ => waiter.ticket == ticket,
        };
        let mine = self.waiters.iter().filter(is_it).min_by_key(|waiter| waiter.place);
        let (place, priority, since) = match mine {
            Some(waiter) => (waiter.place, waiter.priority, waiter.since),
            None => (place(priority, due, step, self.arrivals), priority, now),
        };
        let (mut ahead, mut ahead_due) = (0, 0);
        for waiter in self.waiters.iter().filter(|waiter| waiter.place < place) {
            ahead += 1;
            ahead_due += u64::from(waiter.ask_at <= now);
        }
        Asking { place, priority, since, ahead, ahead_due }
    }

    /// The call waits until `ask_at`. Without a place before and with `bound` calls waiting it gets
    /// none: then it has to try its luck.
    pub(super) fn keep(&mut self, ticket: Ticket, asking: &Asking, ask_at: Instant, bound: usize) {
        let place = asking.place;
        if let Some(waiter) = self.waiters.iter_mut().find(|waiter| waiter.place == place) {
            waiter.ask_at = ask_at;
        } else if self.waiters.len() < bound {
            let &Asking { priority, since, .. } = asking;
            self.waiters.push(Waiter { ticket, priority, place, since, ask_at });
            self.arrivals = self.arrivals.wrapping_add(1);
        }
    }

    /// The call waits no longer.
    pub(super) fn remove(&mut self, asking: &Asking) {
        self.retain(&mut |waiter| waiter.place != asking.place);
    }

    /// The call of this ticket waits no longer.
    pub(super) fn forget(&mut self, ticket: Ticket) {
        self.retain(&mut |waiter| waiter.ticket != ticket);
    }

    /// Lets those go that are not to be kept. The loop is there once for all who ask.
    fn retain(&mut self, keep: &mut dyn FnMut(&Waiter) -> bool) {
        self.waiters.retain(keep);
    }

    /// When the call of this ticket came.
    pub(super) fn since(&self, ticket: Ticket) -> Option<Instant> {
        let named = |waiter: &&Waiter| waiter.ticket == ticket && ticket != Ticket::Nobody;
        self.waiters.iter().find(named).map(|waiter| waiter.since)
    }

    /// How many wait at `now`.
    pub(super) fn len(&self, now: Instant) -> usize {
        self.waiters.iter().filter(|waiter| now <= waiter.ask_at.after(GRACE)).count()
    }
}
