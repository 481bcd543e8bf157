//! The policy and the bound of what is kept, from the environment.
//!
//! | variable | what | default |
//! |---|---|---|
//! | `RETRYWISE_POLICY` | a policy as JSON, or a policy set | `{}`, the standard policy |
//! | `RETRYWISE_BODY_BYTES` | how much of a request body is kept to be sent again, 0 to 64 MiB | 1 MiB |
//!
//! What is baked in when composing comes the same way: as an environment of the middleware's own.

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use retrywise::{
    Policy,
    policy::{Issues, Policies as Document, PolicySet},
};

/// The policy's variable.
pub(crate) const POLICY: &str = "RETRYWISE_POLICY";
/// The bound's variable.
pub(crate) const BODY_BYTES: &str = "RETRYWISE_BODY_BYTES";

/// How much of each request body is kept when nothing is said: 1 MiB.
pub(crate) const DEFAULT_BODY_BYTES: usize = 1 << 20;
/// The largest bound: memory is the instance's, and calls run side by side.
pub(crate) const MAX_BODY_BYTES: usize = 64 << 20;

/// What the environment says.
#[derive(Debug)]
pub(crate) struct Settings {
    policies: Policies,
    /// Bytes of each request body that are kept to be sent again.
    pub(crate) body_bytes: usize,
}

#[derive(Debug)]
enum Policies {
    One(Arc<Policy>),
    /// The set, which chooses, and its policies by name, which upstreams hold.
    Set(Box<PolicySet>, Vec<(String, Arc<Policy>)>),
}

impl Settings {
    /// Reads the two variables; all others are passed over.
    ///
    /// # Errors
    /// A sentence that names the variable and everything that is wrong with it.
    pub(crate) fn read(environment: &[(String, String)]) -> Result<Self, String> {
        let value = |name: &str| {
            let found = environment.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
        };
        let policies = match value(POLICY) {
            Some(document) => policies(document).map_err(|issues| format!("{POLICY}: {issues}"))?,
            None => Policies::One(Arc::new(Policy::standard())),
        };
        let body_bytes = value(BODY_BYTES).map_or(Ok(DEFAULT_BODY_BYTES), |text| {
            let bytes = text.parse().ok().filter(|bytes| *bytes <= MAX_BODY_BYTES);
            bytes.ok_or_else(|| {
                format!("{BODY_BYTES} must be a whole number from 0 to {MAX_BODY_BYTES}: {text}")
            })
        })?;
        Ok(Self { policies, body_bytes })
    }

    /// The policy of a request, and its name in the set; one policy alone has none.
    pub(crate) fn select(&self, origin: &str, path: &str, method: &str) -> (&str, Arc<Policy>) {
        match &self.policies {
            Policies::One(policy) => ("", policy.clone()),
            Policies::Set(set, held) => {
                let (name, policy) = set.select_named(origin, path, method);
                let held = held.iter().find(|(known, _)| known == name);
                (name, held.map_or_else(|| Arc::new(policy.clone()), |(_, held)| held.clone()))
            }
        }
    }
}

/// What a document describes, without keys in bodies.
fn policies(document: &str) -> Result<Policies, Issues> {
    Ok(match Document::from_json(document)? {
        Document::One(policy) => Policies::One(Arc::new(without_body_keys(policy)?)),
        Document::Set(set) => {
            let mut held = Vec::new();
            for (name, policy) in set.iter() {
                held.push((String::from(name), Arc::new(without_body_keys(policy.clone())?)));
            }
            Policies::Set(Box::new(set), held)
        }
    })
}

/// A vendor that takes its key in the body gets none from here, since no body is written here: so
/// nothing may be repeated on the strength of one.
fn without_body_keys(policy: Policy) -> Result<Policy, Issues> {
    if policy.profile().is_none_or(|profile| profile.key_field.is_empty()) {
        return Ok(policy);
    }
    let mut options = policy.into_options();
    options.idempotency.honoured = false;
    options.idempotency.generate = false;
    options.validate()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        Settings::read(&variables.iter().map(own).collect::<Vec<_>>())
    }

    fn retries(settings: &Settings, origin: &str) -> u32 {
        settings.select(origin, "/", "GET").1.max_retries()
    }

    #[test]
    fn without_a_word_the_standard_policy_holds_and_a_mebibyte_is_kept() {
        for environment in [&[("HOME", "/")][..], &[(POLICY, " "), (BODY_BYTES, "")]] {
            let settings = read(environment).unwrap();
            assert_eq!(retries(&settings, ""), 5);
            assert_eq!(settings.body_bytes, 1_048_576);
        }
    }

    #[test]
    fn a_set_chooses_by_origin_and_names_what_it_chose() {
        let set = r#"{"policies":{"few":{"maxRetries":1},"many":{"maxRetries":9}},
            "match":[{"origin":"http://*.example.com","use":"many"}],"default":"few"}"#;
        let settings = read(&[(POLICY, set)]).unwrap();
        assert_eq!(retries(&settings, "http://a.example.com"), 9);
        assert_eq!(retries(&settings, "http://example.org"), 1);
        assert_eq!(settings.select("http://example.org", "/", "GET").0, "few");
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once_with_the_variables_name() {
        let error = read(&[(POLICY, r#"{"maxRetrys":1,"deadlineMs":0}"#)]).unwrap_err();
        assert!(error.starts_with("RETRYWISE_POLICY: "), "{error}");
        assert!(error.contains("maxRetries") && error.contains("deadlineMs"), "{error}");
        let error = read(&[(POLICY, r#"{"policies":{"a":{}},"default":"b"}"#)]).unwrap_err();
        assert!(error.contains("default names no policy"), "{error}");
        for wrong in ["-1", "1.5", "1MB", "67108865"] {
            let error = read(&[(BODY_BYTES, wrong)]).unwrap_err();
            assert!(error.contains("from 0 to 67108864") && error.ends_with(wrong), "{error}");
        }
        assert_eq!(read(&[(BODY_BYTES, "0")]).unwrap().body_bytes, 0);
    }

    #[test]
    fn a_vendor_that_takes_its_key_in_the_body_is_not_trusted_with_one() {
        let policy = |document| read(&[(POLICY, document)]).unwrap().select("", "/", "POST").1;
        let square = policy(r#"{"profile":"square","idempotency":{"honoured":true}}"#);
        assert!(!square.idempotency().honoured && !square.idempotency().generate);
        let stripe = policy(r#"{"profile":"stripe","idempotency":{"honoured":true}}"#);
        assert!(stripe.idempotency().honoured);
    }
}
