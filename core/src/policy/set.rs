//! All services of a team in one document: named policies, and which request gets which.

#[cfg(feature = "json")]
mod json;

use alloc::{boxed::Box, vec::Vec};

use crate::policy::{
    Options, Policy,
    check::{check, quoted},
    fields::{Place, What, fields},
    issue::{IssueKind, Issues},
    nearest::suggestion,
    text_rule::TextRule,
};
use crate::text::{join, number, trim_end};

/// A policy set before it is checked: plain data to fill in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySetOptions {
    /// The policies, each with its own name.
    pub policies: Vec<(Box<str>, Options)>,
    /// Which request gets which; the first rule that matches wins.
    pub rules: Vec<MatchRule>,
    /// The name of the policy for all other requests.
    pub default: Box<str>,
}

/// One entry of `match`: requests, and the policy they get.
///
/// It matches when each condition that is given does; without any it matches every request. In
/// `origin` and `path` a `*` stands for any run of characters without `/`, and at the very end for
/// anything at all: `/v1/*/lines` is one level, `/v1/*` everything below `/v1/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchRule {
    /// Condition: scheme, host and port (`https://api.example.com`, `https://*.example.com`);
    /// letters in any case, the scheme's own port may be left out.
    pub origin: Option<Box<str>>,
    /// Condition: the path of the URL without its query, as it is sent.
    pub path: Option<Box<str>>,
    /// Condition: the method, a token, case-sensitive (RFC 9110 §9.1).
    pub method: Option<Box<str>>,
    /// The name of the policy (`use`).
    pub policy: Box<str>,
}

/// Named policies, and which request gets which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicySet {
    default: (Box<str>, Policy),
    others: Vec<(Box<str>, Policy)>,
    /// Each with the place of its policy in `others`; none is the default.
    rules: Vec<(MatchRule, Option<usize>)>,
}

impl PolicySetOptions {
    /// The policy set with these settings.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once, under the field names of the JSON document.
    pub fn validate(mut self) -> Result<PolicySet, Issues> {
        let mut issues = Issues::none();
        self.check(&mut issues);
        self.build(issues)
    }

    pub(crate) fn check(&mut self, issues: &mut Issues) {
        for index in 0..self.policies.len() {
            let (before, rest) = self.policies.split_at_mut(index);
            let Some((name, options)) = rest.first_mut() else { continue };
            options.check(&join(&["policies.", name, "."]), issues);
            if before.iter().any(|(earlier, _)| earlier == name) {
                let field = join(&["policies.", name]);
                let message = join(&[&field, " is given more than once"]);
                issues.push(field, IssueKind::Contradiction, message);
            }
        }
        for index in 0..self.rules.len() {
            let path = join(&["match[", &number(index as u64), "]"]);
            // An entry of a document that is no object says nothing that could be checked.
            if let Some(rule) = self.rules.get_mut(index).filter(|_| !issues.touches(&path)) {
                check(rule, &join(&[&path, "."]), issues);
                let policy = rule.policy.clone();
                self.must_exist(&policy, &join(&[&path, ".use"]), issues);
            }
        }
        self.must_exist(&self.default, "default", issues);
    }

    /// The set, unless something was found.
    pub(crate) fn build(mut self, issues: Issues) -> Result<PolicySet, Issues> {
        let default = self.policies.iter().position(|(name, _)| *name == self.default);
        let Some(default) = default.filter(|_| issues.as_slice().is_empty()) else {
            return Err(issues);
        };
        let (name, options) = self.policies.remove(default);
        let others: Vec<_> =
            self.policies.into_iter().map(|(name, o)| (name, Policy::new(o))).collect();
        let place = |wanted: &str| others.iter().position(|(name, _)| **name == *wanted);
        let rules = self
            .rules
            .into_iter()
            .map(|rule| {
                let place = place(&rule.policy);
                (rule, place)
            })
            .collect();
        Ok(PolicySet { default: (name, Policy::new(options)), others, rules })
    }

    fn must_exist(&self, name: &str, field: &str, issues: &mut Issues) {
        // Where the policies could not be read nothing is known about their names.
        let unread = ["", "policies", field].iter().any(|field| issues.touches(field));
        if unread || self.policies.iter().any(|(known, _)| **known == *name) {
            return;
        }
        let known: Vec<&str> = self.policies.iter().map(|(known, _)| &**known).collect();
        let near = suggestion(name, &known);
        let message = join(&[field, " names no policy of this set: ", &quoted(name), &near]);
        issues.push(field.into(), IssueKind::UnknownName, message);
    }
}

impl PolicySet {
    /// The policy of a request: the first rule that matches, else the default.
    ///
    /// `origin` is scheme, host and port, `path` that of the URL (from `?` or `#` on it is not
    /// looked at, an empty one is `/`), `method` a token.
    pub fn select(&self, origin: &str, path: &str, method: &str) -> &Policy {
        self.select_named(origin, path, method).1
    }

