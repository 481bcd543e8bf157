//! The interface `policy`: every document is the one policy.

use alloc::{string::String, vec::Vec};

use crate::{
    Floor, unasked,
    wit::exports::retrywise::policy::policy::{
        Guest, GuestPolicy, Issue, Pointer, Policy, PolicyError,
    },
};

pub(crate) struct OnePolicy;

impl Guest for Floor {
    type Policy = OnePolicy;

    fn validate(_: String) -> Vec<Issue> {
        unasked()
    }

    fn presets() -> Vec<String> {
        unasked()
    }

    fn profiles() -> Vec<String> {
        unasked()
    }
}

impl GuestPolicy for OnePolicy {
    fn parse(_: String) -> Result<Policy, PolicyError> {
        Ok(Policy::new(Self))
    }

    fn max_retries(&self) -> u32 {
        unasked()
    }

    fn deadline(&self) -> Option<u64> {
        unasked()
    }

    fn generates_keys(&self) -> bool {
        false
    }

    fn judges_success(&self) -> bool {
        false
    }

    fn key_header(&self) -> String {
        unasked()
    }

    fn looks_for(&self) -> Vec<Pointer> {
        unasked()
    }
}
