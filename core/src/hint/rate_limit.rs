//! The `RateLimit` field of draft-ietf-httpapi-ratelimit-headers: a list since draft 08, a
//! dictionary in draft 07. (Drafts 00 to 06 had three fields, which read like everybody's
//! `*-Reset`: see `reset`.)

use super::{
    Quota,
    number::{self, SECOND},
};
use crate::{
    outcome::Response,
    scan::Scan,
    structured::{self, Bare},
    time::Millis,
};

/// The longest wait among the quotas that are used up. A quota with something left asks for
/// nothing: the draft ties no status to these values. A malformed field, or one from a cache,
/// says nothing at all.
pub(super) fn read(response: &Response<'_>) -> Option<Millis> {
    let mut longest = None;
    each(response, |quota| longest = longest.max(quota.wait())).then_some(longest)?
}

/// The tightest of the quotas, with its limit where `RateLimit-Policy` tells it in requests.
pub(super) fn tightest(response: &Response<'_>) -> Option<Quota> {
    let mut tightest: Option<Told<'_>> = None;
    let is_sound = each(response, |told| {
        if tightest.is_none_or(|other| told.quota().is_tighter_than(&other.quota())) {
            tightest = Some(told);
        }
    });
    let told = tightest.filter(|_| is_sound)?;
    let limit = told.limit.or_else(|| limit(response, told.policy?));
    Some(Quota { limit, ..told.quota() })
}

/// Whether the answer has spent time in a cache, where its rate-limit fields grew old. An `Age`
/// that cannot be read counts as none.
pub(super) fn is_cached(response: &Response<'_>) -> bool {
    let age = response.header("age").and_then(|age| number::span(age, SECOND));
    age.is_some_and(|age| age > Millis::ZERO)
}

/// The field is not what its draft says.
struct Malformed;

/// Shows each quota; false when what was shown does not count.
fn each<'a>(response: &Response<'a>, mut show: impl FnMut(Told<'a>)) -> bool {
    if is_cached(response) {
        return false;
    }
    from_list(response, &mut show).or_else(|Malformed| from_dictionary(response, &mut show)).is_ok()
}

/// Drafts 08 to 11: `"name";r=0;t=30`.
fn from_list<'a>(
    response: &Response<'a>,
    show: &mut impl FnMut(Told<'a>),
) -> Result<(), Malformed> {
    // A flaw in a later line silences the earlier ones: all are checked before one is shown.
    let lines = || response.header_values("ratelimit");
    let read = |line: &'a [u8], show: &mut dyn FnMut(Told<'a>)| {
        structured::list(line, |item, scan| {
            show(told(item, scan)?);
            Some(())
        })
        .ok_or(Malformed)
    };
    for line in lines() {
        read(line, &mut |_| {})?;
    }
    for line in lines() {
        read(line, show)?;
    }
    Ok(())
}

/// Draft 07: `limit=100, remaining=0, reset=50`.
fn from_dictionary<'a>(
    response: &Response<'a>,
    show: &mut impl FnMut(Told<'a>),
) -> Result<(), Malformed> {
    let (mut remaining, mut reset, mut limit) = (None, None, None);
    for line in response.header_values("ratelimit") {
        structured::dictionary(line, |key, value| {
            match key {
                b"remaining" => remaining = Some(unsigned(value)?),
                b"reset" => reset = Some(unsigned(value)?),
                b"limit" => limit = unsigned(value),
                _ => {}
            }
            Some(())
        })
        .ok_or(Malformed)?;
    }
    if let Some(remaining) = remaining {
        show(Told { policy: None, limit, remaining, reset });
    }
    Ok(())
}

/// What is left of one policy, and the seconds until there is more.
#[derive(Clone, Copy)]
struct Told<'a> {
    /// The policy's name, its escapes as they were sent.
    policy: Option<&'a [u8]>,
    limit: Option<u64>,
    remaining: u64,
    reset: Option<u64>,
}

impl Told<'_> {
    fn wait(&self) -> Option<Millis> {
        self.reset.filter(|_| self.remaining == 0).map(Millis::from_secs)
    }

    fn quota(&self) -> Quota {
        let reset_in = self.reset.map(Millis::from_secs);
        Quota { limit: self.limit, remaining: self.remaining, reset_in }
    }
}

/// The item names the policy and must be a string; `r` is required; of repeated parameters the
/// last counts; unknown ones are comments.
fn told<'a>(item: Bare<'a>, scan: &mut Scan<'a>) -> Option<Told<'a>> {
    let mut remaining = None;
    let mut reset = None;
    structured::parameters(scan, |key, value| match key {
        b"r" => remaining = Some(value),
        b"t" => reset = Some(value),
        _ => {}
    })?;
    let Bare::String(policy) = item else { return None };
    let reset = match reset {
        Some(value) => Some(unsigned(value)?),
        None => None,
    };
    Some(Told { policy: Some(policy), limit: None, remaining: unsigned(remaining?)?, reset })
}

