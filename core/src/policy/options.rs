//! The settings of a policy before they are checked: plain data to fill in.

use alloc::boxed::Box;

use crate::{
    classify::RetryOn,
    policy::{
        BackoffOptions, BreakerOptions, BudgetOptions, ClientThrottleOptions, HintOptions,
        IdempotencyOptions, IdempotentMethods, Issues, LimiterOptions, Policy, Safety,
        budget::BudgetSlot,
        check::check,
        fields::{Fields, LONGEST, Slot, Spec, Visitor},
        methods::RetryOnSlot,
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

/// The fields of a document, but for `extends` and `profile`: they choose what lies below it.
impl Fields for Options {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let span = Spec::span(1, LONGEST).or_null();
        v.number("maxRetries", Spec::count(0, 1_000_000), Slot::Count(&mut self.max_retries));
        v.number("deadlineMs", span, Slot::MaybeSpan(&mut self.deadline));
        v.number("attemptTimeoutMs", span, Slot::MaybeSpan(&mut self.attempt_timeout));
        v.name("safety", &mut self.safety);
        v.object("backoff", &mut self.backoff);
        v.object("hint", &mut self.hint);
        let methods = &mut self.idempotent_methods;
        v.object("retryOn", &mut RetryOnSlot { retry_on: &mut self.retry_on, methods });
        v.object("idempotency", &mut self.idempotency);
        let shared = &mut self.budget_shared;
        v.optional("budget", &mut BudgetSlot { budget: &mut self.budget, shared });
        v.optional("breaker", &mut self.breaker);
        v.optional("limiter", &mut self.limiter);
        v.optional("clientThrottling", &mut self.client_throttle);
    }
}
