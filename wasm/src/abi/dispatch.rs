//! Which call starts next. Calls are numbers of the host's, from 1; times are any one clock's.

use retrywise::{
    Dispatch, Millis,
    dispatch::{DispatchView, Next},
};

use crate::{abi::State, convert, scratch::slot};

/// Makes a dispatch of so many calls at once, so many kept, `step` ms of due time for a step of
/// priority (NaN: a minute). 0 when a million are kept.
pub fn dispatch_new(state: &mut State, concurrency: u32, capacity: u32, step: f64) -> u32 {
    let step = convert::span(step).map_or(retrywise::queue::DEFAULT_STEP, Millis::new);
    let dispatch = Dispatch::new(concurrency as usize, capacity as usize, step);
    state.dispatches.insert(dispatch).unwrap_or_default()
}

/// Lets a dispatch go.
pub fn dispatch_free(state: &mut State, dispatch: u32) {
    state.dispatches.remove(dispatch);
}

/// Adds a call, not before `due` (NaN: now). 0 when there is no room, or no such dispatch.
pub fn dispatch_add(
    state: &mut State,
    dispatch: u32,
    id: u32,
    priority: f64,
    due: f64,
    now: f64,
) -> u32 {
    let due = (!due.is_nan()).then(|| convert::instant(due));
    let (priority, now) = (priority as i32, convert::instant(now));
    let add = |d: &mut Dispatch| d.add(id.into(), priority, due, now).is_ok();
    change(state, dispatch, add)
}

/// The call to start; or 0, with `RETRY_IN`: ask again then, and −1: when a call came or ended.
pub fn dispatch_next(state: &mut State, dispatch: u32, now: f64) -> u32 {
    let next = state.dispatches.get_mut(dispatch).map(|d| d.next(convert::instant(now)));
    let wait = match next {
        Some(Next::Start(id)) => return id as u32,
        Some(Next::Wait(wait)) => Some(wait),
        _ => None,
    };
    state.scratch.set(slot::RETRY_IN, convert::from_span(wait));
    0
}

/// The upstream refused a call that was started: it waits again. 0 when it was not started.
pub fn dispatch_put_back(
    state: &mut State,
    dispatch: u32,
    id: u32,
    retry_in: f64,
    now: f64,
) -> u32 {
    let retry_in = Millis::new(convert::span(retry_in).unwrap_or_default());
    let now = convert::instant(now);
    change(state, dispatch, |d| d.put_back(id.into(), retry_in, now))
}

/// A call that was started ended. 0 when it was not started.
pub fn dispatch_done(state: &mut State, dispatch: u32, id: u32) -> u32 {
    change(state, dispatch, |d| d.done(id.into()))
}

/// Takes a call out that was not started. 0 when it is not there.
pub fn dispatch_remove(state: &mut State, dispatch: u32, id: u32) -> u32 {
    change(state, dispatch, |d| d.remove(id.into()))
}

/// How many calls are not due (0), wait (1), run (2).
pub fn dispatch_view(state: &mut State, dispatch: u32, which: u32) -> u32 {
    let view = state.dispatches.get(dispatch).map(Dispatch::view);
    let count = |view: DispatchView| match which {
        0 => view.not_due,
        1 => view.waiting,
        2 => view.running,
        _ => 0,
    };
    view.map_or(0, count) as u32
}

fn change(state: &mut State, dispatch: u32, change: impl FnOnce(&mut Dispatch) -> bool) -> u32 {
    state.dispatches.get_mut(dispatch).is_some_and(change).into()
}