    /// The same, with the policy's name: requests under one name belong to one upstream.
    pub fn select_named(&self, origin: &str, path: &str, method: &str) -> (&str, &Policy) {
        let matching = self.rules.iter().find(|(rule, _)| rule.matches(origin, path, method));
        let place = matching.and_then(|(_, place)| *place);
        let (name, policy) =
            place.and_then(|place| self.others.get(place)).unwrap_or(&self.default);
        (name, policy)
    }

    /// The policy with this name.
    pub fn get(&self, name: &str) -> Option<&Policy> {
        self.iter().find_map(|(known, policy)| (known == name).then_some(policy))
    }

    /// All policies with their names, the default first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Policy)> {
        core::iter::once(&self.default).chain(&self.others).map(|(name, policy)| (&**name, policy))
    }
}

impl MatchRule {
    /// Whether the rule is about this request, see [`PolicySet::select`].
    fn matches(&self, origin: &str, path: &str, method: &str) -> bool {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let path = if path.is_empty() { "/" } else { path };
        self.method.as_deref().is_none_or(|wanted| wanted == method)
            && self.path.as_deref().is_none_or(|pattern| glob(pattern, path, u8::eq))
            && self
                .origin
                .as_deref()
                .is_none_or(|pattern| glob(plain(pattern), plain(origin), u8::eq_ignore_ascii_case))
    }
}

fields! { MatchRule {
    "origin": What::Text(TextRule::Origin) => |m| Place::MaybeText(&mut m.origin),
    "path": What::Text(TextRule::Path) => |m| Place::MaybeText(&mut m.path),
    "method": What::Text(TextRule::Token) => |m| Place::MaybeText(&mut m.method),
    "use": What::Text(TextRule::Text) => |m| Place::Text(&mut m.policy),
} }

