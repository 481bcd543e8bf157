//! The documents that signals and traces share: an outcome and a request, read strictly, lent to
//! the core as its own borrowed types.

use retrywise::{Body, Family, Header, Method, Outcome, Request, Response, TransportError};
use serde_json::{Map, Value};

use crate::fields::{Fields, Invalid, Read};

/// How deep a chain of causes may be in a vector.
const MAX_DEPTH: usize = 64;

/// How an attempt ended, as a vector writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeDoc {
    status: Option<u16>,
    headers: Headers,
    body: BodyDoc,
    error: Option<ErrorDoc>,
    committed: bool,
    duration_ms: Option<u64>,
}

/// What is known of a request before its first attempt, as a trace writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestDoc {
    method: String,
    key: Option<String>,
    headers: Headers,
    replayable_body: bool,
}

/// Header lines in order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct BodyDoc {
    code: Option<String>,
    policy: Option<String>,
    problem_type: Option<String>,
    retry_delay: Option<String>,
    retry_after_s: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ErrorDoc {
    family: Option<Family>,
    texts: [Option<String>; TEXTS.len()],
    stream_id: Option<u64>,
    last_stream_id: Option<u64>,
    temporary: bool,
    not_found: bool,
    reused: bool,
    cause: Option<Box<Self>>,
}

/// The text fields of an error, in the order of `ErrorDoc::texts`.
const TEXTS: [&str; 10] =
    ["code", "name", "message", "syscall", "phase", "op", "type", "rcode", "frame", "progress"];

impl OutcomeDoc {
    /// The outcome in `value`.
    ///
    /// # Errors
    /// An unknown field, a wrong type.
    pub fn read(value: &Value, at: &str) -> Result<Self, Invalid> {
        let mut fields = Fields::of(value, at)?;
        let doc = Self::take(&mut fields)?;
        fields.end()?;
        Ok(doc)
    }

    /// Takes the fields of an outcome out of a larger object.
    pub(crate) fn take(fields: &mut Fields<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            status: fields.optional("status")?,
            headers: fields.optional("headers")?.unwrap_or_default(),
            body: fields.optional("body")?.map_or(Ok(BodyDoc::default()), BodyDoc::read)?,
            error: fields.optional("error")?.map(|e| ErrorDoc::read(e, "error", 0)).transpose()?,
            committed: fields.optional("committed")?.unwrap_or(false),
            duration_ms: fields.optional("durationMs")?,
        })
    }

    /// Whether it says how an attempt ended at all.
    pub fn is_empty(&self) -> bool {
        self.status.is_none() && self.error.is_none()
    }

    /// Lends the outcome to `use_it`.
    #[expect(clippy::missing_panics_doc, reason = "either arm lends exactly once")]
    pub fn with<R>(&self, use_it: impl FnOnce(&Outcome<'_>) -> R) -> R {
        self.headers.with(|headers| {
            let response = self.status.map(|status| {
                let mut response = Response::default();
                response.status = status;
                response.headers = headers;
                response.body = self.body.lend();
                response
            });
            let mut use_it = Some(use_it);
            let mut result = None;
            let mut lend = |error: Option<&TransportError<'_>>| {
                let mut outcome = Outcome::default();
                outcome.response = response;
                outcome.committed = self.committed;
                outcome.duration_ms = self.duration_ms;
                outcome.error = error.copied();
                result = use_it.take().map(|use_it| use_it(&outcome));
            };
            match &self.error {
                None => lend(None),
                Some(error) => error.with(&mut |error| lend(Some(error))),
            }
            result.expect("an outcome is lent exactly once")
        })
    }
}

impl RequestDoc {
    /// The request in `value`.
    ///
    /// # Errors
    /// An unknown field or a wrong type.
    pub fn read(value: &Value, at: &str) -> Result<Self, Invalid> {
        let mut fields = Fields::of(value, at)?;
        let doc = Self {
            method: fields.required("method")?,
            key: fields.optional("key")?,
            headers: fields.optional("headers")?.unwrap_or_default(),
            replayable_body: fields.optional("replayableBody")?.unwrap_or(true),
        };
        fields.end()?;
        Ok(doc)
    }

