//! The states of the trail, and how loud they are.

use crate::{codes::codes, explain::Lang, ledger::Ending, verdict::Reason};

codes! {
    /// What happened to a call.
    pub enum TrailState {
        /// Recorded, not sent.
        Pending = 0 => "pending",
        /// Sent, waiting for the answer.
        Attempted = 1 => "attempted",
        /// The vendor asked to wait.
        RateLimited = 2 => "rate-limited",
        /// The backoff timer runs.
        Retrying = 3 => "retrying",
        /// The vendor answered success, or a person confirmed it.
        Confirmed = 4 => "confirmed",
        /// The limit was reached or the outcome is undecided: handed to a person.
        Failed = 5 => "failed",
        /// A person decided that nothing more is sent.
        Abandoned = 6 => "abandoned",
        /// A person had it sent again under a new key; the new record goes on.
        Replaced = 7 => "replaced",
    }
}

codes! {
    /// Who has to look.
    pub enum Severity {
        /// Nobody: it goes its way.
        Info = 0 => "info",
        /// Whoever sets the rates: the vendor keeps asking to wait.
        Warning = 1 => "warning",
        /// Whoever is on duty: a person has to decide.
        Error = 2 => "error",
    }
}

impl TrailState {
    /// The state as people know it.
    pub const fn label(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Pending, Lang::English) => "pending",
            (Self::Attempted, Lang::English) => "attempted",
            (Self::RateLimited, Lang::English) => "rate limited",
            (Self::Retrying, Lang::English) => "retrying",
            (Self::Confirmed, Lang::English) => "confirmed",
            (Self::Failed, Lang::English) => "failed, in review",
            (Self::Abandoned, Lang::English) => "abandoned",
            (Self::Replaced, Lang::English) => "replaced",
            (Self::Pending, Lang::Arabic) => "قيد الانتظار",
            (Self::Attempted, Lang::Arabic) => "تمت المحاولة",
            (Self::RateLimited, Lang::Arabic) => "محدود المعدل",
            (Self::Retrying, Lang::Arabic) => "قيد إعادة المحاولة",
            (Self::Confirmed, Lang::Arabic) => "مؤكد",
            (Self::Failed, Lang::Arabic) => "فاشل",
            (Self::Abandoned, Lang::Arabic) => "متروك",
            (Self::Replaced, Lang::Arabic) => "مستبدل",
        }
    }

    /// Whether nothing more is sent for the call.
    pub const fn is_last(self) -> bool {
        matches!(self, Self::Confirmed | Self::Failed | Self::Abandoned | Self::Replaced)
    }

    /// The state of a call that waits after this end of an attempt.
    pub(crate) fn waiting(ending: &Ending) -> Self {
        let asked = ending.rate_limited
            || ending.status == Some(429)
            || matches!(ending.reason, Some(Reason::ServerHint | Reason::RateLimited));
        if asked { Self::RateLimited } else { Self::Retrying }
    }
}

impl Severity {
    /// The level as people know it.
    pub const fn label(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Info, Lang::Arabic) => "معلومة",
            (Self::Warning, Lang::Arabic) => "تحذير",
            (Self::Error, Lang::Arabic) => "خطأ",
            (level, Lang::English) => level.name(),
        }
    }
}
