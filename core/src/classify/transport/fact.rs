//! What a transport fault can mean: every combination of class, delivery and proof that the tables
//! use, each with a name.

use crate::classify::{Basis, Class, Classification, Delivery, Signal};

/// One meaning. The tables hold these single bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::classify) enum Fact {
    /// "It failed", no more: a wrapper whose cause, name or message may know better.
    Vague,
    /// TLS failed, at a time that the wrapper does not tell.
    Tls,
    /// The answer came and could not be decoded, unless a fault underneath cut it short.
    Undecodable,
    /// It broke off once bytes may have been sent.
    Cut,
    /// It took too long once bytes may have been sent.
    TimedOut,
    /// The server asks for less, without saying whether it acted.
    Calm,
    /// The server asks for less and did not act on this request.
    CalmRefused,
    /// The server asks for less, as servers do before they act: custom, not proof.
    Limited,
    /// Never left: refused, no route, name lookup, connect or handshake timeout.
    NeverLeft,
    /// The protocol says that the application never saw it.
    Refused,
    /// The destination accepts no more connections.
    Full,
    /// Never left for want of something on this machine: files, ports, buffers, pool places.
    Starved,
    /// Never left and will not leave: a certificate, a TLS version, a name that does not exist.
    Barred,
    /// Never left because the request, its options or this machine forbid it.
    BadRequest,
    /// Broke for good once bytes may have been sent, by the other side's doing.
    Broken,
    /// Broke for good once bytes may have been sent, by the caller's doing.
    Misused,
    /// An answer came and broke a limit set on this side: redirects, header or body size.
    OverLimit,
    /// An answer came and said no.
    Rejected,
    /// The caller asked to stop.
    Cancelled,
}

impl Fact {
    /// Every meaning, in the order of definition.
    const ALL: [Self; 19] = [
        Self::Vague,
        Self::Tls,
        Self::Undecodable,
        Self::Cut,
        Self::TimedOut,
        Self::Calm,
        Self::CalmRefused,
        Self::Limited,
        Self::NeverLeft,
        Self::Refused,
        Self::Full,
        Self::Starved,
        Self::Barred,
        Self::BadRequest,
        Self::Broken,
        Self::Misused,
        Self::OverLimit,
        Self::Rejected,
        Self::Cancelled,
    ];

    /// The meaning whose byte this is.
    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The answer that this meaning stands for.
    pub(in crate::classify) const fn classification(self) -> Classification {
        let (class, delivery, basis) = match self {
            Self::Vague | Self::Cut | Self::TimedOut => {
                (Class::Transient, Delivery::MaybeProcessed, Basis::None)
            }
            Self::Calm => (Class::Throttled, Delivery::MaybeProcessed, Basis::None),
            Self::CalmRefused => (Class::Throttled, Delivery::NotProcessed, Basis::Protocol),
            Self::Limited => (Class::Throttled, Delivery::NotProcessed, Basis::Status),
            Self::NeverLeft | Self::Starved => {
                (Class::Transient, Delivery::NotProcessed, Basis::Transport)
            }
            Self::Refused => (Class::Transient, Delivery::NotProcessed, Basis::Protocol),
            Self::Full => (Class::Throttled, Delivery::NotProcessed, Basis::Transport),
            Self::Tls | Self::Barred | Self::BadRequest => {
                (Class::Permanent, Delivery::NotProcessed, Basis::Transport)
            }
            Self::Broken | Self::Misused => {
                (Class::Permanent, Delivery::MaybeProcessed, Basis::None)
            }
            Self::Undecodable | Self::OverLimit | Self::Rejected => {
                (Class::Permanent, Delivery::Processed, Basis::None)
            }
            Self::Cancelled => (Class::Cancelled, Delivery::MaybeProcessed, Basis::None),
        };
        let mut found = Classification::new(class, delivery, basis, Signal::Transport);
        found.local =
            matches!(self, Self::Starved | Self::BadRequest | Self::Misused | Self::OverLimit);
        found.rate_limit = matches!(self, Self::Calm | Self::CalmRefused | Self::Limited);
        found
    }

    /// How much it says. Of two facts about one attempt the one that says more stands: a wrapper
    /// gives way to a reset, a reset to a refused connection, a refused connection to the
    /// certificate or the full file table that explains it.
    const fn certainty(self) -> u8 {
        match self {
            Self::Vague => 0,
            Self::Tls | Self::Undecodable => 1,
            Self::Cut | Self::TimedOut => 2,
            Self::Calm
            | Self::Limited
            | Self::NeverLeft
            | Self::Refused
            | Self::CalmRefused
            | Self::Full
            | Self::Broken
            | Self::Rejected
            | Self::Cancelled => 3,
            Self::Starved | Self::Barred | Self::BadRequest | Self::Misused | Self::OverLimit => 4,
        }
    }

