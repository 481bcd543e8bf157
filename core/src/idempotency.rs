//! Idempotency keys: made once per call, before the first send, the same on every attempt.
//!
//! A key is the caller's own, or derived from a business event, or made of 128 random bits that
//! the host supplies, alone (`UUIDv4`) or behind a time (`UUIDv7`). It never comes from the seeded
//! generator: two processes with one seed must never mint one key twice.

use alloc::{boxed::Box, string::String};

use uuid::{Builder, Uuid};

use crate::{
    policy::{KeyFormat, KeyVersion},
    profile::{KeyShape, Profile},
    time::UnixMillis,
};

/// The longest key that any known vendor takes; profiles may say less.
pub const MAX_KEY_LEN: usize = 255;

/// The namespace of keys derived from business events: the `UUIDv5` (RFC 9562 §5.5) of
/// `https://retrywise.dev/event` in the namespace of URLs.
const EVENT_NAMESPACE_UUID: [u8; 16] = [
    0x15, 0xd9, 0xf6, 0x7e, 0x3b, 0x9b, 0x5b, 0x70, 0x8b, 0xa8, 0x33, 0x2a, 0x9d, 0x40, 0x28, 0xfa,
];

/// A checked idempotency key: 1 to 255 visible ASCII characters, so that no header can be
/// injected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key(Box<str>);

/// Why a key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// No character at all.
    Empty,
    /// More characters than allowed.
    TooLong {
        /// Characters given.
        length: usize,
        /// Characters allowed.
        max: usize,
    },
    /// A character outside visible ASCII (0x21 to 0x7E), at this byte.
    Character {
        /// Offset of the offending byte.
        at: usize,
    },
    /// The vendor takes only UUIDs with hyphens.
    NotUuid,
}

/// What a vendor takes as a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyRule {
    /// The most characters, 1 to 255.
    pub max_len: usize,
    /// What the key must look like.
    pub shape: KeyShape,
}

impl Default for KeyRule {
    /// Any visible ASCII, up to 255 characters.
    fn default() -> Self {
        Self::ANY
    }
}

impl KeyRule {
    /// Any visible ASCII, up to 255 characters.
    pub const ANY: Self = Self { max_len: MAX_KEY_LEN, shape: KeyShape::Any };

    /// The rule of a vendor, or of no vendor in particular.
    pub fn of(profile: Option<&Profile>) -> Self {
        let Some(profile) = profile else { return Self::default() };
        let max_len = match usize::from(profile.key_max_len) {
            0 => MAX_KEY_LEN,
            max => max.min(MAX_KEY_LEN),
        };
        Self { max_len, shape: profile.key_shape }
    }

    /// The caller's own key, if the vendor takes it.
    ///
    /// # Errors
    /// As [`Key::own`], or not of the vendor's shape.
    pub fn own(&self, key: &str) -> Result<Key, KeyError> {
        self.check(Key::own(key, self.max_len)?)
    }

    /// A key from a header that is set already, if the vendor takes it.
    ///
    /// # Errors
    /// As [`KeyRule::own`].
    pub fn from_header(&self, value: &str) -> Result<Key, KeyError> {
        self.check(Key::from_header(value, self.max_len)?)
    }

    /// The same key, if the vendor takes it.
    ///
    /// # Errors
    /// As [`KeyRule::own`].
    pub fn check(&self, key: Key) -> Result<Key, KeyError> {
        if key.0.len() > self.max_len {
            return Err(KeyError::TooLong { length: key.0.len(), max: self.max_len });
        }
        if self.shape == KeyShape::Uuid && !is_hyphenated_uuid(&key.0) {
            return Err(KeyError::NotUuid);
        }
        Ok(key)
    }
}

impl Key {
    /// The caller's own key, at most `max` characters (0 or more than 255 means 255).
    ///
    /// # Errors
    /// Empty, too long, or a character outside visible ASCII.
    pub fn own(key: &str, max: usize) -> Result<Self, KeyError> {
        let max = if max == 0 { MAX_KEY_LEN } else { max.min(MAX_KEY_LEN) };
        if key.is_empty() {
            return Err(KeyError::Empty);
        }
        if let Some(at) = key.bytes().position(|b| !b.is_ascii_graphic()) {
            return Err(KeyError::Character { at });
        }
        if key.len() > max {
            return Err(KeyError::TooLong { length: key.len(), max });
        }
        Ok(Self(key.into()))
    }

