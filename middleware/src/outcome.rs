//! Answers and errors as the core reads them; refusals as the guest does.

use alloc::{format, string::String, vec::Vec};

use retrywise::{Family, Header, Outcome, Reason, Refusal, TransportError, headers};

use crate::bindings::http::types::{ErrorCode, Response};

/// Reads how an attempt ended: the head of its answer, or its error. The body is not looked at, so
/// what a vendor says there and nowhere else is not known.
pub(crate) fn read<R>(
    answer: &Result<Response, ErrorCode>,
    read: impl FnOnce(&Outcome<'_>) -> R,
) -> R {
    match answer {
        Ok(response) => {
            let mut lines = response.get_headers().copy_all();
            lines.retain(|(name, _)| headers::is_read(name));
            read(&Outcome::from_response(response.get_status_code(), &borrowed(&lines)))
        }
        Err(error) => read(&Outcome::from_error(transport_error(error))),
    }
}

/// Header lines of the host as those of the core.
pub(crate) fn borrowed(lines: &[(String, Vec<u8>)]) -> Vec<Header<'_>> {
    lines.iter().map(|(name, value)| Header::new(name, value)).collect()
}

fn transport_error(error: &ErrorCode) -> TransportError<'_> {
    let mut told = TransportError::new(Family::WasiHttp, name(error));
    match error {
        ErrorCode::DnsError(payload) => told.rcode = payload.rcode.as_deref(),
        ErrorCode::InternalError(message) => told.message = message.as_deref(),
        _ => {}
    }
    told
}

/// What a guest is told whose request was not sent. An outer layer reads it as what it is: the
/// request never left (RFC 9209 §2.3).
pub(crate) fn refused(refusal: Refusal) -> ErrorCode {
    match refusal.reason {
        Reason::BreakerOpen => ErrorCode::DestinationUnavailable,
        Reason::RateLimited | Reason::ClientThrottled => ErrorCode::ConnectionLimitReached,
        _ => ErrorCode::HttpRequestDenied,
    }
}

/// Nothing is sent under settings that cannot be read: a limit that somebody set must not be
/// dropped in silence.
pub(crate) fn misconfigured(why: &str) -> ErrorCode {
    ErrorCode::InternalError(Some(format!("retrywise: {why}")))
}

