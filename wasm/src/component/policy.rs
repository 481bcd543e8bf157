//! The interface `policy`.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use retrywise::{
    Millis, Policy as Settings,
    policy::{IssueKind, PRESETS},
    profile::{self, Pointers, Profile},
};

use crate::{
    component::{
        Component, ROOM, said,
        wit::exports::retrywise::policy::policy::{
            BodyField, Guest, GuestPolicy, Issue as WitIssue, Pointer, Policy, PolicyError,
        },
    },
    scratch::MAX_INPUT,
    state::with,
};

/// A policy of the engine, by its handle.
pub(crate) struct Held(pub(super) u32);

impl Guest for Component {
    type Policy = Held;

    fn validate(document: String) -> Vec<WitIssue> {
        read(&document).err().unwrap_or_default()
    }

    fn presets() -> Vec<String> {
        PRESETS.iter().map(|preset| preset.name.to_owned()).collect()
    }

    fn profiles() -> Vec<String> {
        profile::ALL.iter().map(|profile| profile.id.to_owned()).collect()
    }
}

impl GuestPolicy for Held {
    fn parse(document: String) -> Result<Policy, PolicyError> {
        let policy = read(&document).map_err(PolicyError::Invalid)?;
        let handle = with(|engine| engine.add_policy(policy));
        handle.map(|handle| Policy::new(Self(handle))).ok_or(PolicyError::TooMany(ROOM))
    }

    fn max_retries(&self) -> u32 {
        self.look(Settings::max_retries).unwrap_or_default()
    }

    fn deadline(&self) -> Option<u64> {
        self.look(Settings::deadline).flatten().map(Millis::get)
    }

    fn generates_keys(&self) -> bool {
        self.look(|policy| policy.idempotency().generate).unwrap_or_default()
    }

    fn key_header(&self) -> String {
        self.look(|policy| String::from(&*policy.idempotency().header)).unwrap_or_default()
    }

    fn judges_success(&self) -> bool {
        let profile = self.look(Settings::profile).flatten();
        profile.is_some_and(Profile::judges_success)
    }

    fn looks_for(&self) -> Vec<Pointer> {
        let profile = self.look(Settings::profile).flatten();
        let pointers = profile.map_or(&Pointers::STANDARD, |profile| profile.pointers);
        let mut places = Vec::new();
        for (field, paths) in [
            (BodyField::Code, pointers.code),
            (BodyField::Policy, pointers.policy),
            (BodyField::ProblemType, pointers.problem_type),
            (BodyField::RetryDelay, pointers.retry_delay),
            (BodyField::RetryAfterS, pointers.retry_after_s),
        ] {
            places.extend(paths.iter().map(|&path| Pointer { field, path: path.to_owned() }));
        }
        places
    }
}

impl Held {
    fn look<R>(&self, read: impl FnOnce(&Settings) -> R) -> Option<R> {
        with(|engine| engine.policy(self.0).map(read))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        with(|engine| engine.remove_policy(self.0));
    }
}

fn read(document: &str) -> Result<Settings, Vec<WitIssue>> {
    if let Some(issue) = too_long(document) {
        return Err(Vec::from([issue]));
    }
    Settings::from_json(document).map_err(|issues| issues.into_iter().map(said::issue).collect())
}

/// What is wrong with a document that is not even read.
pub(super) fn too_long(document: &str) -> Option<WitIssue> {
    (document.len() > MAX_INPUT).then(|| WitIssue {
        field: String::new(),
        kind: said::code(IssueKind::OutOfRange.code(), IssueKind::OutOfRange.name()),
        message: "the document is longer than 1 MiB".to_owned(),
    })
}