/// `RateLimit-Policy` (drafts 08 to 11): `"name";q=100;w=60`. The quota of this name, if it counts
/// requests (`qu`, by default).
fn limit(response: &Response<'_>, name: &[u8]) -> Option<u64> {
    let mut limit = None;
    for line in response.header_values("ratelimit-policy") {
        structured::list(line, |item, scan| {
            let (mut quota, mut requests) = (None, true);
            structured::parameters(scan, |key, value| match key {
                b"q" => quota = Some(value),
                b"qu" => requests = value == Bare::String(b"requests"),
                _ => {}
            })?;
            if item == Bare::String(name) && requests {
                limit = unsigned(quota?);
            }
            Some(())
        })?;
    }
    limit
}

fn unsigned(value: Bare<'_>) -> Option<u64> {
    match value {
        Bare::Integer(n) => u64::try_from(n).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::outcome::Header;

    fn wait(lines: &[&str]) -> Option<u64> {
        let headers: Vec<_> =
            lines.iter().map(|line| Header::new("RateLimit", line.as_bytes())).collect();
        read(&Response { status: 429, headers: &headers, ..Response::default() }).map(Millis::get)
    }

    #[test]
    fn only_quotas_that_are_used_up_bind_and_the_longest_counts() {
        for (lines, expected) in [
            (&[r#""default";r=0;t=30"#][..], Some(30_000)),
            (&[r#""default"; r=0; t=30"#], Some(30_000)),
            (&[r#""default";r=50;t=30"#], None),
            (&[r#""default";r=1;t=30"#], None),
            (&[r#""default";r=0"#], None),
            (&[r#""default";r=0;t=0"#], Some(0)),
            (&[r#""a";r=0;t=10,"b";r=5;t=600"#], Some(10_000)),
            (&[r#""a";r=0;t=10,"b";r=0;t=600"#], Some(600_000)),
            (&[r#""a";r=0;t=10"#, r#""b";r=0;t=600"#], Some(600_000)),
            (&[r#""a";r=0;t=10;t=20"#], Some(20_000)),
            (&[r#""a";r=5;t=10;r=0"#], Some(10_000)),
            (&[r#""a";pk=:cHsdsRa894==:;r=0;t=15;acme-burst=3;x;y=1.5"#], Some(15_000)),
            (&[r#""quo\"te, ;r=1";r=0;t=7"#], Some(7_000)),
            (&[r#""a";r=0;t=999999999999999"#], Some(999_999_999_999_999_000)),
            (&[], None),
            (&[""], None),
        ] {
            let expected = expected.map(|ms| Millis::new(ms).get());
            assert_eq!(wait(lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_flaw_anywhere_silences_the_whole_field() {
        for flaw in [
            "default;r=0;t=30",
            r#""default" ;r=0;t=30"#,
            r#""default";r=0;t=-5"#,
            r#""default";r=0;t=1.5"#,
            r#""default";r=-1;t=5"#,
            r#""default";r="0";t=5"#,
            r#""default";r=0;t"#,
            r#""default";t=5"#,
            r#""default";r=0;t=1000000000000000"#,
            r#""default";r=0;t=5,"#,
            r#"("default");r=0;t=5"#,
            r#""default";R=0;t=5"#,
        ] {
            assert_eq!(wait(&[flaw]), None, "{flaw}");
            assert_eq!(wait(&[r#""fine";r=0;t=10"#, flaw]), None, "{flaw}");
            assert_eq!(wait(&[flaw, r#""fine";r=0;t=10"#]), None, "{flaw}");
        }
    }

    #[test]
    fn the_dictionary_of_draft_07_is_read_too() {
        for (lines, expected) in [
            (&["limit=100, remaining=0, reset=50"][..], Some(50_000)),
            (&["limit=100, remaining=50, reset=50"], None),
            (&["limit=100;w=60, remaining=0", "reset=50"], Some(50_000)),
            (&["limit=100, remaining=0"], None),
            (&["limit=100, reset=50"], None),
            (&["limit=100, remaining=0, reset=50, reset=60"], Some(60_000)),
            (&["limit=100, remaining=0, reset=1.5"], None),
            (&["limit=100, remaining=0, reset=-1"], None),
            (&["limit=100, remaining=0, reset=50,"], None),
        ] {
            assert_eq!(wait(lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn an_answer_from_a_cache_says_nothing_about_the_present() {
        let field = Header::new("ratelimit", br#""default";r=0;t=30"#);
        for (age, expected) in
            [(&b"120"[..], None), (b"1", None), (b"0", Some(30_000)), (b"old", Some(30_000))]
        {
            let headers = [field, Header::new("Age", age)];
            let response = Response { headers: &headers, ..Response::default() };
            assert_eq!(read(&response).map(Millis::get), expected);
        }
    }
}
