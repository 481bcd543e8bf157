//! What happens next: events by time, and at one time in the order in which they were planned.

use alloc::collections::BinaryHeap;
use core::cmp::{Ordering, Reverse};

/// Events still to come.
pub(super) struct Agenda<E> {
    heap: BinaryHeap<Reverse<Entry<E>>>,
    planned: u64,
}

impl<E> Agenda<E> {
    pub(super) fn new() -> Self {
        Self { heap: BinaryHeap::new(), planned: 0 }
    }

    /// Plans an event.
    pub(super) fn plan(&mut self, at: u64, event: E) {
        self.planned = self.planned.wrapping_add(1);
        self.heap.push(Reverse(Entry { at, order: self.planned, event }));
    }

    /// When the next event is.
    pub(super) fn next_at(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.at)
    }

    /// The next event and its time.
    pub(super) fn next(&mut self) -> Option<(u64, E)> {
        self.heap.pop().map(|Reverse(entry)| (entry.at, entry.event))
    }
}

struct Entry<E> {
    at: u64,
    order: u64,
    event: E,
}

impl<E> Entry<E> {
    const fn key(&self) -> (u64, u64) {
        (self.at, self.order)
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
