//! The order of calls, by numbers.

use super::*;

#[test]
fn calls_start_in_their_order_and_odd_numbers_do_no_harm() {
    let state = &mut Host::new().0;
    let retry_in = |state: &mut State| output(state, slot::RETRY_IN as u32);
    let dispatch = dispatch_new(state, 1, 3, NONE);
    assert_eq!(dispatch_add(state, dispatch, 1, 0.0, NONE, 100.0), 1);
    assert_eq!(dispatch_add(state, dispatch, 2, 7.0, NONE, 100.0), 1);
    assert_eq!(dispatch_add(state, dispatch, 3, 0.0, 900.0, 100.0), 1);
    assert_eq!(dispatch_add(state, dispatch, 4, 0.0, NONE, 100.0), 0, "full");
    assert_eq!(dispatch_next(state, dispatch, 100.0), 2);
    assert_eq!(dispatch_next(state, dispatch, 100.0), 0);
    assert_eq!(retry_in(state), -1.0, "one runs");
    assert_eq!([0, 1, 2].map(|which| dispatch_view(state, dispatch, which)), [1, 1, 1]);
    assert_eq!(dispatch_put_back(state, dispatch, 2, 250.0, 100.0), 1);
    assert_eq!(dispatch_next(state, dispatch, 100.0), 0);
    assert_eq!(retry_in(state), 250.0);
    assert_eq!(dispatch_next(state, dispatch, 350.0), 2);
    assert_eq!(dispatch_done(state, dispatch, 2), 1);
    assert_eq!(dispatch_remove(state, dispatch, 1), 1);
    assert_eq!(dispatch_next(state, dispatch, 350.0), 0);
    assert_eq!(retry_in(state), 550.0, "until the last is due");
    dispatch_free(state, dispatch);
    for stale in [dispatch, 0, u32::MAX] {
        assert_eq!(dispatch_add(state, stale, 1, f64::INFINITY, -1.0, NONE), 0);
        assert_eq!(dispatch_next(state, stale, NONE), 0);
        assert_eq!(dispatch_view(state, stale, 9), 0);
    }
}