/// An origin without what does not matter: a slash at the end, the scheme's own port.
fn plain(origin: &str) -> &str {
    let origin = trim_end(origin, b'/');
    let own = |scheme: &str| {
        origin.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    match (origin.strip_suffix(":443"), origin.strip_suffix(":80")) {
        (Some(short), _) if own("https://") || own("wss://") => short,
        (_, Some(short)) if own("http://") || own("ws://") => short,
        _ => origin,
    }
}

/// Whether the pattern covers the whole text; see [`MatchRule`]. At most pattern × text steps.
fn glob(pattern: &str, text: &str, same: fn(&u8, &u8) -> bool) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // Where to go on when the last star takes one character more.
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), text.get(seen)) {
            (Some(b'*'), _) if at + 1 == pattern.len() => return true,
            (Some(b'*'), _) => {
                at += 1;
                star = Some((at, seen));
            }
            (Some(a), Some(b)) if same(a, b) => {
                at += 1;
                seen += 1;
            }
            (None, None) => return true,
            // Only the last star has to give way: an earlier one that takes more leaves less to it.
            _ => match star {
                Some((after, taken)) if text.get(taken).is_some_and(|&byte| byte != b'/') => {
                    star = Some((after, taken + 1));
                    (at, seen) = (after, taken + 1);
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::rng::Rng;

    /// The definition, word for word.
    fn naive(pattern: &[u8], text: &[u8]) -> bool {
        match (pattern, text) {
            ([b'*'], _) | ([], []) => true,
            ([b'*', rest @ ..], _) => {
                naive(rest, text)
                    || matches!(text, [first, tail @ ..] if *first != b'/' && naive(pattern, tail))
            }
            ([a, rest @ ..], [b, tail @ ..]) => a == b && naive(rest, tail),
            _ => false,
        }
    }

    #[test]
    fn a_pattern_means_what_its_definition_says() {
        let mut rng = Rng::new(7);
        let mut word = |letters: &[u8]| -> alloc::string::String {
            let len = rng.draw().between(0, 9);
            let last = letters.len() as u64 - 1;
            (0..len).map(|_| char::from(letters[rng.draw().between(0, last) as usize])).collect()
        };
        let mut hits = 0;
        for _ in 0..50_000 {
            let (pattern, text) = (word(b"ab/**"), word(b"ab/"));
            let expected = naive(pattern.as_bytes(), text.as_bytes());
            hits += u32::from(expected);
            assert_eq!(glob(&pattern, &text, u8::eq), expected, "{pattern} on {text}");
        }
        assert!(hits > 1_000, "the test tests something");
    }

    #[test]
    fn a_port_goes_without_saying_in_its_own_scheme_only() {
        for (origin, short) in [
            ("https://a:443", "https://a"),
            ("WSS://a:443/", "WSS://a"),
            ("http://a:80//", "http://a"),
            ("ws://a:80", "ws://a"),
        ] {
            assert_eq!(plain(origin), short);
        }
        for origin in [
            "http://a:443",
            "https://a:80",
            "wss://a:80",
            "ws://a:443",
            "a:80",
            "a:443",
            "http://a:8080",
        ] {
            assert_eq!(plain(origin), origin);
        }
    }

    #[test]
    fn many_stars_on_a_long_text_take_no_time() {
        let pattern = alloc::format!("/{}b", "a*".repeat(500));
        assert!(!glob(&pattern, &alloc::format!("/{}", "a".repeat(20_000)), u8::eq));
    }

    #[test]
    fn a_star_is_one_level_inside_and_everything_at_the_end() {
        for (pattern, path, matches) in [
            ("/v1/charges", "/v1/charges", true),
            ("/v1/charges", "/v1/charges/", false),
            ("/v1/charges", "/v1/charges?limit=3", true),
            ("/v1/*", "/v1/a/b", true),
            ("/v1/*", "/v1/", true),
            ("/v1/*", "/v1", false),
            ("/v1*", "/v1", true),
            ("/v1/*/lines", "/v1/a/lines", true),
            ("/v1/*/lines", "/v1/a/b/lines", false),
            ("*", "", true),
            ("/", "", true),
            ("/V1", "/v1", false),
        ] {
            let rule = MatchRule { path: Some(pattern.into()), ..MatchRule::default() };
            assert_eq!(rule.matches("https://a", path, "GET"), matches, "{pattern} on {path}");
        }
    }

    #[test]
    fn origins_differ_in_scheme_host_and_port_only() {
        for (pattern, origin, matches) in [
            ("https://api.example.com", "https://API.example.com", true),
            ("https://api.example.com", "https://api.example.com:443/", true),
            ("https://api.example.com:443", "HTTPS://api.example.com", true),
            ("https://api.example.com", "https://api.example.com:8443", false),
            ("https://api.example.com", "http://api.example.com", false),
            ("http://api.example.com", "http://api.example.com:443", false),
            ("https://api.example.com", "https://api.example.com:80", false),
            ("http://localhost:*", "http://localhost:3000", true),
            ("https://*.example.com", "https://a.b.example.com", true),
            ("https://*.example.com", "https://example.com", false),
            ("https://*.example.com", "https://evil.test/.example.com", false),
            ("*", "anything", true),
        ] {
            let rule = MatchRule { origin: Some(pattern.into()), ..MatchRule::default() };
            assert_eq!(rule.matches(origin, "/", "GET"), matches, "{pattern} on {origin}");
        }
    }

    fn rule(method: Option<&str>, policy: &str) -> MatchRule {
        let method = method.map(Box::from);
        MatchRule { method, policy: policy.into(), ..MatchRule::default() }
    }

    #[test]
    fn the_first_rule_that_matches_wins_and_the_default_takes_the_rest() {
        let named = |name: &str, max_retries| {
            (Box::from(name), Options { max_retries, ..Options::default() })
        };
        let set = PolicySetOptions {
            policies: vec![named("a", 1), named("b", 2), named("c", 3)],
            rules: vec![rule(Some("POST"), "c"), rule(Some("POST"), "a"), rule(Some("PUT"), "b")],
            default: "b".into(),
        };
        let set = set.validate().unwrap();
        for (method, name, max_retries) in
            [("POST", "c", 3), ("PUT", "b", 2), ("GET", "b", 2), ("post", "b", 2)]
        {
            let (found, policy) = set.select_named("https://x", "/", method);
            assert_eq!((found, policy.max_retries()), (name, max_retries), "{method}");
        }
        assert_eq!(set.iter().count(), 3);
        assert_eq!(set.get("a").map(Policy::max_retries), Some(1));
        assert_eq!(set.get("d"), None);
    }

    #[test]
    fn names_that_nothing_bears_and_policies_that_fail_are_reported_together() {
        let bad = Options { max_retries: u32::MAX, ..Options::default() };
        let set = PolicySetOptions {
            policies: vec![("a".into(), bad), ("a".into(), Options::default())],
            rules: vec![rule(None, "b"), rule(Some("not a token"), "a"), rule(None, "")],
            default: "c".into(),
        };
        let issues = set.validate().unwrap_err();
        let found: Vec<_> = issues.as_slice().iter().map(|i| (i.field.as_str(), i.kind)).collect();
        assert_eq!(
            found,
            [
                ("policies.a.maxRetries", IssueKind::OutOfRange),
                ("policies.a", IssueKind::Contradiction),
                ("match[0].use", IssueKind::UnknownName),
                ("match[1].method", IssueKind::OutOfRange),
                ("match[2].use", IssueKind::OutOfRange),
                ("default", IssueKind::UnknownName),
            ]
        );
    }
}
