//! UUIDs (RFC 9562) as keys are made of them: versions 4, 5 and 7, in hyphens and lower case.

use alloc::{boxed::Box, string::String};

use super::sha1::sha1;

/// The UUID of these bytes, once the version and the variant of the RFC are in their places.
pub(super) fn versioned(mut bytes: [u8; 16], version: u8) -> Box<str> {
    bytes[6] = bytes[6] & 0x0F | version << 4;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.into_iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(if digit < 10 { b'0' + digit } else { b'a' - 10 + digit }));
        }
    }
    text.into_boxed_str()
}

/// Version 5: of the name that the pieces make together, the namespace first.
pub(super) fn named(pieces: &[&[u8]]) -> Box<str> {
    let digest = sha1(pieces);
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    versioned(bytes, 5)
}

/// Whether a text is a UUID with hyphens, in letters of either case.
pub(super) fn is_hyphenated(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn another_maker_makes_the_same() {
        for fill in 0..=255_u8 {
            let bytes = core::array::from_fn(|at| fill.wrapping_mul(31).wrapping_add(at as u8));
            let expected = ::uuid::Builder::from_random_bytes(bytes).into_uuid().to_string();
            assert_eq!(*versioned(bytes, 4), expected);
            assert!(is_hyphenated(&expected) && is_hyphenated(&expected.to_uppercase()));
        }
    }

    #[test]
    fn only_the_hyphenated_form_is_one() {
        for text in [
            "",
            "8e03978e40d543e8bc936894a57f9324",
            "8e03978e-40d5-43e8-bc93-6894a57f932g",
            "8e03978e+40d5-43e8-bc93-6894a57f9324",
            "{8e03978e-40d5-43e8-bc93-6894a57f9324}",
            "8e03978e-40d5-43e8-bc93-6894a57f93é",
        ] {
            assert!(!is_hyphenated(text), "{text}");
        }
    }
}
