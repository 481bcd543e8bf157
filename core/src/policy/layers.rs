//! What lies below a document: the standard policy, a preset, a vendor profile.

use alloc::vec::Vec;

use crate::{
    json::{self, Object, Value},
    policy::{
        issue::{IssueKind, Issues},
        json::{one_of, read as read_fields, refuse},
        options::Options,
        presets::{PRESET_NAMES, PRESETS},
    },
    profile::{self, Profile},
    text::{join, trim_end},
};

/// The options of a document, not checked yet. Where an issue is reported the layer below shows
/// through.
pub(crate) fn read(document: &Value<'_>, prefix: &str, issues: &mut Issues) -> Options {
    let Value::Object(document) = document else {
        let field = trim_end(prefix, b'.').into();
        refuse(field, IssueKind::WrongType, "an object", document, issues);
        return Options::default();
    };
    assemble(document, prefix, issues)
}

/// Lays the document over the profile over the preset over the standard policy; what the document
/// leaves out follows what it states.
pub(super) fn assemble(document: &Object<'_>, prefix: &str, issues: &mut Issues) -> Options {
    let mut options = Options { profile: profile(document, prefix, issues), ..Options::default() };
    lay(preset(document, prefix, issues), &mut options);
    if let Some(profile) = options.profile {
        lay(profile.policy(), &mut options);
    }
    read_fields(document, &mut options, &["extends", "profile"], prefix, issues);
    let given =
        |part: &str, field: &str| document.get(part).is_some_and(|p| p.get(field).is_some());
    options.backoff.follow(&|field| given("backoff", field));
    if let Some(breaker) = &mut options.breaker {
        breaker.follow(&|field| given("breaker", field));
    }
    options
}

/// Lays a fragment of ours over the options. A test reads every fragment: here nothing can be wrong.
fn lay(fragment: &str, options: &mut Options) {
    if let Ok(fragment) = json::read(fragment)
        && let Value::Object(fragment) = fragment.root
    {
        let mut issues = Issues::none();
        read_fields(&fragment, options, &[], "", &mut issues);
        debug_assert!(issues.as_slice().is_empty(), "a shipped fragment is a valid policy");
    }
}

/// The fragment that `extends` names.
fn preset(document: &Object<'_>, prefix: &str, issues: &mut Issues) -> &'static str {
    let Some(value) = document.get("extends") else { return "{}" };
    let name = one_of(join(&[prefix, "extends"]), value, PRESET_NAMES, issues);
    name.and_then(|at| PRESETS.get(at)).map_or("{}", |preset| preset.policy)
}

/// The profile that `profile` names.
fn profile(document: &Object<'_>, prefix: &str, issues: &mut Issues) -> Option<&'static Profile> {
    let value = document.get("profile").filter(|value| !value.is_null())?;
    let ids: Vec<&str> = profile::ALL.iter().map(|profile| profile.id).collect();
    profile::ALL.get(one_of(join(&[prefix, "profile"]), value, &ids, issues)?).copied()
}
