//! gRPC's pushback (gRFC A6): the server names the exact wait, or forbids the retry.

use crate::{outcome::Response, profile::Profile, time::Millis};

/// What `grpc-retry-pushback-ms` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushback {
    /// The header is missing, or this is no gRPC answer.
    Absent,
    /// Retry after exactly this.
    Wait(Millis),
    /// Do not retry: negative, unreadable, or said twice.
    Forbidden,
}

/// Reads the pushback of a gRPC answer: a signed 32-bit number of milliseconds.
pub(crate) fn read(response: &Response<'_>, profile: Option<&'static Profile>) -> Pushback {
    let mut values = response.header_values("grpc-retry-pushback-ms");
    let Some(value) = values.next().filter(|_| is_grpc(response, profile)) else {
        return Pushback::Absent;
    };
    let wait = core::str::from_utf8(value).ok().and_then(|text| text.parse::<i32>().ok());
    match wait.map(u64::try_from) {
        Some(Ok(wait)) if values.next().is_none() => Pushback::Wait(Millis::new(wait)),
        _ => Pushback::Forbidden,
    }
}

/// Whether the answer is one to a gRPC call: by its profile, its status or its content type.
fn is_grpc(response: &Response<'_>, profile: Option<&'static Profile>) -> bool {
    profile.is_some_and(|profile| profile.is_grpc)
        || response.header("grpc-status").is_some()
        || response.header("content-type").is_some_and(|t| t.starts_with(b"application/grpc"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{outcome::Header, profile};

    const STATUS: Header<'_> = Header::new("grpc-status", b"14");

    fn pushback(headers: &[Header<'_>]) -> Pushback {
        read(&Response { status: 200, headers, ..Response::default() }, None)
    }

    #[test]
    fn a_wait_is_a_signed_number_of_32_bits() {
        for (value, expected) in [
            (&b"0"[..], Pushback::Wait(Millis::ZERO)),
            (b" 1500 ", Pushback::Wait(Millis::new(1_500))),
            (b"2147483647", Pushback::Wait(Millis::new(2_147_483_647))),
            (b"2147483648", Pushback::Forbidden),
            (b"-1", Pushback::Forbidden),
            (b"1.5", Pushback::Forbidden),
            (b"1, 2", Pushback::Forbidden),
            (b"soon", Pushback::Forbidden),
            (b"\xFF", Pushback::Forbidden),
            (b"", Pushback::Forbidden),
        ] {
            let header = Header::new("grpc-retry-pushback-ms", value);
            assert_eq!(pushback(&[STATUS, header]), expected, "{value:?}");
        }
    }

    #[test]
    fn said_twice_it_forbids() {
        let header = Header::new("grpc-retry-pushback-ms", b"5");
        assert_eq!(pushback(&[STATUS, header, header]), Pushback::Forbidden);
    }

    #[test]
    fn it_means_nothing_outside_grpc() {
        let header = Header::new("Grpc-Retry-Pushback-Ms", b"5");
        assert_eq!(pushback(&[header]), Pushback::Absent);
        assert_eq!(pushback(&[STATUS]), Pushback::Absent);
        let typed = Header::new("content-type", b"application/grpc+proto");
        assert_eq!(pushback(&[header, typed]), Pushback::Wait(Millis::new(5)));
        let response = Response { headers: &[header], ..Response::default() };
        assert_eq!(read(&response, profile::find("grpc")), Pushback::Wait(Millis::new(5)));
    }
}
