//! A storm: callers against a server that goes down for a while.
//!
//! The server has a capacity and a queue in front of it; who finds the queue full is turned away
//! with 503, and so is everybody during the outage. Each client is one [`Upstream`] with a budget
//! and a breaker of its own, as one process is.
//!
//! The default is the retry guide's: 1000 requests a second, five seconds down, three retries.

mod book;
mod server;
mod tactic;

use alloc::{sync::Arc, vec::Vec};

use self::{book::Book, server::Server};
use super::agenda::Agenda;
use crate::{
    call::Call,
    outcome::{Header, Outcome},
    policy::Policy,
    request::Request,
    rng::Rng,
    text::Digits,
    time::{Instant, Millis},
    upstream::Upstream,
    verdict::{Reason, VerdictKind},
};

pub use book::{Second, StormReport};
pub use tactic::Tactic;

/// The terms of a storm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Storm {
    /// Client processes that share the calls evenly: 1 to 100 000, default 10.
    pub clients: u32,
    /// Calls a second, of all clients together: 1 to 100 000, default 1 000.
    pub rate: u32,
    /// How long calls keep coming, in seconds: 1 to 600, default 60.
    pub seconds: u32,
    /// What the server can answer in a second: 1 to 1 000 000, default 1 200.
    pub capacity: u32,
    /// How many requests may wait there: 0 to 1 000 000, default 600.
    pub queue: u32,
    /// How long an answer takes apart from the queue, at least 1 ms, default 10 ms.
    pub latency: Millis,
    /// When the outage begins, default 10 s.
    pub down_from: Millis,
    /// How long it lasts, default 5 s.
    pub down_for: Millis,
    /// Whether the server says with `Retry-After` how long the outage will last. Default `false`.
    pub tells: bool,
}

impl Default for Storm {
    fn default() -> Self {
        Self {
            clients: 10,
            rate: 1_000,
            seconds: 60,
            capacity: 1_200,
            queue: 600,
            latency: Millis::new(10),
            down_from: Millis::new(10_000),
            down_for: Millis::new(5_000),
            tells: false,
        }
    }
}

impl Storm {
    /// The same, every number inside its range.
    fn within(mut self) -> Self {
        self.clients = self.clients.clamp(1, 100_000);
        self.rate = self.rate.clamp(1, 100_000);
        self.seconds = self.seconds.clamp(1, 600);
        self.capacity = self.capacity.clamp(1, 1_000_000);
        self.queue = self.queue.min(1_000_000);
        self.latency = self.latency.max(Millis::new(1)).min(Millis::new(60_000));
        self
    }
}

/// How long after the last new call retries are still followed; what is unsettled then has failed.
const AFTERWARDS_MS: u64 = 120_000;

/// No storm handles more events: ten times the largest without retries would take too long.
const MOST_EVENTS: u64 = 100_000_000;

/// One storm under one policy.
///
/// ```
/// use retrywise::simulate::{Storm, Tactic, storm};
///
/// let naive = storm(&Storm::default(), &Tactic::Naive.policy(3), 1);
/// assert_eq!(naive.peak, 4_000); // thousandths: four times the calls
/// ```
pub fn storm(terms: &Storm, policy: &Arc<Policy>, seed: u64) -> StormReport {
    let terms = terms.within();
    let mut seeds = Rng::new(seed);
    let upstreams = (0..terms.clients)
        .map(|_| Upstream::new(Arc::clone(policy), seeds.draw().bits()))
        .collect();
    let mut run = Run {
        terms,
        upstreams,
        calls: Vec::new(),
        free: Vec::new(),
        agenda: Agenda::new(),
        server: Server::new(&terms),
        book: Book::new(&terms, policy),
    };
    run.weather();
    run.book.report()
}

#[derive(Clone, Copy)]
enum Event {
    /// A call held back by the rate limit begins again.
    Begin(usize),
    /// The answer is here.
    Answer(usize, u16, u64),
    /// The wait is over.
    Due(usize),
}

/// One call under way.
struct Slot {
    client: usize,
    /// `None` while it is held back, and when it is over.
    call: Option<Call>,
    /// The second in which its last retry was granted.
    granted: u64,
}

struct Run {
    terms: Storm,
    upstreams: Vec<Upstream>,
    calls: Vec<Slot>,
    /// Places in `calls` that can be used again.
    free: Vec<usize>,
    agenda: Agenda<Event>,
    server: Server,
    book: Book,
}

