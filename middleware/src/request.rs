//! The parts of a request other than its body: read once, and put together anew for each attempt.

use alloc::{format, string::String, vec::Vec};

use retrywise::{Call, LAYER_HEADER, Policy};
use wit_bindgen::{FutureReader, StreamReader};

use crate::{
    bindings::http::types::{ErrorCode, Headers, Method, Request, RequestOptions, Scheme},
    tape::End,
    upstreams::Target,
};

/// What a guest asked for. Headers stay the host's own and are cloned, never rebuilt: a guest may
/// not set every header that its request can have.
pub(crate) struct Parts {
    method: Method,
    token: String,
    scheme: Option<Scheme>,
    authority: Option<String>,
    path: Option<String>,
    headers: Headers,
    options: Option<RequestOptions>,
    origin: String,
}

/// The result of a request's transmission, as its maker may await it.
pub(crate) type Sent = Result<(), ErrorCode>;

impl Parts {
    pub(crate) fn of(request: &Request) -> Self {
        let (method, scheme) = (request.get_method(), request.get_scheme());
        let authority = request.get_authority();
        let origin = format!(
            "{}://{}",
            match &scheme {
                Some(Scheme::Http) => "http",
                Some(Scheme::Other(scheme)) => scheme,
                // What a host takes where nothing is said.
                Some(Scheme::Https) | None => "https",
            },
            authority.as_deref().unwrap_or_default()
        );
        Self {
            token: String::from(token(&method)),
            method,
            scheme,
            authority,
            path: request.get_path_with_query(),
            headers: request.get_headers(),
            options: request.get_options(),
            origin,
        }
    }

    /// Where it goes.
    pub(crate) fn target(&self) -> Target<'_> {
        let path = self.path.as_deref().unwrap_or("/");
        Target { origin: &self.origin, path, method: &self.token }
    }

    /// The method's token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// All headers.
    pub(crate) fn headers(&self) -> Vec<(String, Vec<u8>)> {
        self.headers.copy_all()
    }

    /// Whether a body is out of the ordinary with this method, unless the headers announce one.
    pub(crate) fn is_mostly_without_body(&self) -> bool {
        use Method::{Delete, Get, Head, Options, Trace};
        let bare = matches!(self.method, Get | Head | Options | Trace | Delete);
        bare && !["content-length", "transfer-encoding"].iter().any(|name| self.headers.has(name))
    }

    /// The request of one attempt, and the result of its transmission.
    ///
    /// # Errors
    /// The host does not take a header that the policy asks for; which one is in the error.
    pub(crate) fn attempt(
        &self,
        call: &Call,
        policy: &Policy,
        body: Option<StreamReader<u8>>,
        end: FutureReader<End>,
    ) -> Result<(Request, FutureReader<Sent>), ErrorCode> {
        let headers = self.headers.clone();
        let key = [call.key_header(policy), call.first_sent_header(policy)];
        for (name, value) in key.into_iter().flatten() {
            // A key that the guest set is already written as it wants it.
            if !headers.has(name) {
                headers.set(name, &[value.into_bytes()]).map_err(|error| {
                    ErrorCode::InternalError(Some(format!(
                        "retrywise: the host does not take the header {name}: {error:?}"
                    )))
                })?;
            }
        }
        if !headers.has(LAYER_HEADER) {
            // A host that does not take it leaves the layers below in the dark, no more.
            let number = format!("{}", call.attempt()).into_bytes();
            let _ = headers.set(LAYER_HEADER, &[number]);
        }
        let options = self.options.as_ref().map(RequestOptions::clone);
        let (request, sent) = Request::new(headers, body, end, options);
        let set = || {
            request.set_method(&self.method)?;
            request.set_scheme(self.scheme.as_ref())?;
            request.set_authority(self.authority.as_deref())?;
            request.set_path_with_query(self.path.as_deref())
        };
        // It was in a request already, so this does not happen; a request that is another one than
        // was asked for must not go out.
        set().map_err(|()| ErrorCode::HttpRequestUriInvalid)?;
        Ok((request, sent))
    }
}

fn token(method: &Method) -> &str {
    match method {
        Method::Get => "GET",
        Method::Head => "HEAD",
        Method::Post => "POST",
        Method::Put => "PUT",
        Method::Delete => "DELETE",
        Method::Connect => "CONNECT",
        Method::Options => "OPTIONS",
        Method::Trace => "TRACE",
        Method::Patch => "PATCH",
        Method::Other(token) => token,
    }
}
