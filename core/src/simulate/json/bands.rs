//! The bands of a policy, and the documents to start from.

use alloc::string::String;

use super::{count, policy_of, set, standard};
use crate::{
    classify::Class,
    document::Fields,
    json::write::{Out, Writer},
    policy::PRESETS,
    simulate::{Band, Bands, Range, Tactic, bands},
};

pub(super) fn run_bands(mut fields: Fields<'_>, seed: u64) -> Result<String, String> {
    let mut terms = Bands::default();
    set(&mut terms.retries, fields.count("retries")?);
    set(&mut terms.draws, fields.count("draws")?);
    set(&mut terms.class, fields.name("class", Class::from_name)?);
    let policy = policy_of(&mut fields)?.unwrap_or_else(standard);
    fields.end()?;
    let mut answer = Writer::new();
    answer.put("maxRetries", policy.max_retries());
    answer.nullable("deadlineMs", policy.deadline());
    answer.list("bands", bands(&policy, &terms, seed).iter().map(band));
    Ok(answer.end())
}

/// Every document that somebody may start from: the presets, and the tactics of the storm.
pub(super) fn run_documents(mut fields: Fields<'_>) -> Result<String, String> {
    let retries = fields.count("retries")?.unwrap_or(3);
    fields.end()?;
    let named = |name: &str, policy: &str| {
        let mut document = Writer::new();
        document.put("name", name);
        document.put("policy", policy);
        document.end()
    };
    let mut answer = Writer::new();
    answer.list("presets", PRESETS.iter().map(|preset| named(preset.name, preset.policy)));
    let tactics = Tactic::ALL.iter();
    answer.list("tactics", tactics.map(|one| named(one.name(), &one.document(retries))));
    Ok(answer.end())
}

fn band(band: &Band) -> String {
    let mut object = Writer::new();
    object.put("retry", band.retry);
    object.put("curveMs", band.curve);
    object.put("wait", Out::Json(&range(&band.wait)));
    object.put("total", Out::Json(&range(&band.total)));
    object.put("inTime", count(band.in_time));
    object.end()
}

fn range(range: &Range) -> String {
    let mut object = Writer::new();
    object.put("minMs", range.min);
    object.put("lowMs", range.low);
    object.put("medianMs", range.median);
    object.put("highMs", range.high);
    object.put("maxMs", range.max);
    object.end()
}
