//! A decision as one 32-bit word, so that a settle answers with a number.
//!
//! | bits | what |
//! |---|---|
//! | 0–1 | verdict kind |
//! | 2–9 | reason |
//! | 10–14 | hint source, 0 without a hint |
//! | 15–17 | class |
//! | 18–19 | delivery |
//! | 20–22 | basis |
//! | 23–27 | signal |
//! | 28 | stale |
//! | 29 | veto |
//! | 30 | local |
//! | 31 | rate limit |
//!
//! Spans do not fit: they lie in the output's [slots](crate::scratch::slot).

use retrywise::{
    Basis, Class, Classification, Delivery, Hint, Reason, Signal, Verdict, VerdictKind,
};

const REASON: u32 = 2;
const SOURCE: u32 = 10;
const CLASS: u32 = 15;
const DELIVERY: u32 = 18;
const BASIS: u32 = 20;
const SIGNAL: u32 = 23;
const STALE: u32 = 28;
const VETO: u32 = 29;
const LOCAL: u32 = 30;
const RATE_LIMIT: u32 = 31;

/// A verdict.
pub(crate) fn verdict(verdict: &Verdict) -> u32 {
    u32::from(verdict.kind.code())
        | u32::from(verdict.reason.code()) << REASON
        | u32::from(verdict.stale) << STALE
        | classification(&verdict.classification, verdict.hint)
}

/// A classification and the hint beside it; the bits of a verdict are 0.
pub(crate) fn classification(found: &Classification, hint: Option<Hint>) -> u32 {
    u32::from(hint.map_or(0, |hint| hint.source.code())) << SOURCE
        | u32::from(found.class.code()) << CLASS
        | u32::from(found.delivery.code()) << DELIVERY
        | u32::from(found.basis.code()) << BASIS
        | u32::from(found.signal.code()) << SIGNAL
        | u32::from(found.veto) << VETO
        | u32::from(found.local) << LOCAL
        | u32::from(found.rate_limit) << RATE_LIMIT
}

/// The answer for a call that is gone: over, cancelled, nothing counted.
pub(crate) fn gone() -> u32 {
    u32::from(VerdictKind::Stop.code())
        | u32::from(Reason::Cancelled.code()) << REASON
        | u32::from(Class::Cancelled.code()) << CLASS
        | u32::from(Delivery::MaybeProcessed.code()) << DELIVERY
        | u32::from(Basis::None.code()) << BASIS
        | u32::from(Signal::Unknown.code()) << SIGNAL
        | 1 << STALE
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrywise::HintSource;

    /// A code that outgrows its bits would change its neighbour.
    #[test]
    fn every_code_fits_its_bits() {
        fn fit<T: Copy>(all: &[T], code: impl Fn(T) -> u8, bits: u32) {
            assert!(all.iter().all(|&one| u32::from(code(one)) < 1 << bits));
        }
        fit(VerdictKind::ALL, VerdictKind::code, REASON);
        fit(Reason::ALL, Reason::code, SOURCE - REASON);
        fit(HintSource::ALL, HintSource::code, CLASS - SOURCE);
        fit(Class::ALL, Class::code, DELIVERY - CLASS);
        fit(Delivery::ALL, Delivery::code, BASIS - DELIVERY);
        fit(Basis::ALL, Basis::code, SIGNAL - BASIS);
        fit(Signal::ALL, Signal::code, STALE - SIGNAL);
    }

    #[test]
    fn no_hint_is_source_0() {
        assert!(HintSource::ALL.iter().all(|source| source.code() != 0));
    }
}