/// The case's name in the WIT package.
const fn name(error: &ErrorCode) -> &'static str {
    use ErrorCode as E;
    match error {
        E::DnsTimeout => "DNS-timeout",
        E::DnsError(_) => "DNS-error",
        E::DestinationNotFound => "destination-not-found",
        E::DestinationUnavailable => "destination-unavailable",
        E::DestinationIpProhibited => "destination-IP-prohibited",
        E::DestinationIpUnroutable => "destination-IP-unroutable",
        E::ConnectionRefused => "connection-refused",
        E::ConnectionTerminated => "connection-terminated",
        E::ConnectionTimeout => "connection-timeout",
        E::ConnectionReadTimeout => "connection-read-timeout",
        E::ConnectionWriteTimeout => "connection-write-timeout",
        E::ConnectionLimitReached => "connection-limit-reached",
        E::TlsProtocolError => "TLS-protocol-error",
        E::TlsCertificateError => "TLS-certificate-error",
        E::TlsAlertReceived(_) => "TLS-alert-received",
        E::HttpRequestDenied => "HTTP-request-denied",
        E::HttpRequestLengthRequired => "HTTP-request-length-required",
        E::HttpRequestBodySize(_) => "HTTP-request-body-size",
        E::HttpRequestMethodInvalid => "HTTP-request-method-invalid",
        E::HttpRequestUriInvalid => "HTTP-request-URI-invalid",
        E::HttpRequestUriTooLong => "HTTP-request-URI-too-long",
        E::HttpRequestHeaderSectionSize(_) => "HTTP-request-header-section-size",
        E::HttpRequestHeaderSize(_) => "HTTP-request-header-size",
        E::HttpRequestTrailerSectionSize(_) => "HTTP-request-trailer-section-size",
        E::HttpRequestTrailerSize(_) => "HTTP-request-trailer-size",
        E::HttpResponseIncomplete => "HTTP-response-incomplete",
        E::HttpResponseHeaderSectionSize(_) => "HTTP-response-header-section-size",
        E::HttpResponseHeaderSize(_) => "HTTP-response-header-size",
        E::HttpResponseBodySize(_) => "HTTP-response-body-size",
        E::HttpResponseTrailerSectionSize(_) => "HTTP-response-trailer-section-size",
        E::HttpResponseTrailerSize(_) => "HTTP-response-trailer-size",
        E::HttpResponseTransferCoding(_) => "HTTP-response-transfer-coding",
        E::HttpResponseContentCoding(_) => "HTTP-response-content-coding",
        E::HttpResponseTimeout => "HTTP-response-timeout",
        E::HttpUpgradeFailed => "HTTP-upgrade-failed",
        E::HttpProtocolError => "HTTP-protocol-error",
        E::LoopDetected => "loop-detected",
        E::ConfigurationError => "configuration-error",
        E::InternalError(_) => "internal-error",
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use retrywise::{
        Delivery,
        classify::{Context, classify},
    };

    use super::*;
    use crate::bindings::http::types::{
        DnsErrorPayload, FieldSizePayload, TlsAlertReceivedPayload,
    };

    fn every_case() -> Vec<ErrorCode> {
        use ErrorCode as E;
        let dns = DnsErrorPayload { rcode: None, info_code: None };
        let tls = TlsAlertReceivedPayload { alert_id: None, alert_message: None };
        let field = || FieldSizePayload { field_name: None, field_size: None };
        vec![
            E::DnsTimeout,
            E::DnsError(dns),
            E::DestinationNotFound,
            E::DestinationUnavailable,
            E::DestinationIpProhibited,
            E::DestinationIpUnroutable,
            E::ConnectionRefused,
            E::ConnectionTerminated,
            E::ConnectionTimeout,
            E::ConnectionReadTimeout,
            E::ConnectionWriteTimeout,
            E::ConnectionLimitReached,
            E::TlsProtocolError,
            E::TlsCertificateError,
            E::TlsAlertReceived(tls),
            E::HttpRequestDenied,
            E::HttpRequestLengthRequired,
            E::HttpRequestBodySize(None),
            E::HttpRequestMethodInvalid,
            E::HttpRequestUriInvalid,
            E::HttpRequestUriTooLong,
            E::HttpRequestHeaderSectionSize(None),
            E::HttpRequestHeaderSize(None),
            E::HttpRequestTrailerSectionSize(None),
            E::HttpRequestTrailerSize(field()),
            E::HttpResponseIncomplete,
            E::HttpResponseHeaderSectionSize(None),
            E::HttpResponseHeaderSize(field()),
            E::HttpResponseBodySize(None),
            E::HttpResponseTrailerSectionSize(None),
            E::HttpResponseTrailerSize(field()),
            E::HttpResponseTransferCoding(None),
            E::HttpResponseContentCoding(None),
            E::HttpResponseTimeout,
            E::HttpUpgradeFailed,
            E::HttpProtocolError,
            E::LoopDetected,
            E::ConfigurationError,
            E::InternalError(None),
        ]
    }

    /// The core finds a case by its name, whatever its case and hyphens; a slip in the table would
    /// be another case.
    #[test]
    fn every_case_goes_by_its_own_name() {
        for error in every_case() {
            let shown = format!("{error:?}");
            let variant = shown.trim_start_matches("ErrorCode::").split('(').next();
            let folded = name(&error).replace('-', "");
            assert!(variant.is_some_and(|v| v.eq_ignore_ascii_case(&folded)), "{shown}: {folded}");
        }
        assert_eq!(every_case().len(), 39);
    }

    #[test]
    fn a_refusal_reads_as_a_request_that_was_never_sent() {
        for error in [ErrorCode::DestinationUnavailable, ErrorCode::ConnectionLimitReached] {
            let outcome = Outcome::from_error(transport_error(&error));
            let found = classify(&outcome, &Context::default());
            assert_eq!(found.delivery, Delivery::NotProcessed, "{error:?}");
        }
    }
}
