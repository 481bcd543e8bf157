//! From `core/profiles/*.json`, written for people, to `core/src/profile/table.rs`, written for
//! machines: a flaw in a file is an error that names the file and the field.

mod fields;

use core::fmt::Write as _;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};

use fields::{array, flag, known, number, object, strings, text};

const HEAD: &str = "\
// Written by `cargo xtask profiles` from core/profiles/*.json: change those.

use super::{KeyShape, Pointers, Profile, ResetUnit, Rule, Test};
use crate::classify::{Basis, Class, Delivery};

";

const TAIL: &str = "
const BASE: Profile = Profile {
    id: \"\",
    pointers: &Pointers::STANDARD,
    code_headers: &[],
    has_qualified_codes: false,
    reset_unit: ResetUnit::Auto,
    hint_window_ms: 0,
    is_grpc: false,
    key_max_len: 0,
    key_shape: KeyShape::Any,
    key_field: \"\",
    rules: &[],
    like: None,
};

const fn rule(
    statuses: &'static [(u16, u16)],
    test: Test,
    class: Class,
    delivery: Delivery,
    basis: Basis,
    wait_ms: u32,
) -> Rule {
    Rule { statuses, test, class, delivery, basis, wait_ms }
}
";

/// Where the files lie.
pub(crate) fn folder(root: &Path) -> PathBuf {
    root.join("core/profiles")
}

/// Where the table lies.
pub(crate) fn table(root: &Path) -> PathBuf {
    root.join("core/src/profile/table.rs")
}

/// The table that the files in `folder` make.
pub(crate) fn generate(folder: &Path) -> Result<String> {
    let profiles = read(folder)?;
    let mut out = String::from(HEAD);
    out.push_str("/// Every profile, in the order of the ids.\npub static ALL: &[&Profile] = &[\n");
    for id in profiles.keys() {
        writeln!(out, "    &{},", constant(id))?;
    }
    out.push_str("];\n");
    out.push_str("\n/// What each is called, in that order.\n");
    out.push_str("pub(super) const NAMES: &[&str] = &[\n");
    for (id, profile) in &profiles {
        let name = text(profile, "name").transpose().context("no name").flatten();
        writeln!(out, "    {:?},", name.with_context(|| format!("{id}.json"))?)?;
    }
    out.push_str(
        "];\n\n/// The fragment of a policy document that each lays down, in that order.\n",
    );
    out.push_str("pub(super) const POLICIES: &[&str] = &[\n");
    for (id, profile) in &profiles {
        let policy = profile.get("policy").map_or("{}".to_owned(), Value::to_string);
        ensure!(policy.starts_with('{'), "{id}.json: policy is no object");
        // Quotes in it ask for a raw text, as the linter does for a plain one without.
        let text =
            if policy.contains('"') { format!("r#\"{policy}\"#") } else { format!("{policy:?}") };
        writeln!(out, "    {text},")?;
    }
    out.push_str("];\n");
    for (id, profile) in &profiles {
        let item = item(id, profile, &profiles).with_context(|| format!("{id}.json"))?;
        write!(out, "\nstatic {}: Profile = {item};\n", constant(id))?;
    }
    out.push_str(TAIL);
    Ok(out)
}

type Profiles = BTreeMap<String, Map<String, Value>>;

fn read(folder: &Path) -> Result<Profiles> {
    let mut profiles = Profiles::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let profile = (|| {
            let profile: Map<String, Value> = serde_json::from_str(&fs::read_to_string(&path)?)?;
            let id = text(&profile, "id")?.context("no id")?.to_owned();
            ensure!(
                path.file_stem().is_some_and(|stem| *stem == *id),
                "the id is not the file's name"
            );
            Ok((id, profile))
        })();
        let (id, profile) = profile.with_context(|| path.display().to_string())?;
        profiles.insert(id, profile);
    }
    Ok(profiles)
}

