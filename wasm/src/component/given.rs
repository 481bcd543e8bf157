//! What a host gives, as types of the core.

use alloc::vec::Vec;

use retrywise::{
    Body, Family, Header, Instant, Millis, Outcome, Response, TransportError, UnixMillis,
    explain::Lang,
};

use crate::{
    component::wit::exports::retrywise::policy::types as wit,
    wire::{MAX_DEPTH, MAX_HEADERS, linked},
};

pub(super) fn instant(ms: u64) -> Instant {
    Instant::from_millis(Millis::new(ms).get())
}

/// A time of a record; beyond ±(2^53 − 1) the nearest there is.
pub(super) fn time(ms: i64) -> UnixMillis {
    let most = Millis::MAX.get() as i64;
    UnixMillis::new(ms.clamp(-most, most))
}

/// None as well for what is beyond ±(2^53 − 1): it is no time.
pub(super) fn wall(ms: Option<i64>) -> Option<UnixMillis> {
    ms.filter(|ms| ms.unsigned_abs() <= Millis::MAX.get()).map(UnixMillis::new)
}

pub(super) fn lang(language: wit::Language) -> Lang {
    match language {
        wit::Language::English => Lang::English,
        wit::Language::Arabic => Lang::Arabic,
    }
}

pub(super) fn headers(lines: &[wit::Header]) -> Vec<Header<'_>> {
    lines.iter().take(MAX_HEADERS).map(|line| Header::new(&line.name, &line.value)).collect()
}

/// Runs `read` on an outcome.
pub(super) fn outcome<R>(given: &wit::Outcome, read: impl FnOnce(&Outcome<'_>) -> R) -> R {
    let lines = given.response.as_ref().map(|response| headers(&response.headers));
    let mut errors = [TransportError::default(); MAX_DEPTH];
    let count = given.errors.len().min(MAX_DEPTH);
    for (slot, error) in errors.iter_mut().zip(&given.errors) {
        *slot = transport_error(error);
    }
    linked(errors.get(..count).unwrap_or_default(), |error| {
        let mut outcome = Outcome::default();
        if let Some(given) = &given.response {
            outcome.response = Some(response(given, lines.as_deref().unwrap_or_default()));
        }
        outcome.error = error.copied();
        outcome.committed = given.committed;
        outcome.duration_ms = given.duration;
        read(&outcome)
    })
}

pub(super) fn response<'a>(given: &'a wit::Response, lines: &'a [Header<'a>]) -> Response<'a> {
    let mut response = Response::new(given.status, lines);
    let mut body = Body::default();
    body.code = given.body.code.as_deref();
    body.policy = given.body.policy.as_deref();
    body.problem_type = given.body.problem_type.as_deref();
    body.retry_delay = given.body.retry_delay.as_deref();
    body.retry_after_s = given.body.retry_after_s.as_deref();
    response.body = body;
    response
}

fn transport_error(given: &wit::TransportError) -> TransportError<'_> {
    let mut error = TransportError::default();
    error.family = Family::from_code(given.family as u8).unwrap_or_default();
    error.code = given.code.as_deref();
    error.name = given.name.as_deref();
    error.message = given.message.as_deref();
    error.syscall = given.syscall.as_deref();
    error.phase = given.phase.as_deref();
    error.op = given.op.as_deref();
    error.kind = given.kind.as_deref();
    error.rcode = given.rcode.as_deref();
    error.frame = given.frame.as_deref();
    error.progress = given.progress.as_deref();
    error.stream_id = given.stream_id;
    error.last_stream_id = given.last_stream_id;
    error.temporary = given.temporary;
    error.not_found = given.not_found;
    error.reused = given.reused;
    error
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;

    use super::*;

    /// Enums cross by their place: a family that moved would be read as its neighbour.
    #[test]
    fn every_family_of_the_core_has_its_place_in_the_contract() {
        let last = wit::Family::Grpc as usize;
        assert_eq!(last + 1, Family::ALL.len());
        for (family, name) in [
            (wit::Family::Node, "node"),
            (wit::Family::WasiHttp, "wasi-http"),
            (wit::Family::PythonHttpx, "python-httpx"),
            (wit::Family::Go, "go"),
            (wit::Family::Grpc, "grpc"),
        ] {
            assert_eq!(Family::from_code(family as u8).unwrap().name(), name);
        }
    }

    #[test]
    fn a_clock_beyond_the_largest_exact_number_is_clamped_or_none() {
        assert_eq!(instant(u64::MAX).as_millis(), Millis::MAX.get());
        assert_eq!(wall(Some(i64::MIN)), None);
        assert_eq!(wall(Some(-1)).unwrap().get(), -1);
    }

    #[test]
    fn errors_are_linked_outermost_first_to_a_bounded_depth() {
        let error = |code: &str| wit::TransportError {
            family: wit::Family::Node,
            code: Some(code.to_owned()),
            name: None,
            message: None,
            syscall: None,
            phase: None,
            op: None,
            kind: None,
            rcode: None,
            frame: None,
            progress: None,
            stream_id: None,
            last_stream_id: None,
            temporary: false,
            not_found: false,
            reused: false,
        };
        let mut errors: Vec<_> = (0..20).map(|_| error("inner")).collect();
        errors.insert(0, error("outer"));
        let given = wit::Outcome { response: None, errors, committed: true, duration: Some(7) };
        outcome(&given, |outcome| {
            let first = outcome.error.unwrap();
            assert_eq!(first.code, Some("outer"));
            assert_eq!(first.chain().count(), MAX_DEPTH);
            assert!(outcome.committed && outcome.duration_ms == Some(7));
        });
    }
}
