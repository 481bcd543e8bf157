//! Review: what a person decides about a call that was not settled, and what to know before.
//!
//! Nothing leaves review by itself, apart from a late answer to the very attempt that was
//! undecided. Each decision is recorded with who and why.

use alloc::boxed::Box;

use crate::{
    codes::codes,
    explain::Lang,
    ledger::{Cause, Problem, Record},
    time::UnixMillis,
};

/// The longest name of who decides, in bytes.
pub const MAX_BY_BYTES: usize = 128;
/// The longest account of why, in bytes.
pub const MAX_WHY_BYTES: usize = 1024;

codes! {
    /// What a person does with a call in review.
    pub enum Action {
        /// It was done after all: the call counts as completed.
        Confirm = 0 => "confirm",
        /// It was not done: a new record under a new key takes its place, and both name each
        /// other.
        RetryNewKey = 1 => "retry-new-key",
        /// Nothing more is sent for it.
        Abandon = 2 => "abandon",
    }
}

/// A person's decision.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Decision<'a> {
    /// What to do.
    pub action: Action,
    /// Who decides: 1 to [`MAX_BY_BYTES`] bytes, blanks around them not counted.
    pub by: &'a str,
    /// Why: 1 to [`MAX_WHY_BYTES`] bytes, blanks around them not counted.
    pub why: &'a str,
    /// [`Action::RetryNewKey`]: the id of the new record.
    pub new_id: Option<&'a str>,
    /// [`Action::RetryNewKey`]: its key, where the call has one.
    pub new_key: Option<&'a str>,
}

impl<'a> Decision<'a> {
    /// A decision that needs no new record.
    pub const fn new(action: Action, by: &'a str, why: &'a str) -> Self {
        Self { action, by, why, new_id: None, new_key: None }
    }

    /// The decision to send again, under a new id and, where the call has a key, a new key.
    pub const fn retry(by: &'a str, why: &'a str, id: &'a str, key: Option<&'a str>) -> Self {
        Self { action: Action::RetryNewKey, by, why, new_id: Some(id), new_key: key }
    }
}

/// A decision that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resolution {
    /// What was done.
    pub action: Action,
    /// By whom.
    pub by: Box<str>,
    /// Why.
    pub why: Box<str>,
    /// When.
    pub at: UnixMillis,
}

impl Resolution {
    /// The record of a decision.
    pub(crate) fn new(decision: &Decision<'_>, at: UnixMillis) -> Result<Self, Problem> {
        let by = text(decision.by, MAX_BY_BYTES).ok_or(Problem::By)?;
        let why = text(decision.why, MAX_WHY_BYTES).ok_or(Problem::Why)?;
        Ok(Self { action: decision.action, by: by.into(), why: why.into(), at })
    }
}

fn text(given: &str, longest: usize) -> Option<&str> {
    let text = given.trim();
    (!text.is_empty() && text.len() <= longest).then_some(text)
}

/// What a person has to know about a record in review.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Item<'a> {
    /// The record.
    pub record: &'a Record,
    /// Why it is here.
    pub cause: Cause,
    /// What can be done, the likeliest first.
    pub actions: &'static [Action],
}

impl<'a> Item<'a> {
    /// The item of a record, if it is in review.
    pub fn of(record: &'a Record) -> Option<Self> {
        let cause = record.cause()?;
        let actions: &[Action] = match cause {
            _ if record.maybe_processed => &[Action::Confirm, Action::RetryNewKey, Action::Abandon],
            Cause::Permanent | Cause::Cancelled => {
                &[Action::Abandon, Action::RetryNewKey, Action::Confirm]
            }
            _ => &[Action::RetryNewKey, Action::Abandon, Action::Confirm],
        };
        Some(Self { record, cause, actions })
    }

    /// What to do about it, as a sentence.
    pub const fn advice(&self, lang: Lang) -> &'static str {
        match (self.record.maybe_processed, self.cause, lang) {
            (true, _, Lang::English) => {
                "ask the vendor whether it was processed: if so confirm it, and only if not retry it with a new key"
            }
            (true, _, Lang::Arabic) => {
                "اسأل المورّد هل نُفِّذ الطلب: إن نُفِّذ فأكّده، وإن لم يُنفَّذ فقط فأعد المحاولة بمفتاح جديد"
            }
            (false, Cause::Permanent, Lang::English) => {
                "the vendor refused it as it is: correct the request and send it as a new call, or abandon it"
            }
            (false, Cause::Permanent, Lang::Arabic) => {
                "رفضه المورّد كما هو: صحّح الطلب وأرسله طلبًا جديدًا، أو اتركه"
            }
            (false, _, Lang::English) => {
                "it was not processed: retry it with a new key, or abandon it"
            }
            (false, _, Lang::Arabic) => "لم يُنفَّذ: أعد المحاولة بمفتاح جديد، أو اتركه",
        }
    }
}
