//! Keys by which a server recognises a repeated request.

use alloc::boxed::Box;

use crate::{
    codes::codes,
    policy::{
        fields::{Place, What, fields},
        spec::{DURATION, DURATION_OR_NULL, LONGEST, Spec},
        text_rule::TextRule,
    },
    time::Millis,
};

codes! {
    /// How the key is written into its header. Default: [`KeyFormat::Bare`].
    pub enum KeyFormat {
        /// As it is.
        Bare = 0 => "bare",
        /// As a structured-field string, in double quotes (RFC 9651 §3.3.3).
        Quoted = 1 => "quoted",
    }
}

codes! {
    /// What a generated key is made of. Default: [`KeyVersion::V4`].
    pub enum KeyVersion {
        /// Random bits (`UUIDv4`, RFC 9562 §5.4).
        V4 = 0 => "v4",
        /// The wall clock and random bits (`UUIDv7`, RFC 9562 §5.7): keys sort by age. Needs a
        /// wall clock.
        V7 = 1 => "v7",
    }
}

/// The policy's `idempotency` object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyOptions {
    /// The name of the request header, a token (RFC 9110 §5.6.2). Default `Idempotency-Key`.
    pub header: Box<str>,
    /// How the key is written there.
    pub format: KeyFormat,
    /// Make a key for calls with a non-idempotent method that bring none. Default `false`.
    pub generate: bool,
    /// What such a key is made of. A key derived from a business event is always a `UUIDv5`.
    pub version: KeyVersion,
    /// The name of the header that says when the key was first sent, an IMF-fixdate that stays the
    /// same on every attempt (OASIS Repeatable Requests 1.0: `Repeatability-First-Sent`); a token.
    /// Needs a wall clock. Default `None`: there is no such header.
    pub first_sent_header: Option<Box<str>>,
    /// The server deduplicates by this key, so a request that carries it is safe to repeat inside
    /// the window. Default `false`.
    pub honoured: bool,
    /// How long the server remembers a key, by the wall clock: 1 s to 366 days, default 24 h.
    pub window: Millis,
    /// How long a worker owns a ledger record without renewing it: 0 to 366 days, default 60 s.
    pub lease: Millis,
    /// How long a completed ledger record is kept: 0 to 366 days; default `None`, for good.
    pub retention: Option<Millis>,
}

impl Default for IdempotencyOptions {
    fn default() -> Self {
        Self {
            header: "Idempotency-Key".into(),
            format: KeyFormat::Bare,
            generate: false,
            version: KeyVersion::V4,
            first_sent_header: None,
            honoured: false,
            window: Millis::new(86_400_000),
            lease: Millis::new(60_000),
            retention: None,
        }
    }
}

fields! { IdempotencyOptions {
    "header": What::Text(TextRule::Token) => |i| Place::Text(&mut i.header),
    "format": What::Name(KeyFormat::NAMES) => |i| Place::Name(&mut i.format),
    "generate": What::Flag => |i| Place::Flag(&mut i.generate),
    "version": What::Name(KeyVersion::NAMES) => |i| Place::Name(&mut i.version),
    "firstSentHeader": What::Text(TextRule::MaybeToken) => |i| Place::MaybeText(&mut i.first_sent_header),
    "honoured": What::Flag => |i| Place::Flag(&mut i.honoured),
    "windowMs": What::Number(&WINDOW) => |i| Place::Span(&mut i.window),
    "leaseMs": What::Number(&DURATION) => |i| Place::Span(&mut i.lease),
    "retentionMs": What::Number(&DURATION_OR_NULL) => |i| Place::MaybeSpan(&mut i.retention),
} }

const WINDOW: Spec = Spec::span(1_000, LONGEST);
