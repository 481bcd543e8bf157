//! One attempt on its way: the request at the next in the chain, its body beside it.

use alloc::{boxed::Box, rc::Rc};
use core::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
};

use retrywise::{Call, Millis, Policy};
use wit_bindgen::{FutureReader, FutureWriter, spawn_local};

use crate::{
    bindings::{
        forward,
        http::types::{ErrorCode, Request, Response},
        wit_future, wit_stream,
    },
    clock,
    request::{Parts, Sent},
    tape::{Signals, Tape},
};

/// An attempt, and the tape that it plays.
pub(crate) struct Attempt {
    request: Option<Request>,
    body: Pin<Box<dyn Future<Output = Tape>>>,
    /// The tape, when it is back before it was asked for.
    tape: Option<Tape>,
    signals: Rc<Signals>,
    sent: FutureReader<Sent>,
}

impl Attempt {
    /// Puts an attempt of `call` together.
    ///
    /// # Errors
    /// As [`Parts::attempt`].
    pub(crate) async fn new(
        parts: &Parts,
        call: &Call,
        policy: &Policy,
        mut tape: Tape,
    ) -> Result<Self, ErrorCode> {
        let signals = Rc::new(Signals::default());
        if !call.may_retry(policy) {
            signals.pass();
        }
        let (writer, reader) = if tape.has_body(parts.is_mostly_without_body()).await {
            Some(wit_stream::new()).unzip()
        } else {
            (None, None)
        };
        let (end, end_reader) = wit_future::new(|| Err(given_up()));
        let (request, sent) = parts.attempt(call, policy, reader, end_reader)?;
        let body = Box::pin(tape.play(writer, end, signals.clone()));
        Ok(Self { request: Some(request), body, tape: None, signals, sent })
    }

    /// Sends it. An attempt that takes longer than `timeout` is given up.
    pub(crate) async fn send(&mut self, timeout: Option<Millis>) -> Result<Response, ErrorCode> {
        let Some(request) = self.request.take() else { return Err(given_up()) };
        let mut answer = pin!(forward(request));
        let mut over = pin!(async {
            match timeout {
                Some(timeout) => clock::sleep(timeout).await,
                None => core::future::pending().await,
            }
        });
        poll_fn(|cx| {
            if self.tape.is_none()
                && let Poll::Ready(tape) = self.body.as_mut().poll(cx)
            {
                self.tape = Some(tape);
            }
            if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
                return Poll::Ready(answer);
            }
            over.as_mut().poll(cx).map(|()| Err(ErrorCode::HttpResponseTimeout))
        })
        .await
    }

    /// Whether the body cannot be sent again.
    pub(crate) fn has_lost_body(&self) -> bool {
        self.signals.is_lost()
    }

    /// Ends it: another attempt follows, and sends the same body from the start.
    pub(crate) async fn rewind(self) -> Tape {
        self.signals.stop();
        match self.tape {
            Some(tape) => tape,
            None => self.body.await,
        }
    }

    /// Its answer is handed on. What is left of the body goes on after that, and `sent` hears how
    /// the transmission ended.
    pub(crate) fn let_go(self, sent: FutureWriter<Sent>) {
        self.signals.pass();
        if self.tape.is_none() {
            spawn_local(async move { drop(self.body.await) });
        }
        spawn_local(async move { drop(sent.write(self.sent.await).await) });
    }
}

/// How the body of an attempt ends that is not sent to its end.
fn given_up() -> ErrorCode {
    ErrorCode::InternalError(Some("retrywise: the attempt was given up".into()))
}