    /// Lends the request to `use_it`.
    pub fn with<R>(&self, use_it: impl FnOnce(&Request<'_>) -> R) -> R {
        self.headers.with(|headers| {
            let mut request = Request::new(Method::from_token(&self.method));
            request.key = self.key.as_deref();
            request.headers = headers;
            request.replayable_body = self.replayable_body;
            use_it(&request)
        })
    }
}

impl Headers {
    /// Lends the lines to `use_them`.
    pub fn with<R>(&self, use_them: impl FnOnce(&[Header<'_>]) -> R) -> R {
        let lines: Vec<_> =
            self.0.iter().map(|(name, value)| Header::new(name, value.as_bytes())).collect();
        use_them(&lines)
    }
}

impl Read<'_> for Headers {
    const WHAT: &'static str = "a list of [name, value]";

    fn read(value: &Value) -> Option<Self> {
        let line = |pair: &Value| match pair.as_array()?.as_slice() {
            [name, value] => Some((name.as_str()?.to_owned(), value.as_str()?.to_owned())),
            _ => None,
        };
        value.as_array()?.iter().map(line).collect::<Option<_>>().map(Self)
    }
}

impl BodyDoc {
    fn read(map: &Map<String, Value>) -> Result<Self, Invalid> {
        let value = Value::Object(map.clone());
        let mut fields = Fields::of(&value, "body")?;
        let mut text = |name| Ok::<_, Invalid>(fields.optional::<Text>(name)?.map(|text| text.0));
        let doc = Self {
            code: text("code")?,
            policy: text("policy")?,
            problem_type: text("problem_type")?,
            retry_delay: text("retry_delay")?,
            retry_after_s: text("retry_after_s")?,
        };
        fields.end()?;
        Ok(doc)
    }

    fn lend(&self) -> Body<'_> {
        let mut body = Body::default();
        body.code = self.code.as_deref();
        body.policy = self.policy.as_deref();
        body.problem_type = self.problem_type.as_deref();
        body.retry_delay = self.retry_delay.as_deref();
        body.retry_after_s = self.retry_after_s.as_deref();
        body
    }
}

impl ErrorDoc {
    fn read(value: &Value, at: &str, depth: usize) -> Result<Self, Invalid> {
        if depth > MAX_DEPTH {
            return Err(Invalid(format!("{at}: more than {MAX_DEPTH} causes")));
        }
        let mut fields = Fields::of(value, at)?;
        // Like an unknown vendor, a client that nobody has met is read by the general rule.
        let family = fields
            .optional::<&str>("family")?
            .map(|name| Family::from_name(name).unwrap_or(Family::Unknown));
        let mut texts = [const { None }; TEXTS.len()];
        for (slot, name) in texts.iter_mut().zip(TEXTS) {
            *slot = fields.optional::<Text>(name)?.map(|text| text.0);
        }
        let cause = fields.optional::<&Value>("cause")?;
        let doc = Self {
            family,
            texts,
            stream_id: fields.optional("stream_id")?,
            last_stream_id: fields.optional("last_stream_id")?,
            temporary: fields.optional("temporary")?.unwrap_or(false),
            not_found: fields.optional("not_found")?.unwrap_or(false),
            reused: fields.optional::<Reused>("reused")?.is_some_and(|reused| reused.0),
            cause: cause
                .map(|cause| Self::read(cause, "error.cause", depth + 1).map(Box::new))
                .transpose()?,
        };
        fields.end()?;
        Ok(doc)
    }

