//! What servers and transports say: headers, dates, errors.

use retrywise::{
    Class, Family, Header, Hint, Instant, Millis, Outcome, Policy, Profile, Request, Response,
    TransportError, UnixMillis, Upstream, VerdictKind,
    classify::{Context, classify},
    hint, profile,
};

const NOON: UnixMillis = UnixMillis::new(1_768_478_400_000); // 2026-01-15T12:00:00Z

/// Two bytes for status and vendor, then header lines.
///
/// # Panics
/// When that is broken.
pub fn headers(data: &[u8]) {
    const STATUSES: [u16; 17] =
        [0, 101, 200, 204, 301, 400, 403, 404, 408, 409, 413, 425, 429, 500, 502, 503, 65_535];
    let Some((&[status, vendor], lines)) = data.split_first_chunk::<2>() else { return };
    let status = STATUSES[usize::from(status) % STATUSES.len()];
    let profile = profile(vendor);
    let headers: Vec<Header<'_>> = lines.split(|&byte| byte == b'\n').filter_map(header).collect();
    let response = Response::new(status, &headers);
    for wall in [None, Some(NOON), Some(UnixMillis::new(i64::MIN)), Some(UnixMillis::new(i64::MAX))]
    {
        let found = hint::read(&response, wall, profile);
        assert_eq!(found, hint::read(&response, wall, profile), "one input, one answer");
        assert!(found.is_none_or(|hint| hint.delay <= Millis::MAX));
        let quota = hint::quota(&response, wall, profile);
        assert!(quota.is_none_or(|quota| quota.reset_in.is_none_or(|wait| wait <= Millis::MAX)));
        settle(&Outcome::from_response(status, &headers), wall, profile, found);
    }
}

/// A Retry-After value; after a line end, a Date value.
///
/// # Panics
/// When that is broken.
pub fn dates(data: &[u8]) {
    let mut lines = data.splitn(2, |&byte| byte == b'\n');
    let (value, date) = (lines.next().unwrap_or_default(), lines.next());
    let read = |value: &[u8], wall| {
        let mut headers = vec![Header::new("Retry-After", value)];
        headers.extend(date.map(|date| Header::new("Date", date)));
        hint::read(&Response::new(503, &headers), wall, None)
    };
    let padded = [b" \t", value, b"  "].concat();
    for wall in [None, Some(NOON), Some(UnixMillis::new(i64::MAX)), Some(UnixMillis::new(i64::MIN))]
    {
        let found = read(value, wall);
        assert_eq!(found, read(&padded, wall), "blanks around a value say nothing");
    }
    // Digits alone are seconds, with any clock.
    if let Some(seconds) = whole(value) {
        let delay = Millis::from_secs(seconds);
        assert_eq!(read(value, None).map(|hint| hint.delay), Some(delay));
    }
}

/// A family, then lines of fields; an empty line ends an error and begins its cause.
///
/// # Panics
/// When that is broken.
pub fn transport(data: &[u8]) {
    let Some((&family, rest)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    // Innermost first; more of them than are ever followed.
    let mut links: Vec<_> = text.split("\n\n").take(12).map(|text| fields(family, text)).collect();
    links.reverse();
    chain(&links, None, &mut |outermost| {
        let outcome = Outcome::from_error(*outermost);
        let context = Context::default();
        let found = classify(&outcome, &context);
        assert_eq!(found, classify(&outcome, &context), "one input, one answer");
        assert_ne!(found.class, Class::Success, "an error is no success");
        settle(&outcome, Some(NOON), None, None);
    });
}

/// Ties each error to the one before it as its cause.
fn chain(
    links: &[TransportError<'_>],
    cause: Option<&TransportError<'_>>,
    look: &mut dyn FnMut(&TransportError<'_>),
) {
    let Some((first, rest)) = links.split_first() else {
        if let Some(outermost) = cause {
            look(outermost);
        }
        return;
    };
    let mut link = *first;
    link.cause = cause;
    chain(rest, Some(&link), look);
}

fn fields(family: u8, text: &str) -> TransportError<'_> {
    let mut error = TransportError::default();
    error.family = Family::ALL[usize::from(family) % Family::ALL.len()];
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        match name {
            "code" => error.code = Some(value),
            "name" => error.name = Some(value),
            "message" => error.message = Some(value),
            "syscall" => error.syscall = Some(value),
            "phase" => error.phase = Some(value),
            "op" => error.op = Some(value),
            "type" => error.kind = Some(value),
            "rcode" => error.rcode = Some(value),
            "frame" => error.frame = Some(value),
            "progress" => error.progress = Some(value),
            "stream_id" => error.stream_id = value.parse().ok(),
            "last_stream_id" => error.last_stream_id = value.parse().ok(),
            "temporary" => error.temporary = true,
            "not_found" => error.not_found = true,
            "reused" => error.reused = true,
            _ => {}
        }
    }
    error
}

/// The outcome, settled as the first of a call under the standard policy.
fn settle(
    outcome: &Outcome<'_>,
    wall: Option<UnixMillis>,
    profile: Option<&'static Profile>,
    hint: Option<Hint>,
) {
    let mut context = Context::default();
    (context.profile, context.hint) = (profile, hint);
    let _ = classify(outcome, &context);
    let mut upstream = Upstream::new(Policy::standard().into(), 0);
    let Ok(mut call) = upstream.begin(&Request::default(), Instant::ORIGIN, wall) else { return };
    let verdict = upstream.settle(&mut call, outcome, Instant::ORIGIN, wall);
    let retries = verdict.kind == VerdictKind::Retry;
    assert_eq!(retries, call.is_waiting());
    assert_ne!(retries, call.is_over());
    assert!(verdict.delay <= Millis::from_secs(30), "the cap bounds hints as well: {verdict:?}");
    assert_eq!(verdict.kind == VerdictKind::Accept, verdict.classification.class == Class::Success);
}

fn header(line: &[u8]) -> Option<Header<'_>> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let name = core::str::from_utf8(line.get(..colon)?).ok()?;
    Some(Header::new(name, line.get(colon + 1..)?))
}

fn profile(byte: u8) -> Option<&'static Profile> {
    const SOME: [&str; 8] =
        ["aws", "azure", "github", "stripe", "openai", "slack", "discord", "grpc"];
    SOME.get(usize::from(byte) % (SOME.len() + 1)).and_then(|id| profile::find(id))
}

fn whole(value: &[u8]) -> Option<u64> {
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let text = core::str::from_utf8(value).ok().filter(|_| digits)?;
    Some(text.parse().unwrap_or(u64::MAX))
}
