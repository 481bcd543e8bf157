//! What a text of a policy may be.

use crate::text::{after, trim_end};

/// What a text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextRule {
    /// Anything that is not empty.
    Text,
    /// A token of RFC 9110 §5.6.2: what header names and methods are made of.
    Token,
    /// A token, or null for none.
    MaybeToken,
    /// An origin of a match rule.
    Origin,
    /// A path pattern of a match rule.
    Path,
}

impl TextRule {
    /// Whether the text is allowed.
    pub(crate) fn accepts(self, text: &str) -> bool {
        let fits = !text.is_empty() && text.len() <= Self::MAX_BYTES;
        fits && match self {
            Self::Text => true,
            Self::Token | Self::MaybeToken => text.bytes().all(is_token_byte),
            Self::Origin => match after(text, "://") {
                Some(authority) => {
                    let authority = trim_end(authority, b'/');
                    !text.starts_with(':')
                        && !authority.is_empty()
                        && !authority.bytes().any(|b| matches!(b, b'/' | b'?' | b'#' | b'@'))
                }
                None => text == "*",
            },
            Self::Path => {
                matches!(text.as_bytes(), [b'/' | b'*', ..])
                    && !text.bytes().any(|b| matches!(b, b'?' | b'#'))
            }
        }
    }

    /// What is allowed, in words.
    pub(crate) const fn phrase(self) -> &'static str {
        match self {
            Self::Text => "a text of 1 to 1024 bytes",
            Self::Token => "a token (RFC 9110) of 1 to 1024 bytes",
            Self::MaybeToken => "a token (RFC 9110) of 1 to 1024 bytes or null",
            Self::Origin => "an origin such as \"https://api.example.com\", or \"*\"",
            Self::Path => "a path that starts with \"/\" or \"*\", without query",
        }
    }

    const MAX_BYTES: usize = 1024;
}

const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_no_room_for_a_second_header() {
        for good in ["Idempotency-Key", "X-Request-Id", "!#$%&'*+-.^_`|~09azAZ"] {
            assert!(TextRule::Token.accepts(good), "{good}");
        }
        for bad in ["", "a b", "a:b", "a\r\nb", "a\0", "é", "a\"", "(a)", "a\t"] {
            assert!(!TextRule::Token.accepts(bad), "{bad:?}");
        }
        let longest = "a".repeat(1024);
        assert!(TextRule::Token.accepts(&longest));
        assert!(!TextRule::Token.accepts(&(longest + "a")));
    }

    #[test]
    fn an_origin_has_scheme_and_host_and_nothing_after() {
        for good in ["https://a.example", "http://localhost:8080", "https://*.a.example/", "*"] {
            assert!(TextRule::Origin.accepts(good), "{good}");
        }
        for bad in ["", "a.example", "https://", "://a", "https://a/b", "https://a?b", "http://u@a"]
        {
            assert!(!TextRule::Origin.accepts(bad), "{bad}");
        }
    }

    #[test]
    fn a_path_pattern_is_rooted() {
        for (pattern, good) in
            [("/", true), ("/v1/*", true), ("*", true), ("v1", false), ("", false), ("/a?b", false)]
        {
            assert_eq!(TextRule::Path.accepts(pattern), good, "{pattern}");
        }
    }
}