impl Run {
    fn weather(&mut self) {
        let Storm { rate, seconds, clients, .. } = self.terms;
        let total = u64::from(rate) * u64::from(seconds);
        let end = u64::from(seconds) * 1_000 + AFTERWARDS_MS;
        let mut begun = 0;
        for _ in 0..MOST_EVENTS {
            let arrival = begun * 1_000 / u64::from(rate);
            let next = self.agenda.next_at();
            if begun < total && next.is_none_or(|next| arrival <= next) {
                let client = (begun % u64::from(clients)) as usize;
                begun += 1;
                self.arrive(client, arrival);
                continue;
            }
            match self.agenda.next() {
                Some((now, event)) if now <= end => self.happen(event, now),
                Some((now, _)) => return self.book.leave(self.under_way(), now),
                None => return,
            }
        }
        self.book.leave(self.under_way(), end);
    }

    fn under_way(&self) -> u64 {
        (self.calls.len() - self.free.len()) as u64
    }

    /// A new call.
    fn arrive(&mut self, client: usize, now: u64) {
        self.book.asked(now);
        let slot = Slot { client, call: None, granted: 0 };
        let id = if let Some(id) = self.free.pop() {
            if let Some(place) = self.calls.get_mut(id) {
                *place = slot;
            }
            id
        } else {
            self.calls.push(slot);
            self.calls.len() - 1
        };
        self.begin(id, now);
    }

    fn begin(&mut self, id: usize, now: u64) {
        let Some(slot) = self.calls.get_mut(id) else { return };
        let Some(upstream) = self.upstreams.get_mut(slot.client) else { return };
        let request = Request { ticket: Some(id as u64), ..Request::default() };
        match upstream.begin(&request, Instant::from_millis(now), None) {
            Ok(call) => {
                slot.call = Some(call);
                self.send(id, now);
            }
            Err(refusal) => match refusal.retry_in {
                Some(wait) if refusal.reason == Reason::RateLimited => {
                    self.agenda.plan(now + wait.get().max(1), Event::Begin(id));
                }
                _ => {
                    self.book.refused(now);
                    self.over(id, false, now);
                }
            },
        }
    }

    fn send(&mut self, id: usize, now: u64) {
        self.book.sent(now);
        let (at, status, tell) = self.server.take(now);
        self.agenda.plan(at, Event::Answer(id, status, tell));
    }

    fn happen(&mut self, event: Event, now: u64) {
        match event {
            Event::Begin(id) => self.begin(id, now),
            Event::Answer(id, status, tell) => self.settle(id, status, tell, now),
            Event::Due(id) => self.resume(id, now),
        }
    }

    fn settle(&mut self, id: usize, status: u16, tell: u64, now: u64) {
        let Some(slot) = self.calls.get_mut(id) else { return };
        let Some(upstream) = self.upstreams.get_mut(slot.client) else { return };
        let Some(call) = &mut slot.call else { return };
        let digits = Digits::new(tell);
        let told = [Header { name: "retry-after", value: digits.as_str().as_bytes() }];
        let headers: &[Header<'_>] = if tell == 0 { &[] } else { &told };
        let outcome = Outcome::from_response(status, headers);
        let verdict = upstream.settle(call, &outcome, Instant::from_millis(now), None);
        match verdict.kind {
            VerdictKind::Retry => {
                slot.granted = self.book.granted(now);
                self.agenda.plan(now + verdict.delay.get(), Event::Due(id));
            }
            kind => self.over(id, kind == VerdictKind::Accept, now),
        }
    }

    fn resume(&mut self, id: usize, now: u64) {
        let Some(slot) = self.calls.get_mut(id) else { return };
        let Some(upstream) = self.upstreams.get_mut(slot.client) else { return };
        let Some(call) = &mut slot.call else { return };
        match upstream.resume(call, Instant::from_millis(now)) {
            Ok(()) => self.send(id, now),
            Err(refusal) => match refusal.retry_in {
                Some(wait) if !call.is_over() => {
                    self.agenda.plan(now + wait.get().max(1), Event::Due(id));
                }
                _ => {
                    self.book.refunded(slot.granted);
                    self.over(id, false, now);
                }
            },
        }
    }

    fn over(&mut self, id: usize, succeeded: bool, now: u64) {
        let Some(slot) = self.calls.get_mut(id) else { return };
        slot.call = None;
        self.book.over(succeeded, now);
        self.free.push(id);
    }
}

#[cfg(test)]
mod tests;
