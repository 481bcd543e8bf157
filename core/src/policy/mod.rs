//! Options → policy: what a user writes, checked once and then immutable.
//!
//! One JSON document says the same everywhere; Rust users can fill in [`Options`] instead. Nothing
//! is silently ignored: an unknown field, a wrong type, a value out of range or a contradiction is
//! an [`Issue`], and all of them are reported at once.
//!
//! A document is laid over a preset and a vendor profile, field by field: `standard`, then
//! `extends`, then `profile`, then the document itself. A changed `kind` replaces its whole object.
//! What a document leaves out gives way to what it states: `{"backoff":{"capMs":200}}` has a base
//! of 200 ms, not one of 500 ms above its cap.

mod backoff;
mod breaker;
mod budget;
pub(crate) mod check;
mod client_throttle;
pub(crate) mod fields;
mod hint;
mod idempotency;
mod issue;
#[cfg(feature = "json")]
pub(crate) mod json;
#[cfg(feature = "json")]
mod layers;
mod limiter;
#[cfg(feature = "serde")]
mod meaning;
mod methods;
mod nearest;
#[cfg(feature = "json")]
pub(crate) mod number;
mod options;
#[cfg(feature = "json")]
mod policies;
mod presets;
mod safety;
#[cfg(feature = "serde")]
mod schema;
mod set;
pub(crate) mod spec;
#[cfg(all(test, feature = "json"))]
mod tests;
pub(crate) mod text_rule;

use alloc::sync::Arc;
#[cfg(feature = "json")]
use alloc::vec::Vec;

pub use backoff::{BackoffOptions, Curve, Jitter, Override};
pub use breaker::{BreakerKind, BreakerOptions, LeaseExpiry, WindowKind};
pub use budget::{BudgetKind, BudgetOptions};
pub use client_throttle::ClientThrottleOptions;
pub use hint::{Beyond, HintMode, HintOptions};
pub use idempotency::{IdempotencyOptions, KeyFormat, KeyVersion};
pub use issue::{Issue, IssueKind, Issues};
pub use limiter::LimiterOptions;
pub use methods::IdempotentMethods;
pub use options::Options;
#[cfg(feature = "json")]
pub use policies::Policies;
pub use presets::{PRESETS, Preset};
pub use safety::Safety;
#[cfg(feature = "serde")]
pub use schema::schema;
pub use set::{MatchRule, PolicySet, PolicySetOptions};

use crate::{classify::RetryOn, method::Method, profile::Profile, time::Millis};

/// Validated, immutable settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    options: Options,
    /// The same as in the options, shared by every upstream of the policy.
    budget: Option<Arc<BudgetOptions>>,
    breaker: Option<Arc<BreakerOptions>>,
}

impl Policy {
    /// The policy of the retry guide: what the document `{}` means.
    pub fn standard() -> Self {
        Self::new(Options::default())
    }

    /// The policy that a JSON document describes.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the document, at once. Text that is not JSON is one issue of
    /// kind [`IssueKind::Syntax`] that names line and column.
    ///
    /// # Examples
    ///
    /// ```
    /// use retrywise::Policy;
    ///
    /// let policy = Policy::from_json(r#"{ "extends": "interactive", "maxRetries": 3 }"#)?;
    /// assert_eq!(policy.max_retries(), 3);
    /// assert_eq!(policy.deadline().map(|span| span.get()), Some(3000));
    ///
    /// let issues = Policy::from_json(r#"{ "maxRetrys": 3 }"#).unwrap_err();
    /// assert_eq!(issues.to_string(), r#"unknown field maxRetrys; did you mean "maxRetries"?"#);
    /// # Ok::<(), retrywise::policy::Issues>(())
    /// ```
    #[cfg(feature = "json")]
    pub fn from_json(document: &str) -> Result<Self, Issues> {
        let (tree, issues) = json::parse(document)?;
        Self::from_tree(&tree, issues)
    }

    /// The same, of a document that was read.
    #[cfg(feature = "json")]
    pub(crate) fn from_tree(
        tree: &crate::json::Value<'_>,
        mut issues: Issues,
    ) -> Result<Self, Issues> {
        let mut options = layers::read(tree, "", &mut issues);
        options.check("", &mut issues);
        issues.or(Self::new(options))
    }

    /// What is wrong with a JSON document; nothing, if [`Policy::from_json`] takes it.
    #[cfg(feature = "json")]
    pub fn validate_json(document: &str) -> Vec<Issue> {
        Self::from_json(document).err().map(Issues::into_vec).unwrap_or_default()
    }

    /// Attempts after the first.
    pub const fn max_retries(&self) -> u32 {
        self.options.max_retries
    }

    /// The end of the whole call, counted from its begin.
    pub const fn deadline(&self) -> Option<Millis> {
        self.options.deadline
    }

    /// The end of one attempt, counted from its sending.
    pub const fn attempt_timeout(&self) -> Option<Millis> {
        self.options.attempt_timeout
    }

    /// How much proof a repetition needs.
    pub const fn safety(&self) -> Safety {
        self.options.safety
    }

    /// How long to wait.
    pub const fn backoff(&self) -> &BackoffOptions {
        &self.options.backoff
    }

    /// What a server's hint does to that.
    pub const fn hint(&self) -> &HintOptions {
        &self.options.hint
    }

    /// Outcomes that are seen differently.
    pub const fn retry_on(&self) -> &RetryOn {
        &self.options.retry_on
    }

    /// Methods that are seen differently.
    pub const fn idempotent_methods(&self) -> &IdempotentMethods {
        &self.options.idempotent_methods
    }

    /// Whether sending a request with this method twice means the same as once, as this policy sees
    /// it. The token tells apart what is [`Method::Other`].
    pub fn is_idempotent(&self, method: Method, token: Option<&str>) -> bool {
        self.options.idempotent_methods.is_idempotent_as(method, token)
    }

    /// Keys by which the server recognises a repetition.
    pub const fn idempotency(&self) -> &IdempotencyOptions {
        &self.options.idempotency
    }

    /// How much load retries may add.
    pub const fn budget(&self) -> Option<&BudgetOptions> {
        self.options.budget.as_ref()
    }

    /// The name of the budget that several upstreams draw on.
    pub fn budget_shared(&self) -> Option<&str> {
        self.options.budget_shared.as_deref()
    }

    /// When the upstream is left alone.
    pub const fn breaker(&self) -> Option<&BreakerOptions> {
        self.options.breaker.as_ref()
    }

    /// How calls are held back.
    pub const fn limiter(&self) -> Option<&LimiterOptions> {
        self.options.limiter.as_ref()
    }

    /// When calls are refused here because the server turns too many away.
    pub const fn client_throttle(&self) -> Option<&ClientThrottleOptions> {
        self.options.client_throttle.as_ref()
    }

    /// Units, body codes and key rules of the vendor.
    pub const fn profile(&self) -> Option<&'static Profile> {
        self.options.profile
    }

    /// All of it.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// All of it, to be changed and validated again.
    pub fn into_options(self) -> Options {
        self.options
    }

    /// The budget's options, to be held by those who run under them.
    pub(crate) fn shared_budget(&self) -> Option<Arc<BudgetOptions>> {
        self.budget.clone()
    }

    /// The breaker's options, to be held by those who run under them.
    pub(crate) fn shared_breaker(&self) -> Option<Arc<BreakerOptions>> {
        self.breaker.clone()
    }

    /// Only for options that were checked.
    fn new(options: Options) -> Self {
        let budget = options.budget.map(Arc::new);
        let breaker = options.breaker.clone().map(Arc::new);
        Self { options, budget, breaker }
    }
}
