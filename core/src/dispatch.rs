//! Which of the calls that wait starts next, and when: in the order of [`Queue`](crate::Queue), so
//! many at once, and none while the upstream lets none through.
//!
//! | a call is | it leaves when |
//! |---|---|
//! | not due | its time comes: then it is waiting |
//! | waiting | its turn comes and a place is free: then it runs |
//! | running | it is done; or the upstream refused it, and it waits again, in the place it had |
//!
//! One clock, any clock: hosts whose calls outlive a process use the wall clock. One that steps
//! back makes nobody wait longer than the upstream asked for.

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

use crate::{
    queue::{Entry, Places, QueueFull},
    time::{Instant, Millis},
};

/// Starts calls, each known by a number of the host's.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// At most so many run.
    concurrency: usize,
    /// At most so many are not running.
    capacity: usize,
    places: Places,
    not_due: BinaryHeap<Reverse<(Instant, Entry)>>,
    waiting: BinaryHeap<Reverse<Entry>>,
    running: Vec<Entry>,
    held: Option<Held>,
}

/// The upstream lets nothing through.
#[derive(Clone, Copy, Debug)]
struct Held {
    since: Instant,
    wait: Millis,
}

/// What the host does next.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Next {
    /// Start this call, and ask again.
    Start(u64),
    /// Nothing starts before so long from now, unless a call comes or ends: ask again then.
    Wait(Millis),
    /// Nothing starts before a call comes or ends.
    Idle,
}

/// How many calls stand where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DispatchView {
    /// Their time has not come, as far as anybody looked.
    pub not_due: usize,
    /// They wait for their turn.
    pub waiting: usize,
    /// They were started and are not done.
    pub running: usize,
}

impl Dispatch {
    /// At most `concurrency` calls run (0 counts as 1) and at most `capacity` others are kept; a
    /// step of priority is worth `step` of due time.
    pub fn new(concurrency: usize, capacity: usize, step: Millis) -> Self {
        Self {
            concurrency: concurrency.max(1),
            capacity,
            places: Places::new(step),
            not_due: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
            running: Vec::new(),
            held: None,
        }
    }

    /// Adds the call `id`, which does not start before `due` (default: now). A higher `priority`
    /// goes first, then the one that was due first.
    ///
    /// # Errors
    /// [`QueueFull`]: nothing was added and nothing was dropped.
    pub fn add(
        &mut self,
        id: u64,
        priority: i32,
        due: Option<Instant>,
        now: Instant,
    ) -> Result<(), QueueFull> {
        if self.not_due.len().saturating_add(self.waiting.len()) >= self.capacity {
            return Err(QueueFull);
        }
        let due = due.unwrap_or(now);
        let entry = self.places.entry(id, priority, due);
        if due > now {
            self.not_due.push(Reverse((due, entry)));
        } else {
            self.waiting.push(Reverse(entry));
        }
        Ok(())
    }

    /// What happens next.
    pub fn next(&mut self, now: Instant) -> Next {
        while let Some(Reverse((due, entry))) = self.not_due.peek().copied()
            && due <= now
        {
            self.not_due.pop();
            self.waiting.push(Reverse(entry));
        }
        if self.running.len() >= self.concurrency {
            return Next::Idle;
        }
        let held = self.held.map(|held| held.left(now)).filter(|left| *left > Millis::ZERO);
        match (held, self.waiting.is_empty()) {
            (None, false) => {
                self.held = None;
                let Some(Reverse(entry)) = self.waiting.pop() else { return Next::Idle };
                self.running.push(entry);
                Next::Start(entry.id)
            }
            (Some(left), false) => Next::Wait(left),
            (held, true) => match self.not_due.peek() {
                Some(Reverse((due, _))) => {
                    Next::Wait(due.since(now).max(held.unwrap_or(Millis::ZERO)))
                }
                None => Next::Idle,
            },
        }
    }

    /// The upstream refused a running call: it waits again, in the place that it had, and nothing
    /// starts for `retry_in` (at least a millisecond). False when it does not run.
    pub fn put_back(&mut self, id: u64, retry_in: Millis, now: Instant) -> bool {
        let Some(entry) = self.take(id) else { return false };
        self.waiting.push(Reverse(entry));
        let left = self.held.map_or(Millis::ZERO, |held| held.left(now));
        self.held = Some(Held { since: now, wait: retry_in.max(left).max(Millis::new(1)) });
        true
    }

