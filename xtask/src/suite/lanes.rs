//! Steps side by side: which may start beside which ([`next`]), and the lanes that take them ([`run`]).
//!
//! The order of the list is kept as far as the company that a step can stand allows: a lane that is
//! free takes the first step that may start. Nothing passes a step that runs alone or comes first: what
//! comes after it has not begun, and where it runs alone what comes before it has ended.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use anyhow::Result;

/// What a step can stand beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// Nothing, and why.
    Alone(String),
    /// Whatever else runs.
    Any,
    /// What began before it; nothing that comes after it, and why.
    First(String),
    /// Whatever else runs but another one that uses this.
    Sharing(String),
}

impl Company {
    /// That cannot begin while this runs. What runs comes first, or it would not have begun.
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Alone(_) | Self::First(_), _) | (_, Self::Alone(_)) => true,
            (_, Self::First(_)) => false,
            (Self::Sharing(one), Self::Sharing(another)) => one == another,
            (Self::Any, _) | (_, Self::Any) => false,
        }
    }
}

/// Does the work of every step, `lanes` of them at a time. The first error ends it: no step starts
/// after that, and what runs is waited for.
pub(super) fn run<T: Send>(
    lanes: usize,
    steps: Vec<(Company, T)>,
    work: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    let queue = Queue { state: Mutex::new(State::new(steps)), ended: Condvar::new() };
    thread::scope(|scope| {
        for _ in 0..lanes.max(1) {
            scope.spawn(|| queue.lane(&work));
        }
    });
    let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.error.map_or(Ok(()), Err)
}

/// What a free lane does.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Nothing is left to begin.
    Leave,
    /// Takes the waiting step at this place.
    Start(usize),
    /// Looks again when a step has ended.
    Wait,
}

/// The first step of `waiting` that may start beside those that run.
fn next(waiting: &[Company], running: &[Company]) -> Next {
    if waiting.is_empty() {
        return Next::Leave;
    }
    let passes = |company: &&Company| !matches!(company, Company::Alone(_) | Company::First(_));
    let before_it = waiting.iter().take_while(passes).count();
    // A step that nothing passes passes nothing itself: it is looked at when it is the next.
    let candidates = &waiting[..before_it.max(1)];
    let free = |company: &Company| !running.iter().any(|other| other.excludes(company));
    candidates.iter().position(free).map_or(Next::Wait, Next::Start)
}

struct Queue<T> {
    state: Mutex<State<T>>,
    ended: Condvar,
}

struct State<T> {
    /// Both in the order of the list.
    waiting: Vec<Company>,
    steps: Vec<T>,
    running: Vec<Company>,
    error: Option<anyhow::Error>,
}

impl<T> State<T> {
    fn new(steps: Vec<(Company, T)>) -> Self {
        let (waiting, steps) = steps.into_iter().unzip();
        Self { waiting, steps, running: Vec::new(), error: None }
    }
}

impl<T> Queue<T> {
    /// Takes steps until none is left.
    fn lane(&self, work: impl Fn(T) -> Result<()>) {
        while let Some((company, step)) = self.take() {
            let _running = Running { queue: self, company };
            if let Err(error) = work(step) {
                let mut state = self.lock();
                state.error.get_or_insert(error);
                state.waiting.clear();
                state.steps.clear();
            }
        }
    }

