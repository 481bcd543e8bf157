//! What the core is told about a request before its first attempt.

use crate::{method::Method, outcome::Header, time::UnixMillis};

/// The header by which an outer layer tells inner ones that it retries already: its value is the
/// number of the outer attempt. A request that carries it is [`nested`](Request::nested).
pub const LAYER_HEADER: &str = "x-retry-layer";

/// One logical request, before its first attempt.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The method. Default: GET.
    pub method: Method,
    /// The method's token where `method` is [`Method::Other`], so that a policy can name it.
    pub token: Option<&'a str>,
    /// The caller's own idempotency key. Default: none.
    pub key: Option<&'a str>,
    /// 128 random bits from the host, to make a key from where the policy generates one (in one
    /// that begins with the time, 74 of them stay).
    pub entropy: Option<[u8; 16]>,
    /// When the key was first sent, where an earlier process did that: the window runs from then,
    /// and the header of the first sending says so. Default: now.
    pub first_sent: Option<UnixMillis>,
    /// The business event that this call carries out, to derive a key from.
    pub event: Option<&'a str>,
    /// The headers that the request has already. A key header among them counts as the caller's
    /// key; [`LAYER_HEADER`] makes the call nested.
    pub headers: &'a [Header<'a>],
    /// Whether the body can be sent again. Default: true.
    pub replayable_body: bool,
    /// Overrides what the method says about idempotency. Default: the policy's methods, then the
    /// method's own.
    pub idempotent: Option<bool>,
    /// Higher goes first where calls wait for the rate limit. Default: 0.
    pub priority: i32,
    /// By what a call is known that was refused with `rate-limited` and begins again: any number
    /// of the host's, the same each time. It keeps the call's place, and its deadline runs from
    /// the first time. Default: none; then it takes the oldest place of its priority whose time
    /// has come.
    pub ticket: Option<u64>,
    /// A layer above this one retries the call already. Default: false.
    pub nested: bool,
}

impl Default for Request<'_> {
    fn default() -> Self {
        Self {
            method: Method::Get,
            token: None,
            key: None,
            entropy: None,
            first_sent: None,
            event: None,
            headers: &[],
            replayable_body: true,
            idempotent: None,
            priority: 0,
            ticket: None,
            nested: false,
        }
    }
}

impl<'a> Request<'a> {
    /// A request of this method and nothing else.
    pub fn new(method: Method) -> Self {
        Self { method, ..Self::default() }
    }

    /// The same request with the caller's own key.
    #[must_use]
    pub fn with_key(mut self, key: &'a str) -> Self {
        self.key = Some(key);
        self
    }

    /// Whether a layer above retries this call.
    pub(crate) fn is_nested(&self) -> bool {
        self.nested || self.headers.iter().any(|h| h.name.eq_ignore_ascii_case(LAYER_HEADER))
    }

    /// The value of the key header among its headers, if it brings one.
    pub(crate) fn header_key(&self, name: &str) -> Option<&'a str> {
        let found = self.headers.iter().find(|h| h.name.eq_ignore_ascii_case(name))?;
        core::str::from_utf8(crate::outcome::trim(found.value)).ok()
    }
}
