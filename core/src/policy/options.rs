//! The settings of a policy before they are checked: plain data to fill in.

use alloc::boxed::Box;

use crate::{
    classify::RetryOn,
    policy::{
        BackoffOptions, BreakerOptions, BudgetOptions, ClientThrottleOptions, HintOptions,
        IdempotencyOptions, IdempotentMethods, Issues, LimiterOptions, Policy, Safety,
        budget::BudgetSlot,
        check::check,
        fields::{Place, What, fields},
        methods::RetryOnSlot,
        spec::{LONGEST, MILLION, Spec},
    },
    profile::Profile,
    time::Millis,
};

/// Everything that a policy says. The default is the `standard` policy.
///
/// # Examples
///
/// ```
/// use retrywise::{Millis, policy::Options};
///
/// let policy = Options { max_retries: 2, ..Options::default() }.validate()?;
/// assert_eq!(policy.max_retries(), 2);
///
/// let mut options = Options::default();
/// options.backoff.base = Millis::from_secs(60);
/// let issues = options.validate().unwrap_err();
/// assert_eq!(issues.as_slice()[0].field, "backoff.baseMs"); // above the cap of 30 s
/// # Ok::<(), retrywise::policy::Issues>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Units, body codes and key rules of one vendor. Default `None`.
    ///
    /// A document that names a profile also takes the settings that come with it; here only its
    /// tables are used, since every setting is stated already.
    pub profile: Option<&'static Profile>,
    /// Attempts after the first, 0 to 1 000 000, default 5.
    pub max_retries: u32,
    /// The end of the whole call, waits included: 1 ms to 366 days. Default `None`.
    pub deadline: Option<Millis>,
    /// The end of one attempt: 1 ms to 366 days. Default `None`: the client's own timeout holds.
    pub attempt_timeout: Option<Millis>,
    /// How much proof a repetition needs.
    pub safety: Safety,
    /// How long to wait.
    pub backoff: BackoffOptions,
    /// What a server's hint does to that.
    pub hint: HintOptions,
    /// Outcomes that are seen differently: statuses 100 to 999, errors not empty.
    pub retry_on: RetryOn,
    /// Methods that are seen differently (`retryOn.methods`): tokens.
    pub idempotent_methods: IdempotentMethods,
    /// Keys by which the server recognises a repetition.
    pub idempotency: IdempotencyOptions,
    /// How much load retries may add. Default: a tenth; `None`: as much as they will.
    pub budget: Option<BudgetOptions>,
    /// The name under which several upstreams draw on one budget (`budget.shared`), not empty.
    /// Default `None`: each has its own.
    pub budget_shared: Option<Box<str>>,
    /// When the upstream is left alone. Default: by rate; `None`: never.
    pub breaker: Option<BreakerOptions>,
    /// How calls are held back. Default `None`: not at all.
    pub limiter: Option<LimiterOptions>,
    /// When calls are refused here because the server turns too many away (`clientThrottling`).
    /// Default `None`: never.
    pub client_throttle: Option<ClientThrottleOptions>,
}

impl Options {
    /// The policy with these settings.
    ///
    /// # Errors
    ///
    /// Every value that is out of its range and every contradiction, at once, under the field
    /// names of the JSON document.
    pub fn validate(mut self) -> Result<Policy, Issues> {
        let mut issues = Issues::none();
        self.check("", &mut issues);
        issues.or(Policy::new(self))
    }

    /// Reports what is wrong, under `prefix` (empty, or ending in a dot).
    pub(crate) fn check(&mut self, prefix: &str, issues: &mut Issues) {
        check(self, prefix, issues);
        self.backoff.contradictions(prefix, issues);
        if let Some(breaker) = &self.breaker {
            breaker.contradictions(prefix, issues);
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            profile: None,
            max_retries: 5,
            deadline: None,
            attempt_timeout: None,
            safety: Safety::Proven,
            backoff: BackoffOptions::default(),
            hint: HintOptions::default(),
            retry_on: RetryOn::default(),
            idempotent_methods: IdempotentMethods::default(),
            idempotency: IdempotencyOptions::default(),
            budget: Some(BudgetOptions::default()),
            budget_shared: None,
            breaker: Some(BreakerOptions::default()),
            limiter: None,
            client_throttle: None,
        }
    }
}

// The fields of a document, but for `extends` and `profile`: they choose what lies below it.
fields! { Options {
    "maxRetries": What::Number(&MILLION) => |o| Place::Count(&mut o.max_retries),
    "deadlineMs": What::Number(&END) => |o| Place::MaybeSpan(&mut o.deadline),
    "attemptTimeoutMs": What::Number(&END) => |o| Place::MaybeSpan(&mut o.attempt_timeout),
    "safety": What::Name(Safety::NAMES) => |o| Place::Name(&mut o.safety),
    "backoff": What::Object => |o| Place::Object(&mut o.backoff),
    "hint": What::Object => |o| Place::Object(&mut o.hint),
    "retryOn": What::Object => view |o| Place::Object(&mut RetryOnSlot {
        retry_on: &mut o.retry_on,
        methods: &mut o.idempotent_methods,
    }),
    "idempotency": What::Object => |o| Place::Object(&mut o.idempotency),
    "budget": What::Optional => view |o| Place::Optional(&mut BudgetSlot {
        budget: &mut o.budget,
        shared: &mut o.budget_shared,
    }),
    "breaker": What::Optional => |o| Place::Optional(&mut o.breaker),
    "limiter": What::Optional => |o| Place::Optional(&mut o.limiter),
    "clientThrottling": What::Optional => |o| Place::Optional(&mut o.client_throttle),
} }

/// When a call or an attempt ends, or that it does not.
const END: Spec = Spec::span(1, LONGEST).or_null();
