//! Request methods and what repeating them means (RFC 9110 §9.2, IANA HTTP Method Registry).

use crate::codes::codes;

codes! {
    /// A request method. Tokens are case-sensitive (RFC 9110 §9.1): `get` is [`Method::Other`].
    pub enum Method {
        /// Any other token: nothing is assumed about it.
        Other = 0 => "OTHER",
        /// RFC 9110 §9.3.1: safe, idempotent.
        Get = 1 => "GET",
        /// RFC 9110 §9.3.2: safe, idempotent.
        Head = 2 => "HEAD",
        /// RFC 9110 §9.3.7: safe, idempotent.
        Options = 3 => "OPTIONS",
        /// RFC 9110 §9.3.8: safe, idempotent.
        Trace = 4 => "TRACE",
        /// RFC 9110 §9.3.4: idempotent.
        Put = 5 => "PUT",
        /// RFC 9110 §9.3.5: idempotent.
        Delete = 6 => "DELETE",
        /// RFC 9110 §9.3.3: neither.
        Post = 7 => "POST",
        /// RFC 5789 §2: neither.
        Patch = 8 => "PATCH",
        /// RFC 9110 §9.3.6: neither.
        Connect = 9 => "CONNECT",
        /// RFC 10008: safe, idempotent, with a body.
        Query = 10 => "QUERY",
        /// RFC 4918 §9.1: safe, idempotent.
        Propfind = 11 => "PROPFIND",
        /// RFC 4918 §9.2: idempotent.
        Proppatch = 12 => "PROPPATCH",
        /// RFC 4918 §9.3: idempotent.
        Mkcol = 13 => "MKCOL",
        /// RFC 4918 §9.8: idempotent.
        Copy = 14 => "COPY",
        /// RFC 4918 §9.9: idempotent.
        Move = 15 => "MOVE",
        /// RFC 4918 §9.10: neither.
        Lock = 16 => "LOCK",
        /// RFC 4918 §9.11: idempotent.
        Unlock = 17 => "UNLOCK",
        /// RFC 3253 §3.6: safe, idempotent.
        Report = 18 => "REPORT",
        /// RFC 5323 §2: safe, idempotent.
        Search = 19 => "SEARCH",
        /// RFC 3744 §8.1: idempotent.
        Acl = 20 => "ACL",
        /// RFC 5842 §4: idempotent.
        Bind = 21 => "BIND",
        /// RFC 5842 §6: idempotent.
        Rebind = 22 => "REBIND",
        /// RFC 5842 §5: idempotent.
        Unbind = 23 => "UNBIND",
        /// RFC 4791 §5.3.1: idempotent.
        Mkcalendar = 24 => "MKCALENDAR",
        /// RFC 3648 §7: idempotent.
        Orderpatch = 25 => "ORDERPATCH",
        /// RFC 4437 §6: idempotent.
        Mkredirectref = 26 => "MKREDIRECTREF",
        /// RFC 4437 §7: idempotent.
        Updateredirectref = 27 => "UPDATEREDIRECTREF",
        /// RFC 3253 §4.3: idempotent.
        Checkout = 28 => "CHECKOUT",
        /// RFC 3253 §4.4: idempotent.
        Checkin = 29 => "CHECKIN",
        /// RFC 3253 §4.5: idempotent.
        Uncheckout = 30 => "UNCHECKOUT",
        /// RFC 3253 §8.2: idempotent.
        Label = 31 => "LABEL",
        /// RFC 3253 §11.2: idempotent.
        Merge = 32 => "MERGE",
        /// RFC 3253 §12.6: idempotent.
        BaselineControl = 33 => "BASELINE-CONTROL",
        /// RFC 3253 §13.5: idempotent.
        Mkactivity = 34 => "MKACTIVITY",
        /// RFC 3253 §6.3: idempotent.
        Mkworkspace = 35 => "MKWORKSPACE",
        /// RFC 3253 §7.1: idempotent.
        Update = 36 => "UPDATE",
        /// RFC 3253 §3.5: idempotent.
        VersionControl = 37 => "VERSION-CONTROL",
        /// RFC 2068 §19.6.1.2: idempotent.
        Link = 38 => "LINK",
        /// RFC 2068 §19.6.1.3: idempotent.
        Unlink = 39 => "UNLINK",
    }
}

impl Method {
    /// The method named by `token`; [`Method::Other`] for anything unknown.
    pub fn from_token(token: &str) -> Self {
        Self::from_name(token).unwrap_or(Self::Other)
    }

    /// Whether the method only reads (RFC 9110 §9.2.1).
    pub const fn is_safe(self) -> bool {
        matches!(
            self,
            Self::Get
                | Self::Head
                | Self::Options
                | Self::Trace
                | Self::Query
                | Self::Propfind
                | Self::Report
                | Self::Search
        )
    }

    /// Whether sending it twice means the same as once (RFC 9110 §9.2.2).
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Other | Self::Post | Self::Patch | Self::Connect | Self::Lock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_case_sensitive_and_unknown_ones_assume_nothing() {
        for token in ["get", "Get", "", "PURGE", "FOO", "OTHER "] {
            let method = Method::from_token(token);
            assert_eq!(method, Method::Other, "{token:?}");
            assert!(!method.is_safe() && !method.is_idempotent());
        }
    }

    #[test]
    fn every_safe_method_is_idempotent() {
        for &method in Method::ALL {
            assert!(!method.is_safe() || method.is_idempotent(), "{method}");
            assert_eq!(Method::from_code(method.code()), Some(method));
        }
    }

    #[test]
    fn the_registry_is_kept() {
        assert!(Method::Query.is_safe());
        assert!(Method::Delete.is_idempotent() && !Method::Delete.is_safe());
        assert!(!Method::Post.is_idempotent() && !Method::Patch.is_idempotent());
        assert!(!Method::Lock.is_idempotent() && Method::Unlock.is_idempotent());
    }
}