    fn take(&self) -> Option<(Company, T)> {
        let mut state = self.lock();
        loop {
            match next(&state.waiting, &state.running) {
                Next::Leave => return None,
                Next::Start(at) => {
                    let company = state.waiting.remove(at);
                    state.running.push(company.clone());
                    return Some((company, state.steps.remove(at)));
                }
                Next::Wait => {
                    state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A step under way; it has ended when this goes, by a panic too, so that no lane waits in vain.
struct Running<'a, T> {
    queue: &'a Queue<T>,
    company: Company,
}

impl<T> Drop for Running<'_, T> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        if let Some(at) = state.running.iter().position(|company| *company == self.company) {
            state.running.swap_remove(at);
        }
        self.queue.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::Barrier;

    use super::*;

    use Company::Any;

    const ALONE: Company = Company::Alone(String::new());
    const FIRST: Company = Company::First(String::new());

    fn cargo() -> Company {
        Company::Sharing("cargo".to_owned())
    }

    #[test]
    fn a_free_lane_takes_the_first_step_that_may_start() {
        assert_eq!(next(&[], &[]), Next::Leave);
        assert_eq!(next(&[], &[Any]), Next::Leave);
        assert_eq!(next(&[cargo(), Any], &[]), Next::Start(0));
        assert_eq!(next(&[Any, cargo()], &[Any]), Next::Start(0));
    }

    #[test]
    fn two_that_share_something_do_not_run_at_once_and_others_pass_them() {
        assert_eq!(next(&[cargo(), cargo(), Any], &[cargo()]), Next::Start(2));
        assert_eq!(next(&[cargo(), cargo()], &[cargo()]), Next::Wait);
        assert_eq!(next(&[cargo()], &[Any, Any]), Next::Start(0));
        let other = Company::Sharing("a folder".to_owned());
        assert_eq!(next(&[cargo(), other], &[cargo()]), Next::Start(1));
    }

    #[test]
    fn what_runs_alone_waits_for_all_and_is_passed_by_none() {
        assert_eq!(next(&[ALONE, Any], &[]), Next::Start(0));
        assert_eq!(next(&[ALONE, Any], &[Any]), Next::Wait);
        assert_eq!(next(&[Any], &[ALONE]), Next::Wait);
        assert_eq!(next(&[cargo(), ALONE, Any], &[cargo()]), Next::Wait);
        assert_eq!(next(&[ALONE, ALONE], &[ALONE]), Next::Wait);
    }

    #[test]
    fn what_comes_first_lets_go_on_what_has_begun_and_nothing_begin() {
        assert_eq!(next(&[FIRST, Any], &[cargo()]), Next::Start(0));
        assert_eq!(next(&[Any, cargo()], &[FIRST]), Next::Wait);
        assert_eq!(next(&[FIRST, Any], &[cargo(), FIRST]), Next::Wait);
        assert_eq!(next(&[cargo(), FIRST, Any], &[cargo()]), Next::Wait);
        assert_eq!(next(&[FIRST], &[ALONE]), Next::Wait);
        assert_eq!(next(&[ALONE], &[FIRST]), Next::Wait);
    }

    #[test]
    fn one_lane_keeps_the_order_of_the_list() {
        let steps = [cargo(), Any, ALONE, cargo(), Any];
        let seen = Mutex::new(Vec::new());
        let numbered = steps.into_iter().zip(0..).collect();
        run(1, numbered, |number: usize| {
            seen.lock().unwrap().push(number);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen.into_inner().unwrap(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn two_lanes_run_two_steps_at_the_same_time() {
        // Each waits for the other: one after the other they would never end.
        let both = Barrier::new(2);
        run(2, vec![(cargo(), ()), (Any, ())], |()| {
            both.wait();
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn whatever_the_lanes_no_step_has_company_that_it_cannot_stand() {
        let steps = [cargo(), cargo(), Any, ALONE, Any, cargo(), Any, cargo(), ALONE];
        let (all, with_cargo, done) =
            (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let doubled = steps.clone().map(|company| (company.clone(), company)).into();
        run(3, doubled, |company| {
            let beside = all.fetch_add(1, Ordering::SeqCst);
            assert!(company != ALONE || beside == 0);
            assert!(company != cargo() || with_cargo.fetch_add(1, Ordering::SeqCst) == 0);
            thread::yield_now();
            if company == cargo() {
                with_cargo.fetch_sub(1, Ordering::SeqCst);
            }
            all.fetch_sub(1, Ordering::SeqCst);
            done.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
        .unwrap();
        assert_eq!(done.into_inner(), steps.len());
    }

    #[test]
    fn an_error_lets_nothing_more_begin() {
        let begun = AtomicUsize::new(0);
        let failed = run(1, vec![(Any, true), (Any, false), (Any, true)], |fine| {
            begun.fetch_add(1, Ordering::SeqCst);
            anyhow::ensure!(fine, "the log cannot be written");
            Ok(())
        });
        assert_eq!(failed.unwrap_err().to_string(), "the log cannot be written");
        assert_eq!(begun.into_inner(), 2);
    }
}
