//! Whether sending a request once more can do harm (`reference`: RFC 9110 §9.2.2).

use crate::{
    classify::{Basis, Classification, Delivery},
    policy::Safety,
};

/// Whether the request may be sent again after this outcome: it is idempotent, or it carried a key
/// that the server honours, or it was not processed and `safety` accepts the proof.
pub const fn is_repeatable(
    idempotent: bool,
    key_honoured: bool,
    classification: &Classification,
    safety: Safety,
) -> bool {
    idempotent || key_honoured || is_proof(classification, safety)
}

/// Whether the classification says "not processed" firmly enough for `safety`.
const fn is_proof(classification: &Classification, safety: Safety) -> bool {
    if !matches!(classification.delivery, Delivery::NotProcessed) {
        return false;
    }
    match safety {
        Safety::Never => false,
        Safety::Proven => {
            matches!(classification.basis, Basis::Transport | Basis::Protocol | Basis::Gateway)
        }
        Safety::Presumed => !matches!(classification.basis, Basis::None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::{Class, Signal};

    fn at(delivery: Delivery, basis: Basis) -> Classification {
        Classification::new(Class::Transient, delivery, basis, Signal::Status)
    }

    #[test]
    fn a_post_repeats_only_on_the_proof_that_its_safety_accepts() {
        use Basis::{Gateway, Protocol, Status, Transport};
        for (basis, proven, presumed) in [
            (Transport, true, true),
            (Protocol, true, true),
            (Gateway, true, true),
            (Status, false, true),
        ] {
            let c = at(Delivery::NotProcessed, basis);
            assert_eq!(is_repeatable(false, false, &c, Safety::Proven), proven, "{basis}");
            assert_eq!(is_repeatable(false, false, &c, Safety::Presumed), presumed, "{basis}");
            assert!(!is_repeatable(false, false, &c, Safety::Never), "{basis}");
        }
    }

    #[test]
    fn what_may_have_been_processed_repeats_only_when_harmless() {
        for delivery in [Delivery::MaybeProcessed, Delivery::Processed] {
            let c = at(delivery, Basis::None);
            for &safety in Safety::ALL {
                assert!(!is_repeatable(false, false, &c, safety));
                assert!(is_repeatable(true, false, &c, safety));
                assert!(is_repeatable(false, true, &c, safety));
            }
        }
    }
}
