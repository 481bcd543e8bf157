//! Why a call was handed to a person.

use crate::{
    classify::{Class, Context, classify},
    codes::codes,
    outcome::{Outcome, Response},
    verdict::Reason,
};

codes! {
    /// Why a call is in review.
    pub enum Cause {
        /// The attempts that the policy allows are used up, and nothing was processed.
        Exhausted = 0 => "exhausted",
        /// An attempt may have been processed, and nothing makes a repetition safe.
        Ambiguous = 1 => "ambiguous",
        /// The vendor's answer would be the same again: bad data, no permission, not found.
        Permanent = 2 => "permanent",
        /// The caller gave up.
        Cancelled = 3 => "cancelled",
        /// The vendor asked for a longer wait than the policy accepts.
        HintTooLong = 4 => "hint-too-long",
        /// The deadline came before success did.
        Deadline = 5 => "deadline",
        /// The vendor has forgotten the key: sent now, it would count as a new request.
        KeyExpired = 6 => "key-expired",
    }
}

impl Cause {
    /// The cause that a stop or refusal for this reason leaves behind.
    pub const fn of(reason: Reason) -> Self {
        match reason {
            Reason::Cancelled => Self::Cancelled,
            Reason::ServerRefused
            | Reason::Permanent
            | Reason::KeyConflict
            | Reason::KeyMissing
            | Reason::KeyInvalid => Self::Permanent,
            Reason::UnsafeToRepeat => Self::Ambiguous,
            Reason::HintTooLong => Self::HintTooLong,
            Reason::Deadline => Self::Deadline,
            Reason::KeyExpired => Self::KeyExpired,
            _ => Self::Exhausted,
        }
    }

    /// The cause of a failure of which only the status is known, if even that.
    pub(super) fn of_status(status: Option<u16>) -> Self {
        let Some(status) = status else { return Self::Exhausted };
        let response = Response { status, ..Response::default() };
        let outcome = Outcome { response: Some(response), ..Outcome::default() };
        match classify(&outcome, &Context::default()).class {
            Class::Permanent => Self::Permanent,
            _ => Self::Exhausted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_to_stop_has_a_cause() {
        for (reason, cause) in [
            (Reason::Cancelled, Cause::Cancelled),
            (Reason::ServerRefused, Cause::Permanent),
            (Reason::Permanent, Cause::Permanent),
            (Reason::BodyConsumed, Cause::Exhausted),
            (Reason::UnsafeToRepeat, Cause::Ambiguous),
            (Reason::RetriesExhausted, Cause::Exhausted),
            (Reason::NestedLayer, Cause::Exhausted),
            (Reason::HintTooLong, Cause::HintTooLong),
            (Reason::Deadline, Cause::Deadline),
            (Reason::KeyExpired, Cause::KeyExpired),
            (Reason::BreakerOpen, Cause::Exhausted),
            (Reason::BudgetExhausted, Cause::Exhausted),
        ] {
            assert_eq!(Cause::of(reason), cause, "{reason}");
        }
    }

    #[test]
    fn bad_data_is_permanent_and_trouble_is_not() {
        for (status, cause) in [
            (Some(400), Cause::Permanent),
            (Some(422), Cause::Permanent),
            (Some(404), Cause::Permanent),
            (Some(429), Cause::Exhausted),
            (Some(503), Cause::Exhausted),
            (None, Cause::Exhausted),
        ] {
            assert_eq!(Cause::of_status(status), cause, "{status:?}");
        }
    }
}
