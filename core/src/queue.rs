//! Who goes next among calls that wait: by priority and due time, late at most, never starved.
//!
//! Each call is placed at its virtual deadline, `due − priority · step`: within one priority the
//! earlier due goes first, one step of priority is worth `step` of due time, and since the due
//! times of new calls keep growing, every call is overtaken by finitely many. The place never
//! changes while a call waits, so a heap keeps the order.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use crate::time::{Instant, Millis};

/// What one step of priority is worth by default: a minute of due time.
pub const DEFAULT_STEP: Millis = Millis::new(60_000);

/// A bounded queue of calls, each with an id of the host's.
#[derive(Clone, Debug)]
pub struct Queue {
    heap: BinaryHeap<Reverse<Entry>>,
    places: Places,
    capacity: usize,
}

/// A call in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    place: Place,
    pub(crate) id: u64,
}

/// Gives each call that comes its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    step: Millis,
    arrivals: u64,
}

impl Places {
    /// A step of priority is worth `step` of due time.
    pub(crate) const fn new(step: Millis) -> Self {
        Self { step, arrivals: 0 }
    }

    /// The call `id`, which is due at `due`, behind those that came before.
    pub(crate) fn entry(&mut self, id: u64, priority: i32, due: Instant) -> Entry {
        let place = place(priority, due, self.step, self.arrivals);
        self.arrivals = self.arrivals.wrapping_add(1);
        Entry { place, id }
    }
}

/// Where a waiting call stands: the smaller place goes first. Ordered by virtual deadline, then by
/// arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    deadline: i128,
    arrival: u64,
}

/// The place of a call that is due at `due` and came as number `arrival`.
pub(crate) fn place(priority: i32, due: Instant, step: Millis, arrival: u64) -> Place {
    let head_start = i128::from(priority) * i128::from(step.get());
    Place { deadline: i128::from(due.as_millis()) - head_start, arrival }
}

/// The queue holds as many calls as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // it says all there is
pub struct QueueFull;

impl Queue {
    /// An empty queue of at most `capacity` calls, in which a step of priority is worth `step` of
    /// due time.
    pub const fn new(capacity: usize, step: Millis) -> Self {
        Self { heap: BinaryHeap::new(), places: Places::new(step), capacity }
    }

    /// Adds the call `id`. A higher `priority` goes first; `due` is when it should be done, by
    /// default now.
    ///
    /// # Errors
    /// [`QueueFull`]: nothing was added and nothing was dropped.
    pub fn push(
        &mut self,
        id: u64,
        priority: i32,
        due: Option<Instant>,
        now: Instant,
    ) -> Result<(), QueueFull> {
        if self.heap.len() >= self.capacity {
            return Err(QueueFull);
        }
        self.heap.push(Reverse(self.places.entry(id, priority, due.unwrap_or(now))));
        Ok(())
    }

    /// Takes the call that goes next.
    pub fn pop(&mut self) -> Option<u64> {
        self.heap.pop().map(|Reverse(entry)| entry.id)
    }

    /// The call that goes next.
    pub fn peek(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.id)
    }

    /// Takes the call `id` out; false when it is not there.
    pub fn remove(&mut self, id: u64) -> bool {
        let before = self.heap.len();
        self.heap.retain(|Reverse(entry)| entry.id != id);
        self.heap.len() < before
    }

    /// How many calls wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use alloc::vec::Vec;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn queue() -> Queue {
        Queue::new(1_000, DEFAULT_STEP)
    }

    fn drain(queue: &mut Queue) -> Vec<u64> {
        core::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn a_higher_priority_goes_first_then_the_earlier_due_then_the_earlier_come() {
        let mut queue = queue();
        for (id, priority, due) in
            [(1, 0, None), (2, 5, Some(900)), (3, 5, Some(100)), (4, 0, None), (5, -1, Some(0))]
        {
            queue.push(id, priority, due.map(at), at(50)).unwrap();
        }
        assert_eq!(drain(&mut queue), [3, 2, 1, 4, 5]);
    }

    #[test]
    fn looking_takes_nothing_out() {
        let mut queue = queue();
        assert_eq!((queue.peek(), queue.len(), queue.is_empty()), (None, 0, true));
        for (id, priority) in [(7, 0), (8, 1), (9, 0)] {
            queue.push(id, priority, None, at(0)).unwrap();
        }
        assert_eq!((queue.peek(), queue.len(), queue.is_empty()), (Some(8), 3, false));
        assert_eq!(drain(&mut queue), [8, 7, 9]);
    }

    #[test]
    fn a_low_priority_is_late_but_never_starved() {
        let mut queue = queue();
        queue.push(0, 0, None, at(0)).unwrap();
        let mut popped_at = None;
        // A high priority comes and one call goes every second.
        for second in 1..10_000 {
            queue.push(second, 10, None, at(second * 1_000)).unwrap();
            queue.push(second + 100_000, 10, None, at(second * 1_000)).unwrap();
            if queue.pop() == Some(0) {
                popped_at = Some(second);
                break;
            }
            let _ = queue.remove(second + 100_000);
        }
        let second = popped_at.expect("starved");
        assert!((500..=700).contains(&second), "ten steps of a minute: {second}");
    }

    #[test]
    fn a_full_queue_refuses_and_keeps_what_it_has() {
        let mut queue = Queue::new(2, DEFAULT_STEP);
        queue.push(1, 0, None, at(0)).unwrap();
        queue.push(2, 0, None, at(0)).unwrap();
        assert_eq!(queue.push(3, 9, None, at(0)), Err(QueueFull));
        assert!(queue.remove(1) && !queue.remove(1));
        assert_eq!(drain(&mut queue), [2]);
    }

    #[test]
    fn it_agrees_with_a_sorted_list() {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            let (mut queue, mut model) = (queue(), Vec::new());
            for id in 0..300 {
                if rng.draw().between(0, 2) == 0 && !model.is_empty() {
                    let first = (0..model.len()).min_by_key(|i| model[*i]).unwrap();
                    let expected: (i128, u64) = model.remove(first);
                    assert_eq!(queue.pop(), Some(expected.1), "seed {seed}");
                } else {
                    let priority = rng.draw().between(0, 4) as i32 - 2;
                    let due = at(rng.draw().between(0, 200_000));
                    queue.push(id, priority, Some(due), Instant::MAX).unwrap();
                    let key = i128::from(due.as_millis()) - i128::from(priority) * 60_000;
                    model.push((key, id));
                }
            }
        }
    }

    #[test]
    fn the_ends_of_every_range_are_harmless() {
        let mut queue = Queue::new(usize::MAX, Millis::MAX);
        queue.push(1, i32::MIN, Some(Instant::MAX), Instant::MAX).unwrap();
        queue.push(2, i32::MAX, Some(Instant::ORIGIN), Instant::MAX).unwrap();
        assert_eq!(drain(&mut queue), [2, 1]);
    }
}
