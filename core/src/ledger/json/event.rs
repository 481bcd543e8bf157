//! Events as hosts write them.

use crate::{
    classify::{Class, Delivery},
    document::{Fields, Malformed},
    json::Value,
    ledger::{Cause, Ending, Event, Found, NewCall, Settled},
    review::{Action, Decision},
    time::Millis,
    verdict::{Reason, VerdictKind},
};

/// The event of a JSON object.
pub(super) fn read<'a>(value: &'a Value<'a>) -> Result<Event<'a>, Malformed> {
    let mut fields = Fields::of(value, "event")?;
    let op = fields.text("op")?;
    let event = match fields.given("op", op)? {
        "submit" => Event::Submit { call: call(&mut fields)?, due: fields.time("dueAt")? },
        "claim" => {
            let owner = fields.text("owner")?;
            Event::Claim {
                call: call(&mut fields)?,
                owner: fields.given("owner", owner)?,
                lease: fields.millis("leaseMs")?,
            }
        }
        "complete" => {
            Event::Complete { attempt: attempt(&mut fields)?, status: fields.count("status")? }
        }
        "fail" => Event::Fail(ending(&mut fields)?),
        "ambiguous" => Event::Ambiguous(ending(&mut fields)?),
        "release" => Event::Release { attempt: attempt(&mut fields)? },
        "renew" => {
            Event::Renew { attempt: attempt(&mut fields)?, lease: fields.millis("leaseMs")? }
        }
        "settle" => Event::Settle(settled(&mut fields)?),
        "lookup" => {
            let found = fields.name("answer", Found::from_name)?;
            Event::Lookup { found: fields.given("answer", found)?, ending: ending(&mut fields)? }
        }
        "resolve" => Event::Resolve(decision(&mut fields)?),
        "purge" => Event::Purge,
        other => return Err(fields.unknown("op", other)),
    };
    fields.end()?;
    Ok(event)
}

fn call<'a>(fields: &mut Fields<'a>) -> Result<NewCall<'a>, Malformed> {
    let (id, key, fingerprint) =
        (fields.text("id")?, fields.text("key")?, fields.text("fingerprint")?);
    Ok(NewCall {
        id: fields.given("id", id)?,
        key,
        fingerprint: fields.given("fingerprint", fingerprint)?,
    })
}

fn attempt(fields: &mut Fields<'_>) -> Result<u32, Malformed> {
    let attempt = fields.count("attempt")?;
    fields.given("attempt", attempt)
}

fn ending(fields: &mut Fields<'_>) -> Result<Ending, Malformed> {
    Ok(Ending {
        attempt: attempt(fields)?,
        status: fields.count("status")?,
        due: fields.time("dueAt")?,
        cause: fields.name("cause", Cause::from_name)?,
        reason: fields.name("reason", Reason::from_name)?,
        rate_limited: fields.flag("rateLimited")?,
        maybe_processed: fields.flag("maybeProcessed")?,
        sustained_throttling: fields.flag("sustainedThrottling")?,
    })
}

fn settled(fields: &mut Fields<'_>) -> Result<Settled, Malformed> {
    let kind = fields.name("kind", VerdictKind::from_name)?;
    let reason = fields.name("reason", Reason::from_name)?;
    let class = fields.name("class", Class::from_name)?;
    let delivery = fields.name("delivery", Delivery::from_name)?;
    Ok(Settled {
        attempt: attempt(fields)?,
        status: fields.count("status")?,
        kind: fields.given("kind", kind)?,
        reason: fields.given("reason", reason)?,
        delay: fields.millis("delayMs")?.unwrap_or(Millis::ZERO),
        class: fields.given("class", class)?,
        delivery: fields.given("delivery", delivery)?,
        idempotent: fields.flag("idempotent")?,
        sustained_throttling: fields.flag("sustainedThrottling")?,
    })
}

fn decision<'a>(fields: &mut Fields<'a>) -> Result<Decision<'a>, Malformed> {
    let action = fields.name("action", Action::from_name)?;
    let (by, why) = (fields.text("by")?, fields.text("why")?);
    // Nobody and no reason are for the ledger to refuse.
    let mut decision = Decision::new(
        fields.given("action", action)?,
        by.unwrap_or_default(),
        why.unwrap_or_default(),
    );
    decision.new_id = fields.text("newId")?;
    decision.new_key = fields.text("newKey")?;
    Ok(decision)
}
