//! The response headers that this crate reads.
//!
//! For bindings: an answer has twenty headers, of which one or two matter, and each that crosses a
//! boundary costs. A host asks once for each name it meets.

use crate::{
    profile::{self, Test},
    text::same,
};

/// The names that are compared whole, lower case, sorted.
const NAMES: &[&str] = &[
    "age",
    "cf-error-type",
    "content-type",
    "date",
    "grpc-retry-pushback-ms",
    "grpc-status",
    "idempotent-replayed",
    "proxy-status",
    "retry-after",
    "retry-after-ms",
    "stripe-should-retry",
    "x-amz-retry-after",
    "x-envoy-overloaded",
    "x-ms-retry-after-ms",
    "x-shopify-shop-api-call-limit",
    "x-should-retry",
];

/// What stands in the name of every rate-limit header.
const PARTS: [&str; 2] = ["ratelimit", "rate-limit"];

/// Whether leaving out the response header `name`, any case, could change an answer of this crate.
///
/// ```
/// assert!(retrywise::headers::is_read("Retry-After"));
/// assert!(retrywise::headers::is_read("anthropic-ratelimit-tokens-reset"));
/// assert!(!retrywise::headers::is_read("content-length"));
/// ```
pub fn is_read(name: &str) -> bool {
    is_read_without_profile(name)
        || profile::ALL.iter().any(|profile| {
            let is = |known: &str| same(known.as_bytes(), name.as_bytes());
            profile.code_headers.iter().any(|known| is(known))
                || profile
                    .rules
                    .iter()
                    .any(|rule| matches!(rule.test, Test::Header(known, _) if is(known)))
        })
}

/// The same where no vendor profile is ever named.
///
/// ```
/// assert!(retrywise::headers::is_read_without_profile("Retry-After"));
/// assert!(!retrywise::headers::is_read_without_profile("x-amzn-errortype"));
/// ```
pub fn is_read_without_profile(name: &str) -> bool {
    NAMES.iter().any(|known| same(known.as_bytes(), name.as_bytes()))
        || PARTS.iter().any(|part| contains(name, part))
}

fn contains(name: &str, part: &str) -> bool {
    name.as_bytes().windows(part.len()).any(|w| same(w, part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use alloc::{string::String, vec::Vec};
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn names_compare_without_case_and_are_sorted() {
        assert!(NAMES.is_sorted());
        for name in NAMES {
            assert!(is_read(name) && is_read(&name.to_ascii_uppercase()), "{name}");
        }
        for name in ["", "x", "content-length", "set-cookie", "retry-afte", "rateLimi"] {
            assert!(!is_read(name), "{name}");
        }
    }

    /// A reader that asks for a header which no binding passes would be deaf in JavaScript only.
    #[test]
    fn a_header_that_only_a_vendor_gives_a_meaning_is_read_with_its_profile() {
        let codes = profile::ALL.iter().flat_map(|profile| profile.code_headers);
        let rules = profile::ALL.iter().flat_map(|profile| profile.rules);
        let tests = rules.filter_map(|rule| match rule.test {
            Test::Header(name, _) => Some(name),
            _ => None,
        });
        let names: Vec<_> = codes.copied().chain(tests).collect();
        assert!(names.contains(&"x-amzn-errortype"), "{names:?}");
        assert!(names.iter().all(|name| is_read(name)), "{names:?}");
        assert!(!is_read_without_profile("x-amzn-errortype") && !is_read("content-length"));
    }

    #[test]
    fn every_header_that_a_reader_asks_for_is_listed() {
        let mut asked = Vec::new();
        scan(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut asked);
        assert!(asked.len() > 10, "the readers were not found: {asked:?}");
        for name in asked {
            assert!(is_read(&name), "{name} is read, but is_read does not say so");
        }
    }

    /// Collects the names in the calls that read a header, and in lists of vendors' names.
    fn scan(folder: &Path, asked: &mut Vec<String>) {
        const CALLS: [&str; 5] =
            [".header(\"", ".header_values(\"", "has_header(\"", ".span(\"", ".longest(\""];
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                scan(&path, asked);
                continue;
            }
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            // The table of profiles is asked itself, and names request headers too.
            const SKIPPED: [&str; 3] = ["headers.rs", "tests.rs", "table.rs"];
            if !is_rust || SKIPPED.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            let source = fs::read_to_string(&path).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            for call in CALLS {
                for after in code.split(call).skip(1) {
                    asked.extend(after.split('"').next().map(String::from));
                }
            }
            let vendors = code.split('"').filter(|text| {
                text.starts_with("x-") && !text.contains(' ') && *text != crate::LAYER_HEADER
            });
            asked.extend(vendors.map(String::from));
        }
    }
}