    /// A running call ended, however. False when it does not run.
    pub fn done(&mut self, id: u64) -> bool {
        self.take(id).is_some()
    }

    /// Takes out a call that does not run. False when it is not there.
    pub fn remove(&mut self, id: u64) -> bool {
        let before = self.waiting.len().saturating_add(self.not_due.len());
        self.waiting.retain(|Reverse(entry)| entry.id != id);
        self.not_due.retain(|Reverse((_, entry))| entry.id != id);
        self.waiting.len().saturating_add(self.not_due.len()) < before
    }

    /// How many calls stand where.
    pub fn view(&self) -> DispatchView {
        DispatchView {
            not_due: self.not_due.len(),
            waiting: self.waiting.len(),
            running: self.running.len(),
        }
    }

    fn take(&mut self, id: u64) -> Option<Entry> {
        let at = self.running.iter().position(|entry| entry.id == id)?;
        Some(self.running.swap_remove(at))
    }
}

impl Held {
    /// What is left of the wait; never more than all of it, whatever the clock does.
    fn left(self, now: Instant) -> Millis {
        Millis::new(self.wait.get().saturating_sub(now.since(self.since).get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{queue::DEFAULT_STEP, rng::Rng};
    use alloc::{vec, vec::Vec};

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn dispatch(concurrency: usize) -> Dispatch {
        Dispatch::new(concurrency, 100, DEFAULT_STEP)
    }

    /// Starts and ends calls one by one; their order.
    fn drain(dispatch: &mut Dispatch, now: Instant) -> Vec<u64> {
        core::iter::from_fn(|| match dispatch.next(now) {
            Next::Start(id) => {
                assert!(dispatch.done(id));
                Some(id)
            }
            Next::Wait(_) | Next::Idle => None,
        })
        .collect()
    }

    #[test]
    fn a_renewal_due_today_passes_a_new_quote() {
        let mut dispatch = dispatch(1);
        let (morning, noon) = (at(28_800_000), at(43_200_000));
        dispatch.add(1, 0, None, noon).unwrap();
        dispatch.add(2, 0, Some(morning), noon).unwrap();
        dispatch.add(3, 5, None, noon).unwrap();
        assert_eq!(drain(&mut dispatch, noon), [2, 3, 1], "four hours are worth 240 steps");
    }

    #[test]
    fn no_more_run_than_may_and_none_before_its_time() {
        let mut dispatch = dispatch(2);
        for id in 1..=3 {
            dispatch.add(id, 0, None, at(0)).unwrap();
        }
        dispatch.add(4, 9, Some(at(500)), at(0)).unwrap();
        assert_eq!(dispatch.next(at(0)), Next::Start(1));
        assert_eq!(dispatch.next(at(0)), Next::Start(2));
        assert_eq!(dispatch.next(at(0)), Next::Idle);
        assert!(dispatch.done(1) && !dispatch.done(1));
        assert_eq!(dispatch.next(at(0)), Next::Start(3));
        assert!(dispatch.done(2) && dispatch.done(3));
        assert_eq!(dispatch.next(at(100)), Next::Wait(Millis::new(400)));
        assert_eq!(dispatch.next(at(500)), Next::Start(4));
        assert_eq!(dispatch.view(), DispatchView { not_due: 0, waiting: 0, running: 1 });
    }

    #[test]
    fn a_refused_call_keeps_its_place_and_nothing_starts_meanwhile() {
        let mut dispatch = dispatch(1);
        for id in 1..=3 {
            dispatch.add(id, 0, None, at(0)).unwrap();
        }
        assert_eq!(dispatch.next(at(0)), Next::Start(1));
        assert!(dispatch.put_back(1, Millis::new(200), at(0)));
        assert_eq!(dispatch.next(at(50)), Next::Wait(Millis::new(150)));
        dispatch.add(4, 1, None, at(60)).unwrap();
        assert_eq!(dispatch.next(at(60)), Next::Wait(Millis::new(140)), "whoever comes");
        assert_eq!(drain(&mut dispatch, at(200)), [4, 1, 2, 3]);
        assert!(!dispatch.put_back(1, Millis::ZERO, at(200)), "it does not run");
    }

    #[test]
    fn a_shorter_refusal_does_not_shorten_a_longer_one() {
        let mut dispatch = dispatch(2);
        dispatch.add(1, 0, None, at(0)).unwrap();
        dispatch.add(2, 0, None, at(0)).unwrap();
        let _ = (dispatch.next(at(0)), dispatch.next(at(0)));
        dispatch.put_back(1, Millis::new(500), at(0));
        dispatch.put_back(2, Millis::ZERO, at(100));
        assert_eq!(dispatch.next(at(100)), Next::Wait(Millis::new(400)));
    }

    #[test]
    fn a_clock_that_steps_back_makes_nobody_wait_longer() {
        let mut dispatch = dispatch(1);
        dispatch.add(1, 0, None, at(10_000)).unwrap();
        let _ = dispatch.next(at(10_000));
        dispatch.put_back(1, Millis::new(200), at(10_000));
        assert_eq!(dispatch.next(at(0)), Next::Wait(Millis::new(200)));
    }

    #[test]
    fn nothing_starves_under_a_stream_of_higher_priorities() {
        let mut dispatch = dispatch(1);
        dispatch.add(0, 0, None, at(0)).unwrap();
        let started = (1..2_000).find(|second| {
            dispatch.add(*second, 10, None, at(second * 1_000)).unwrap();
            let Next::Start(id) = dispatch.next(at(second * 1_000)) else { panic!("idle") };
            dispatch.done(id);
            // Two come for each that goes, as far as there is room.
            id == 0
                || (dispatch.view().waiting < 50 && {
                    dispatch.add(second + 100_000, 10, None, at(second * 1_000)).unwrap();
                    false
                })
        });
        let second = started.expect("starved");
        assert!((500..=700).contains(&second), "ten steps of a minute: {second}");
    }

    #[test]
    fn a_call_that_is_due_now_waits_for_a_place_and_not_for_its_time() {
        let mut dispatch = Dispatch::new(1, 9, DEFAULT_STEP);
        for (id, due) in [(1, None), (2, Some(at(5))), (3, Some(at(6)))] {
            dispatch.add(id, 0, due, at(5)).unwrap();
        }
        let view = dispatch.view();
        assert_eq!((view.waiting, view.not_due, view.running), (2, 1, 0));
    }

    #[test]
    fn what_is_full_refuses_and_what_is_taken_out_does_not_start() {
        let mut dispatch = Dispatch::new(1, 2, DEFAULT_STEP);
        dispatch.add(1, 0, None, at(0)).unwrap();
        dispatch.add(2, 0, Some(at(9)), at(0)).unwrap();
        assert_eq!(dispatch.add(3, 9, None, at(0)), Err(QueueFull));
        assert!(dispatch.remove(2) && !dispatch.remove(2));
        assert_eq!(drain(&mut dispatch, at(10)), [1]);
        assert!(!dispatch.remove(1));
    }

    #[test]
    fn every_call_starts_once_whatever_happens() {
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            let mut dispatch = Dispatch::new(3, usize::MAX, Millis::new(100));
            let (mut now, mut running, mut ended) = (0, vec![], vec![]);
            for id in 0..200 {
                let due = at(rng.draw().between(0, 5_000));
                let priority = rng.draw().between(0, 6) as i32 - 3;
                dispatch.add(id, priority, Some(due), at(now)).unwrap();
                now += rng.draw().between(0, 20);
            }
            for _ in 0..5_000 {
                match dispatch.next(at(now)) {
                    Next::Start(id) => running.push(id),
                    Next::Wait(wait) => {
                        assert!(wait > Millis::ZERO, "seed {seed}: that would be for ever");
                        now += wait.get();
                    }
                    Next::Idle if running.is_empty() => break,
                    Next::Idle => {
                        let one =
                            running.swap_remove(rng.draw().between(0, 2) as usize % running.len());
                        if rng.draw().between(0, 3) == 0 {
                            assert!(dispatch.put_back(one, Millis::new(30), at(now)));
                        } else {
                            assert!(dispatch.done(one));
                            ended.push(one);
                        }
                    }
                }
                assert!(running.len() <= 3, "seed {seed}");
            }
            ended.sort_unstable();
            assert_eq!(ended, (0..200).collect::<Vec<u64>>(), "seed {seed}");
        }
    }
}
