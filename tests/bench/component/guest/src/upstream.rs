//! The interface `upstream`: every call is admitted, every attempt is to be repeated.

use alloc::{string::String, vec::Vec};

use crate::{
    Floor, answer, unasked,
    wit::exports::retrywise::policy::{
        policy::PolicyBorrow,
        types::{Class, Header, Language, Outcome},
        upstream::{
            BeginError, Call, DelayState, Guest, GuestCall, GuestUpstream, LoadError, Refusal,
            Request, ResumeError, Settlement, Verdict, View, Wait,
        },
    },
};

pub(crate) struct OneUpstream;
pub(crate) struct OneCall;

impl Guest for Floor {
    type Upstream = OneUpstream;
    type Call = OneCall;

    fn settle_all(settlements: Vec<Settlement<'_>>) -> Vec<Verdict> {
        settlements.iter().map(|_| answer::verdict()).collect()
    }

    fn explain(_: Verdict, _: Language) -> String {
        unasked()
    }

    fn explain_refusal(_: Refusal, _: Language) -> String {
        unasked()
    }
}

impl GuestUpstream for OneUpstream {
    fn new(_: PolicyBorrow<'_>, _: u64) -> Self {
        Self
    }

    fn begin(&self, _: Request, _: u64, _: Option<i64>) -> Result<Call, BeginError> {
        Ok(Call::new(OneCall))
    }

    fn view(&self, _: u64) -> View {
        unasked()
    }

    fn save(&self, _: u64, _: Option<i64>) -> String {
        unasked()
    }

    fn load(&self, _: String, _: u64, _: Option<i64>) -> Result<(), LoadError> {
        unasked()
    }

    fn set_policy(&self, _: PolicyBorrow<'_>, _: u64) {}

    fn isolate(&self) {}

    fn reset(&self) {}

    fn delay(&self, _: u32, _: Class, _: Option<u64>, _: DelayState) -> Wait {
        unasked()
    }

    fn random_state(&self) -> u64 {
        unasked()
    }

    fn set_random_state(&self, _: u64) {}
}

impl GuestCall for OneCall {
    fn headers(&self) -> Vec<Header> {
        unasked()
    }

    fn key_field(&self) -> Option<(String, String)> {
        unasked()
    }

    fn attempt(&self) -> u32 {
        unasked()
    }

    fn timeout(&self, _: u64) -> Option<u64> {
        unasked()
    }

    fn may_retry(&self) -> bool {
        unasked()
    }

    fn give_up_body(&self) {}

    fn settle(&self, _: Outcome, _: u64, _: Option<i64>) -> Verdict {
        answer::verdict()
    }

    fn resume(&self, _: u64) -> Result<(), ResumeError> {
        Ok(())
    }

    fn cancel(&self, _: u64) -> Verdict {
        answer::verdict()
    }

    fn end(&self, _: u64) {}
}