    /// This fact, or `inner` where it says more. A tie stays with the outer one, whose author knew
    /// more of the circumstances.
    ///
    /// A timeout is often carried out by an abort, and an abort often carries the timeout that
    /// caused it: in either order it was a timeout.
    pub(super) const fn explained_by(self, inner: Self) -> Self {
        match (self, inner) {
            (Self::TimedOut, Self::Cancelled) | (Self::Cancelled, Self::TimedOut) => Self::TimedOut,
            _ if inner.certainty() > self.certainty() => inner,
            _ => self,
        }
    }

    /// Of two meanings of one word, the one that promises less.
    pub(super) const fn weaker(self, other: Self) -> Self {
        if other.certainty() < self.certainty() { other } else { self }
    }

    /// The same fault, known to have happened before the first byte of the request was sent.
    pub(super) const fn before_sending(self) -> Self {
        match self {
            Self::Vague | Self::Cut | Self::TimedOut => Self::NeverLeft,
            Self::Calm | Self::Limited => Self::Full,
            Self::Tls | Self::Broken => Self::Barred,
            Self::Misused => Self::BadRequest,
            other => other,
        }
    }

    /// The same fault on a stream that the other side declared untouched.
    pub(super) const fn untouched(self) -> Self {
        match self {
            Self::Vague | Self::Cut | Self::TimedOut => Self::Refused,
            Self::Calm | Self::Limited => Self::CalmRefused,
            Self::Broken => Self::Barred,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meaning_is_found_by_its_byte() {
        for fact in Fact::ALL {
            assert_eq!(Fact::from_code(fact as u8), Some(fact));
        }
        assert_eq!(Fact::from_code(Fact::ALL.len() as u8), None);
    }

    #[test]
    fn of_two_meanings_the_one_that_promises_less_stands_and_of_equals_the_first() {
        assert_eq!(Fact::NeverLeft.weaker(Fact::Vague), Fact::Vague);
        assert_eq!(Fact::Vague.weaker(Fact::NeverLeft), Fact::Vague);
        assert_eq!(Fact::Refused.weaker(Fact::NeverLeft), Fact::Refused);
        assert_eq!(Fact::NeverLeft.weaker(Fact::Refused), Fact::NeverLeft);
    }

    #[test]
    fn only_a_not_processed_has_a_basis() {
        for fact in Fact::ALL {
            let found = fact.classification();
            let based = found.basis != Basis::None;
            assert_eq!(found.delivery == Delivery::NotProcessed, based, "{fact:?}");
            assert_eq!(found.signal, Signal::Transport);
            assert!(!found.veto);
        }
    }

    #[test]
    fn certificate_and_tls_faults_are_not_local() {
        for fact in [Fact::Barred, Fact::Tls, Fact::Broken] {
            assert!(!fact.classification().local, "{fact:?}");
        }
        assert!(Fact::BadRequest.classification().local);
        assert!(Fact::Starved.classification().local);
    }

    #[test]
    fn a_fault_before_sending_never_leaves_the_delivery_open() {
        for fact in Fact::ALL {
            let before = fact.before_sending().classification();
            assert!(
                before.delivery != Delivery::MaybeProcessed || before.class == Class::Cancelled,
                "{fact:?}"
            );
            assert_eq!(
                before.class == Class::Permanent,
                fact.classification().class == Class::Permanent
            );
        }
    }

    #[test]
    fn an_untouched_stream_is_proof_whatever_the_code() {
        for fact in [Fact::Vague, Fact::Cut, Fact::TimedOut, Fact::Calm, Fact::Limited] {
            assert_eq!(fact.untouched().classification().basis, Basis::Protocol, "{fact:?}");
        }
        assert_eq!(Fact::Broken.untouched().classification().delivery, Delivery::NotProcessed);
    }

    #[test]
    fn the_fact_that_says_more_stands_and_a_tie_stays_outside() {
        assert_eq!(Fact::Vague.explained_by(Fact::Cut), Fact::Cut);
        assert_eq!(Fact::Cut.explained_by(Fact::NeverLeft), Fact::NeverLeft);
        assert_eq!(Fact::NeverLeft.explained_by(Fact::Cut), Fact::NeverLeft);
        assert_eq!(Fact::NeverLeft.explained_by(Fact::Barred), Fact::Barred);
        assert_eq!(Fact::Cut.explained_by(Fact::TimedOut), Fact::Cut);
        assert_eq!(Fact::Undecodable.explained_by(Fact::Cut), Fact::Cut);
    }

    #[test]
    fn an_abort_that_carries_out_a_timeout_is_a_timeout() {
        assert_eq!(Fact::TimedOut.explained_by(Fact::Cancelled), Fact::TimedOut);
        assert_eq!(Fact::Cancelled.explained_by(Fact::TimedOut), Fact::TimedOut);
        assert_eq!(Fact::Cut.explained_by(Fact::Cancelled), Fact::Cancelled);
    }
}