    /// A `UUIDv4` made of 128 random bits from the host.
    pub fn from_entropy(entropy: [u8; 16]) -> Self {
        Self::from_uuid(Builder::from_random_bytes(entropy).into_uuid())
    }

    /// A `UUIDv7` of the time at which it is made and 80 of the host's random bits, of which 74
    /// stay (RFC 9562 §5.7): keys of one table sort by age. A time outside 1970 to 10889 counts as
    /// the nearest one inside.
    pub fn from_entropy_at(entropy: [u8; 16], at: UnixMillis) -> Self {
        const LAST: u64 = (1 << 48) - 1;
        let ms = u64::try_from(at.get()).unwrap_or(0).min(LAST);
        let [_, _, _, _, _, _, random @ ..] = entropy;
        Self::from_uuid(Builder::from_unix_timestamp_millis(ms, &random).into_uuid())
    }

    /// A new key of this version from the host's random bits; `None` where the version needs a
    /// wall clock and there is none.
    pub fn generate(
        version: KeyVersion,
        entropy: [u8; 16],
        wall: Option<UnixMillis>,
    ) -> Option<Self> {
        match version {
            KeyVersion::V4 => Some(Self::from_entropy(entropy)),
            KeyVersion::V7 => wall.map(|wall| Self::from_entropy_at(entropy, wall)),
        }
    }

    /// The key of a business event: the same event gives the same key in every process, at any
    /// time (`UUIDv5`, so that any language can recompute it).
    pub fn from_event(event: &str) -> Self {
        Self::from_uuid(Uuid::new_v5(&Uuid::from_bytes(EVENT_NAMESPACE_UUID), event.as_bytes()))
    }

    /// The key itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key as the header's value: as it is, or as a structured-field string with `"` and `\`
    /// escaped (RFC 9651 §3.3.3; draft-ietf-httpapi-idempotency-key-header).
    pub fn header_value(&self, format: KeyFormat) -> String {
        if format == KeyFormat::Bare {
            return String::from(&*self.0);
        }
        let mut value = String::with_capacity(self.0.len() + 2);
        value.push('"');
        for c in self.0.chars() {
            if matches!(c, '"' | '\\') {
                value.push('\\');
            }
            value.push(c);
        }
        value.push('"');
        value
    }

    /// A key from a header that is set already, in either format.
    ///
    /// # Errors
    /// As [`Key::own`].
    pub fn from_header(value: &str, max: usize) -> Result<Self, KeyError> {
        let Some(inner) = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) else {
            return Self::own(value, max);
        };
        let mut key = String::with_capacity(inner.len());
        let mut escaped = false;
        for c in inner.chars() {
            if c == '\\' && !escaped {
                escaped = true;
            } else {
                key.push(c);
                escaped = false;
            }
        }
        Self::own(&key, max)
    }
}

impl Key {
    fn from_uuid(uuid: Uuid) -> Self {
        Self(Box::from(&*uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer())))
    }
}

