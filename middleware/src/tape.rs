//! The body of a request: streamed to the first attempt as it comes, and kept meanwhile, to be
//! sent again.
//!
//! What was kept goes out first, then what still comes. Above the bound nothing is kept any more
//! and what was kept is let go: replay is given up, never the request.

use alloc::{rc::Rc, vec::Vec};
use core::{
    cell::Cell,
    future::{Future, poll_fn},
    mem,
    pin::pin,
    task::Poll,
};

use wit_bindgen::{FutureReader, FutureWriter, StreamReader, StreamResult, StreamWriter};

use crate::bindings::http::types::{ErrorCode, Fields};

/// How much is read and written at once.
const CHUNK: usize = 32 * 1024;

/// What ends a body: trailers, none, or why it did not end well.
pub(crate) type End = Result<Option<Fields>, ErrorCode>;

/// A request body, as far as it has come in, and where the rest comes from.
pub(crate) struct Tape {
    kept: Vec<u8>,
    /// What was read to see whether there is a body, and is neither sent nor kept yet.
    ahead: Vec<u8>,
    /// The most that is kept.
    bound: usize,
    source: Source,
    end: Ending,
}

enum Source {
    Open(StreamReader<u8>),
    /// All of it has come in.
    Ended,
}

enum Ending {
    /// The trailers come after the body.
    Awaited(FutureReader<End>),
    Known(End),
    /// Nobody waits for it any more.
    Gone,
}

/// What the one who plays a tape and the one who decides tell each other.
#[derive(Default)]
pub(crate) struct Signals {
    mode: Cell<Mode>,
    /// The body went by and was not kept: it cannot be sent again.
    lost: Cell<bool>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    /// Sends, and keeps what may be sent again.
    #[default]
    Keep,
    /// Sends, and keeps nothing: no other attempt will follow.
    Pass,
    /// Stops where it is: another attempt follows.
    Stop,
}

impl Signals {
    /// No other attempt will follow.
    pub(crate) fn pass(&self) {
        self.mode.set(Mode::Pass);
    }

    /// Another attempt follows: this one gets no more.
    pub(crate) fn stop(&self) {
        self.mode.set(Mode::Stop);
    }

    /// Whether the body cannot be sent again.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.get()
    }

    fn stops(&self) -> bool {
        self.mode.get() == Mode::Stop
    }
}

impl Tape {
    /// A tape of a body that comes from `source`, then `end`; at most `bound` bytes are kept.
    pub(crate) fn new(source: StreamReader<u8>, end: FutureReader<End>, bound: usize) -> Self {
        let (source, end) = (Source::Open(source), Ending::Awaited(end));
        Self { kept: Vec::new(), ahead: Vec::new(), bound, source, end }
    }

    /// Whether there is a body, as far as that can be told. A request without one must go out
    /// without one: servers mind an empty body in chunks. `patient` waits for the first byte or the
    /// end; otherwise only an end that is there already counts, since a caller may want to see the
    /// answer before it writes.
    pub(crate) async fn has_body(&mut self, patient: bool) -> bool {
        let Source::Open(source) = &mut self.source else { return self.has_some() };
        if !self.kept.is_empty() || !self.ahead.is_empty() {
            return true;
        }
        let (result, first) = first(source, patient).await;
        self.ahead = first;
        if result == StreamResult::Dropped {
            self.source = Source::Ended;
        }
        self.has_some() || matches!(self.source, Source::Open(_))
    }

    const fn has_some(&self) -> bool {
        !self.kept.is_empty() || !self.ahead.is_empty()
    }

    /// Sends the body to one attempt: what was kept, what comes, and the end. Gives the tape back
    /// when all is sent, when the attempt takes no more, or when it is stopped.
    ///
    /// `end` resolves to its default, an error, unless all was sent: a body that breaks off must
    /// not look like one that is complete.
    pub(crate) async fn play(
        mut self,
        body: Option<StreamWriter<u8>>,
        end: FutureWriter<End>,
        signals: Rc<Signals>,
    ) -> Self {
        if let Some(mut body) = body
            && !self.send(&mut body, &signals).await
        {
            return self;
        }
        self.send_end(end, &signals).await;
        self
    }