/// One profile as a Rust expression; fields that say nothing are left to `BASE`.
fn item(id: &str, profile: &Map<String, Value>, all: &Profiles) -> Result<String> {
    known(
        profile,
        &[
            "id",
            "name",
            "sources",
            "note",
            "like",
            "policy",
            "reset",
            "hintWindowMs",
            "grpc",
            "pointers",
            "codeHeaders",
            "qualifiedCodes",
            "key",
            "rules",
        ],
    )?;
    ensure!(!strings(profile, "sources")?.is_empty(), "no sources");
    let mut out = format!("Profile {{\n    id: {id:?},\n");
    if let Some(found) = object(profile, "pointers")? {
        writeln!(out, "    pointers: &{},", pointers(found)?)?;
    }
    let headers = strings(profile, "codeHeaders")?;
    if !headers.is_empty() {
        writeln!(out, "    code_headers: {},", list(&headers))?;
    }
    if flag(profile, "qualifiedCodes")? {
        out.push_str("    has_qualified_codes: true,\n");
    }
    if let Some(unit) = text(profile, "reset")? {
        let units = ["auto", "delta-seconds", "delta-millis", "epoch-seconds", "epoch-millis"];
        writeln!(out, "    reset_unit: ResetUnit::{},", variant(unit, &units)?)?;
    }
    if let Some(window) = number(profile, "hintWindowMs")? {
        writeln!(out, "    hint_window_ms: {},", millis(window)?)?;
    }
    if flag(profile, "grpc")? {
        out.push_str("    is_grpc: true,\n");
    }
    if let Some(key) = object(profile, "key")? {
        out.push_str(&key_fields(key).context("key")?);
    }
    let rules = array(profile, "rules")?;
    if !rules.is_empty() {
        out.push_str("    rules: &[\n");
        for (at, found) in rules.iter().enumerate() {
            let rule = rule(found).with_context(|| format!("rules[{at}]"))?;
            writeln!(out, "        {rule},")?;
        }
        out.push_str("    ],\n");
    }
    if let Some(like) = text(profile, "like")? {
        let other = all.get(like).with_context(|| format!("like: there is no {like}.json"))?;
        ensure!(!other.contains_key("like"), "like: {like} is like another itself");
        writeln!(out, "    like: Some(&{}),", constant(like))?;
    }
    out.push_str("    ..BASE\n}");
    Ok(out)
}

fn pointers(found: &Map<String, Value>) -> Result<String> {
    let fields = [
        ("code", "code"),
        ("policy", "policy"),
        ("problemType", "problem_type"),
        ("retryDelay", "retry_delay"),
        ("retryAfterS", "retry_after_s"),
    ];
    known(found, &fields.map(|(name, _)| name))?;
    let mut set = Vec::new();
    for (name, field) in fields {
        let paths = strings(found, name)?;
        ensure!(
            paths.iter().all(|path| path.starts_with('/')),
            "{name}: a JSON pointer starts with /"
        );
        if !paths.is_empty() {
            set.push(format!("{field}: {}", list(&paths)));
        }
    }
    Ok(format!("Pointers {{ {}, ..Pointers::STANDARD }}", set.join(", ")))
}

fn key_fields(key: &Map<String, Value>) -> Result<String> {
    known(key, &["field", "maxLength", "shape", "source"])?;
    text(key, "source")?.context("no source")?;
    let mut out = String::new();
    if let Some(longest) = number(key, "maxLength")? {
        writeln!(out, "    key_max_len: {},", u16::try_from(longest)?)?;
    }
    if let Some(shape) = text(key, "shape")? {
        writeln!(out, "    key_shape: KeyShape::{},", variant(shape, &["any", "uuid"])?)?;
    }
    if let Some(field) = text(key, "field")? {
        writeln!(out, "    key_field: {field:?},")?;
    }
    Ok(out)
}

fn rule(found: &Value) -> Result<String> {
    let found = found.as_object().context("no object")?;
    known(found, &["status", "when", "class", "delivery", "basis", "waitMs", "source", "note"])?;
    text(found, "source")?.context("no source")?;
    let statuses = array(found, "status")?.iter().map(status).collect::<Result<Vec<_>>>()?;
    ensure!(!statuses.is_empty(), "no status");
    let test = object(found, "when")?.map_or(Ok("Test::Always".into()), test)?;
    let class = text(found, "class")?.context("no class")?;
    let delivery = text(found, "delivery")?.context("no delivery")?;
    let basis = text(found, "basis")?.unwrap_or("none");
    ensure!(
        (delivery == "not_processed") == (basis != "none"),
        "a basis is what not_processed rests on"
    );
    let wait = number(found, "waitMs")?;
    let wait = millis(wait.unwrap_or_default())?;
    Ok(format!(
        "rule(&[{}], {test}, Class::{}, Delivery::{}, Basis::{}, {wait})",
        statuses.join(", "),
        variant(class, &["success", "transient", "throttled", "permanent", "cancelled"])?,
        variant(delivery, &["not_processed", "maybe_processed", "processed"])?,
        variant(basis, &["none", "transport", "protocol", "gateway", "status"])?,
    ))
}