/// Whether a text is a UUID with hyphens, in letters of either case. By hand: the parser of every
/// form makes a module a kilobyte larger.
fn is_hyphenated_uuid(text: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == uuid::fmt::Hyphenated::LENGTH && text.bytes().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_key_that_could_inject_a_header_is_refused() {
        assert_eq!(Key::own("a\r\nx: y", 0), Err(KeyError::Character { at: 1 }));
        assert_eq!(Key::own("", 0), Err(KeyError::Empty));
        assert_eq!(Key::own("é", 0), Err(KeyError::Character { at: 0 }));
        let long = "k".repeat(256);
        assert_eq!(Key::own(&long, 0), Err(KeyError::TooLong { length: 256, max: 255 }));
        assert_eq!(Key::own("order-1", 5), Err(KeyError::TooLong { length: 7, max: 5 }));
        assert!(Key::own(&"k".repeat(255), 0).is_ok());
    }

    #[test]
    fn entropy_gives_a_version_4_uuid_and_an_event_always_the_same_version_5() {
        let key = Key::from_entropy([0xFF; 16]);
        assert_eq!(key.as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        let event = Key::from_event("renewal/2026/42");
        assert_eq!(event, Key::from_event("renewal/2026/42"));
        assert_ne!(event, Key::from_event("renewal/2026/43"));
        assert_eq!(event.as_str().as_bytes()[14], b'5');
    }

    #[test]
    fn the_namespace_of_events_and_their_keys_are_those_of_another_maker() {
        let namespace = Uuid::new_v5(&Uuid::NAMESPACE_URL, b"https://retrywise.dev/event");
        assert_eq!(namespace.into_bytes(), EVENT_NAMESPACE_UUID);
        for length in [0, 1, 38, 39, 40, 47, 48, 49, 103, 104, 300] {
            let event = "e".repeat(length);
            let expected = Uuid::new_v5(&namespace, event.as_bytes()).to_string();
            assert_eq!(Key::from_event(&event).as_str(), expected);
        }
    }

    #[test]
    fn a_version_7_uuid_begins_with_its_time_and_keeps_74_random_bits() {
        // RFC 9562, appendix A.6: 2022-02-22T19:22:22Z.
        let at = UnixMillis::new(1_645_557_742_000);
        let entropy = |low: u8| core::array::from_fn(|i| if i == 15 { low } else { 0xFF });
        let key = Key::from_entropy_at(entropy(0x0F), at);
        assert_eq!(key.as_str(), "017f22e2-79b0-7fff-bfff-ffffffffff0f");
        assert_ne!(key, Key::from_entropy_at(entropy(0x0E), at));
        assert!(
            key.as_str()
                < Key::from_entropy_at([0; 16], UnixMillis::new(1_645_557_742_001)).as_str()
        );
        for ms in [i64::MIN, -1, 0, i64::MAX] {
            let key = Key::from_entropy_at([0; 16], UnixMillis::new(ms));
            assert_eq!(key.as_str().as_bytes()[14], b'7');
        }
        let last = Key::from_entropy_at([0; 16], UnixMillis::new(i64::MAX));
        assert_eq!(last.as_str(), "ffffffff-ffff-7000-8000-000000000000");
        assert_eq!(Key::generate(KeyVersion::V7, [0; 16], None), None, "a time is needed");
        assert_eq!(Key::generate(KeyVersion::V4, [1; 16], None), Some(Key::from_entropy([1; 16])));
    }

    #[test]
    fn a_vendor_takes_keys_of_its_own_length_and_shape() {
        let rule = |id| KeyRule::of(crate::profile::find(id));
        let long = |n| "k".repeat(n);
        for (id, longest) in [("square", 45), ("adyen", 64), ("paypal", 108), ("stripe", 255)] {
            assert!(rule(id).own(&long(longest)).is_ok(), "{id}");
            let error = KeyError::TooLong { length: longest + 1, max: longest };
            assert_eq!(rule(id).own(&long(longest + 1)), Err(error), "{id}");
        }
        let uuid = rule("partner-center");
        assert_eq!(uuid.own("order-42"), Err(KeyError::NotUuid));
        assert_eq!(uuid.own("8e03978e40d543e8bc936894a57f9324"), Err(KeyError::NotUuid));
        assert!(uuid.own("8e03978e-40d5-43e8-bc93-6894a57f9324").is_ok());
        assert!(uuid.from_header("\"8e03978e-40d5-43e8-bc93-6894a57f9324\"").is_ok());
        assert!(uuid.own("8E03978E-40D5-43E8-BC93-6894A57F9324").is_ok());
        for text in [
            "8e03978e-40d5-43e8-bc93-6894a57f932",
            "8e03978e-40d5-43e8-bc93-6894a57f932g",
            "8e03978e-40d5-43e8bc-93-6894a57f9324",
            "8e03978e40d5-43e8-bc93-6894a57f9324-",
            "------------------------------------",
        ] {
            assert!(Uuid::try_parse(text).is_err(), "{text}");
            assert_eq!(uuid.own(text), Err(KeyError::NotUuid), "{text}");
        }
        assert!(uuid.check(Key::from_event("renewal")).is_ok());
        assert_eq!(KeyRule::of(None), KeyRule::default());
    }

    #[test]
    fn the_quoted_form_is_a_structured_field_string_and_reads_back() {
        let key = Key::own(r#"a"b\c"#, 0).unwrap();
        assert_eq!(key.header_value(KeyFormat::Bare), r#"a"b\c"#);
        assert_eq!(key.header_value(KeyFormat::Quoted), r#""a\"b\\c""#);
        assert_eq!(Key::from_header(r#""a\"b\\c""#, 0), Ok(key.clone()));
        assert_eq!(Key::from_header("plain", 0), Key::own("plain", 0));
    }
}