    /// Whether all of it was sent.
    async fn send(&mut self, body: &mut StreamWriter<u8>, signals: &Signals) -> bool {
        let mut at = 0;
        loop {
            while let Some(rest) = self.kept.get(at..).filter(|rest| !rest.is_empty()) {
                let chunk = rest.get(..CHUNK).unwrap_or(rest).to_vec();
                at += chunk.len();
                if !write(body, chunk, signals).await {
                    return false;
                }
            }
            let mut chunk = mem::take(&mut self.ahead);
            if chunk.is_empty() {
                let Source::Open(source) = &mut self.source else { return true };
                let (result, read) = read(source, signals).await;
                chunk = read;
                if result == StreamResult::Dropped {
                    self.source = Source::Ended;
                }
            }
            self.keep(&chunk, signals);
            at = self.kept.len();
            if !write(body, chunk, signals).await {
                return false;
            }
        }
    }

    fn keep(&mut self, chunk: &[u8], signals: &Signals) {
        let room = self.kept.len() + chunk.len() <= self.bound;
        // What came in while it was stopped is what the next attempt goes on with.
        let keep = signals.stops() || (room && signals.mode.get() == Mode::Keep);
        if keep && !signals.is_lost() {
            self.kept.extend_from_slice(chunk);
        } else if !chunk.is_empty() {
            signals.lost.set(true);
            self.kept = Vec::new();
        }
    }

    async fn send_end(&mut self, to: FutureWriter<End>, signals: &Signals) {
        let end = match mem::replace(&mut self.end, Ending::Gone) {
            Ending::Awaited(from) => {
                let mut from = pin!(from.into_future());
                let end = poll_fn(|cx| {
                    if signals.stops() {
                        Poll::Ready(from.as_mut().cancel())
                    } else {
                        from.as_mut().poll(cx).map(Ok)
                    }
                });
                match end.await {
                    Ok(end) => end,
                    Err(from) => {
                        self.end = Ending::Awaited(from);
                        return;
                    }
                }
            }
            Ending::Known(end) => end,
            Ending::Gone => return,
        };
        if end.is_err() {
            // The caller's own body broke off: sending it again would break off again.
            signals.lost.set(true);
        }
        self.end = Ending::Known(copy(&end));
        let mut write = pin!(to.write(end));
        // Dropped when it is stopped: then the default goes out in its place.
        poll_fn(
            |cx| {
                if signals.stops() { Poll::Ready(()) } else { write.as_mut().poll(cx).map(drop) }
            },
        )
        .await;
    }
}

/// The first bytes or the end; nothing, unless `patient`, when neither is there yet.
async fn first(source: &mut StreamReader<u8>, patient: bool) -> (StreamResult, Vec<u8>) {
    let mut read = pin!(source.read(Vec::with_capacity(CHUNK)));
    poll_fn(|cx| match read.as_mut().poll(cx) {
        Poll::Pending if !patient => Poll::Ready(read.as_mut().cancel()),
        poll => poll,
    })
    .await
}

/// Some bytes and whether more may come; what was read so far when it is stopped.
async fn read(source: &mut StreamReader<u8>, signals: &Signals) -> (StreamResult, Vec<u8>) {
    let mut read = pin!(source.read(Vec::with_capacity(CHUNK)));
    poll_fn(|cx| {
        if signals.stops() { Poll::Ready(read.as_mut().cancel()) } else { read.as_mut().poll(cx) }
    })
    .await
}

/// Whether the attempt took all of it.
async fn write(body: &mut StreamWriter<u8>, chunk: Vec<u8>, signals: &Signals) -> bool {
    if chunk.is_empty() {
        return !signals.stops();
    }
    let mut next = body.write(chunk);
    loop {
        let (result, rest) = {
            let mut write = pin!(next);
            poll_fn(|cx| {
                if signals.stops() {
                    Poll::Ready(write.as_mut().cancel())
                } else {
                    write.as_mut().poll(cx)
                }
            })
            .await
        };
        match result {
            StreamResult::Complete(_) if rest.remaining() == 0 => return true,
            StreamResult::Complete(_) => next = body.write_buf(rest),
            StreamResult::Dropped | StreamResult::Cancelled => return false,
        }
    }
}

/// The same end for one more attempt.
fn copy(end: &End) -> End {
    match end {
        Ok(trailers) => Ok(trailers.as_ref().map(Fields::clone)),
        Err(error) => Err(error.clone()),
    }
}