/// `429`, or `"400-599"` for a closed range.
fn status(value: &Value) -> Result<String> {
    let (first, last) = match value {
        Value::String(range) => {
            let (first, last) = range.split_once('-').context("a range of statuses has a -")?;
            (first.parse::<u16>()?, last.parse()?)
        }
        value => {
            let status = value.as_u64().context("a status is a number or a range")?;
            (u16::try_from(status)?, u16::try_from(status)?)
        }
    };
    ensure!(100 <= first && first <= last && last <= 599, "{first}-{last} is no range of statuses");
    Ok(format!("({first}, {last})"))
}

fn test(when: &Map<String, Value>) -> Result<String> {
    ensure!(when.len() == 1, "a rule has one test");
    let (kind, value) = when.iter().next().context("a rule has one test")?;
    let texts = |name: &str| Ok(format!("Test::{name}({})", list(&strings(when, kind)?)));
    match kind.as_str() {
        "code" => texts("Code"),
        "codeHas" => texts("CodeHas"),
        "policy" => texts("Policy"),
        "policyHas" => texts("PolicyHas"),
        "header" => {
            let header = value.as_object().context("header is no object")?;
            known(header, &["name", "values"])?;
            let name = text(header, "name")?.context("no name")?;
            Ok(format!("Test::Header({name:?}, {})", list(&strings(header, "values")?)))
        }
        "keySent" | "retryAfter" | "usedUp" => {
            ensure!(*value == Value::Bool(true), "{kind} is true or left out");
            Ok(format!("Test::{}", capitalised(kind)))
        }
        _ => bail!("there is no test {kind}"),
    }
}

/// `not_processed` and `epoch-millis` as the names of variants, if they are among `allowed`.
fn variant(name: &str, allowed: &[&str]) -> Result<String> {
    ensure!(allowed.contains(&name), "{name} is none of {}", allowed.join(", "));
    Ok(name.split(['-', '_']).map(capitalised).collect())
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or_default();
    first.to_uppercase() + rest
}

/// A span as a Rust expression, its digits in groups of three; 0 stands for none.
fn millis(ms: u64) -> Result<String> {
    let digits = u32::try_from(ms).context("a span is longer than 49 days")?.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    Ok(groups.join("_"))
}

fn constant(id: &str) -> String {
    id.to_uppercase().replace('-', "_")
}

fn list(texts: &[&str]) -> String {
    format!("&{texts:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the work tree")
    }

    #[test]
    fn the_committed_table_is_current() {
        let committed = fs::read_to_string(table(root())).expect("the table");
        let current = generate(&folder(root())).expect("the files");
        assert!(
            committed == current,
            "core/src/profile/table.rs is old: run `cargo xtask profiles`"
        );
    }

    #[test]
    fn a_flaw_names_its_field() {
        for (rule_text, expected) in [
            (r#"{"status":[429],"class":"throttled","delivery":"processed"}"#, "no source"),
            (r#"{"source":"s","class":"throttled","delivery":"processed"}"#, "no status"),
            (r#"{"source":"s","status":[600],"class":"a","delivery":"b"}"#, "no range of statuses"),
            (r#"{"source":"s","status":["429"],"class":"a","delivery":"b"}"#, "has a -"),
            (
                r#"{"source":"s","status":[429],"class":"slow","delivery":"processed"}"#,
                "slow is none of",
            ),
            (
                r#"{"source":"s","status":[429],"class":"throttled","delivery":"not_processed"}"#,
                "a basis is",
            ),
            (
                r#"{"source":"s","status":[429],"class":"success","delivery":"processed","wait":1}"#,
                "no field wait",
            ),
            (
                r#"{"source":"s","status":[429],"when":{"moon":true},"class":"success","delivery":"processed"}"#,
                "no test moon",
            ),
        ] {
            let found = serde_json::from_str(rule_text).expect("JSON");
            let error = rule(&found).expect_err(rule_text).to_string();
            assert!(error.contains(expected), "{rule_text}: {error}");
        }
    }
}