    /// Lends the error, its causes inside, to `use_it`.
    fn with(&self, use_it: &mut dyn FnMut(&TransportError<'_>)) {
        let [code, name, message, syscall, phase, op, kind, rcode, frame, progress] =
            self.texts.each_ref().map(Option::as_deref);
        let mut error = TransportError::default();
        error.family = self.family.unwrap_or_default();
        (error.code, error.name, error.message) = (code, name, message);
        (error.syscall, error.phase, error.op) = (syscall, phase, op);
        (error.kind, error.rcode, error.frame) = (kind, rcode, frame);
        error.progress = progress;
        (error.stream_id, error.last_stream_id) = (self.stream_id, self.last_stream_id);
        error.temporary = self.temporary;
        error.not_found = self.not_found;
        error.reused = self.reused;
        match &self.cause {
            None => use_it(&error),
            Some(cause) => cause.with(&mut |cause| {
                let mut error = error;
                error.cause = Some(cause);
                use_it(&error);
            }),
        }
    }
}

/// A string, or a number by its text: body codes are both, and the core reads text.
struct Text(String);

impl Read<'_> for Text {
    const WHAT: &'static str = "a string or a number";

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self(text.clone())),
            Value::Number(number) => Some(Self(number.to_string())),
            _ => None,
        }
    }
}

/// Whether the connection had been used before: a flag, or the word itself.
struct Reused(bool);

impl Read<'_> for Reused {
    const WHAT: &'static str = "true, false or \"reused\"";

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(truth) => Some(Self(*truth)),
            Value::String(word) if word == "reused" => Some(Self(true)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_is_lent_with_its_causes_inside() {
        let doc = json!({"error": {"family": "fetch", "name": "TypeError",
            "cause": {"code": 7, "cause": {"code": "ECONNREFUSED", "reused": "reused"}}}});
        let doc = OutcomeDoc::read(&doc, "outcome").unwrap();
        let (name, middle, inner, reused) = doc.with(|outcome| {
            let error = outcome.error.unwrap();
            let middle = error.cause.unwrap();
            let inner = middle.cause.unwrap();
            let owned = |text: Option<&str>| text.map(str::to_owned);
            (owned(error.name), owned(middle.code), owned(inner.code), inner.reused)
        });
        assert_eq!(name.as_deref(), Some("TypeError"));
        assert_eq!(middle.as_deref(), Some("7"));
        assert_eq!(inner.as_deref(), Some("ECONNREFUSED"));
        assert!(reused);
    }

    #[test]
    fn a_body_number_reaches_the_core_as_its_text() {
        let doc = json!({"status": 429, "body": {"retry_after_s": 64.57}, "committed": true});
        let doc = OutcomeDoc::read(&doc, "outcome").unwrap();
        doc.with(|outcome| {
            assert_eq!(outcome.response.unwrap().body.retry_after_s, Some("64.57"));
            assert!(outcome.committed);
        });
    }

    #[test]
    fn a_client_that_nobody_has_met_is_any_other_client() {
        let doc = json!({"error": {"family": "netscape", "code": "NS_ERROR_NET_RESET"}});
        let doc = OutcomeDoc::read(&doc, "outcome").unwrap();
        doc.with(|outcome| assert_eq!(outcome.error.unwrap().family, Family::Unknown));
    }

    #[test]
    fn strangers_are_refused_at_every_depth() {
        for (doc, stranger) in [
            (json!({"statuss": 429}), "statuss"),
            (json!({"status": 429, "body": {"kode": "x"}}), "kode"),
            (json!({"error": {"family": "node", "errno": -111}}), "errno"),
            (json!({"error": {"family": "node", "cause": {"colour": "red"}}}), "colour"),
            (json!({"status": 429, "headers": [["a", "b", "c"]]}), "headers"),
            (json!({"status": -1}), "status"),
        ] {
            let error = OutcomeDoc::read(&doc, "outcome").unwrap_err().0;
            assert!(error.contains(stranger), "{error}");
        }
        assert!(RequestDoc::read(&json!({"method": "GET", "url": "/"}), "request").is_err());
        assert!(RequestDoc::read(&json!({}), "request").is_err());
    }
}
