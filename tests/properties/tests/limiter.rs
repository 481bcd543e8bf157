//! The limiter against a server that knows everything, and against a plain list of who waits.

use retrywise::{
    Instant, Limiter, Millis, Quota,
    limiter::{LimiterView, News, Pass, Ticket, Wait},
    policy::LimiterOptions,
};
use retrywise_properties::{Source, histories};

/// A fixed window: so many calls in each span, refused beyond. It tells the truth at any time.
struct Server {
    limit: u64,
    span: u64,
    window: u64,
    used: u64,
    /// The window in which an answer was lost that only the server knows of.
    lost: Option<u64>,
}

impl Server {
    fn pass(&mut self, now: u64) {
        if now / self.span > self.window {
            (self.window, self.used) = (now / self.span, 0);
        }
    }

    /// One more call arrives; what the answer says. A scout may come in vain after an answer was
    /// lost: nobody can know what it took. Nothing else may.
    fn serve(&mut self, now: u64, tells_limit: bool, scout: bool) -> News {
        self.pass(now);
        let over = self.used >= self.limit;
        assert!(!over || (scout && self.lost == Some(self.window)), "the server has to refuse");
        self.used = (self.used + 1).min(self.limit);
        let reset = Millis::new((self.window + 1) * self.span - now);
        let mut news = News::default();
        news.answered = true;
        let limit = tells_limit.then_some(self.limit);
        news.quota = Some(Quota::new(limit, self.limit - self.used, Some(reset)));
        news.wait = over.then_some(Some(reset));
        news
    }
}

/// A call that waits: what its place is made of, since when, and when it was told to ask again.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    ticket: Ticket,
    priority: i32,
    due: u64,
    arrival: u64,
    since: u64,
    ask_at: u64,
}

/// Who waits, in the order of arrival.
struct Room {
    options: LimiterOptions,
    waiters: Vec<Waiter>,
    arrivals: u64,
}

impl Room {
    fn place(&self, waiter: &Waiter) -> (i128, u64) {
        let head_start = i128::from(waiter.priority) * i128::from(self.options.aging.get());
        (i128::from(waiter.due) - head_start, waiter.arrival)
    }

    /// Who asks, with the place it has or gets, and how many are before it.
    fn enter(&mut self, ticket: Ticket, priority: i32, now: u64) -> (Waiter, u64) {
        self.waiters.retain(|waiter| now <= waiter.ask_at + 1_000);
        let nobody = ticket == Ticket::Nobody;
        let known = self.waiters.iter().filter(|waiter| {
            waiter.ticket == ticket
                && (!nobody || (waiter.priority == priority && waiter.ask_at <= now))
        });
        let known = known.min_by_key(|waiter| self.place(waiter)).copied();
        let new =
            Waiter { ticket, priority, due: now, arrival: self.arrivals, since: now, ask_at: now };
        let mine = known.unwrap_or(new);
        let before = |waiter: &&Waiter| self.place(waiter) < self.place(&mine);
        (mine, self.waiters.iter().filter(before).count() as u64)
    }

    /// It was told to wait: it keeps its place, or gets one while there are some.
    fn keep(&mut self, mine: &Waiter, ask_at: u64) {
        if let Some(waiter) = self.waiters.iter_mut().find(|w| w.arrival == mine.arrival) {
            waiter.ask_at = ask_at;
        } else if self.waiters.len() < self.options.queue as usize {
            self.waiters.push(Waiter { ask_at, ..*mine });
            self.arrivals += 1;
        }
    }

    fn leave(&mut self, mine: &Waiter) {
        self.waiters.retain(|waiter| waiter.arrival != mine.arrival);
    }
}

/// Passes by where their calls are.
#[derive(Default)]
struct Ways {
    /// On the way to the server, not counted there yet; and whether it finds out.
    there: Vec<(Pass, bool)>,
    /// On the way back.
    back: Vec<(Pass, News)>,
}

struct World {
    limiter: Limiter,
    server: Server,
    room: Room,
    ways: Ways,
    tells_limit: bool,
    now: u64,
}

impl World {
    fn new(source: &mut Source, tells_limit: bool) -> Self {
        let mut options = LimiterOptions::default();
        options.queue = source.one_of(&[0, 1, 3, 1_000]);
        options.max_wait = source.once_in(3).then(|| Millis::new(source.between(0, 4_000)));
        options.aging = Millis::new(source.one_of(&[0, 1, 700, 60_000]));
        let (limit, span) = (source.between(1, 12), source.between(500, 4_000));
        let server = Server { limit, span, window: 0, used: limit, lost: None };
        let mut limiter = Limiter::new(options.clone());
        // Something was seen before, now and then shortly before a reset: from here on nothing may
        // be refused.
        let now = if source.once_in(2) { 0 } else { source.between(0, span - 1) };
        let mut news = News::default();
        news.answered = true;
        let reset = Some(Millis::new(span - now));
        news.quota = Some(Quota::new(tells_limit.then_some(limit), 0, reset));
        limiter.observe(None, news, Instant::from_millis(now));
        let room = Room { options, waiters: Vec::new(), arrivals: 0 };
        Self { limiter, server, room, ways: Ways::default(), tells_limit, now }
    }

    fn at(&self) -> Instant {
        Instant::from_millis(self.now)
    }

    /// A call asks; the list says whether it may.
    fn ask(&mut self, ticket: Ticket, priority: i32) -> Result<(), Wait> {
        let before = self.limiter.view(self.at());
        let (mine, ahead) = self.room.enter(ticket, priority, self.now);
        let found = self.limiter.acquire(ticket, priority, self.at());
        let finds_out = self.finds_out(before);
        match before.available {
            // There is one for everybody who stands before it and one more.
            Some(free) if before.reset_in.is_some() || (free > 0 && !finds_out) => {
                assert_eq!(found.is_ok(), free > ahead, "{mine:?} of {before:?}");
            }
            // Where none is left and nobody said until when, one call may try.
            Some(_) => {}
            None => panic!("a server that tells its limit is never forgotten"),
        }
        match found {
            Ok(pass) => {
                self.room.leave(&mine);
                self.ways.there.push((pass, finds_out || before.available == Some(0)));
                Ok(())
            }
            Err(wait) => {
                let then = self.now + wait.retry_in.get();
                let longest = self.room.options.max_wait;
                let too_long = longest.is_some_and(|longest| then - mine.since > longest.get());
                assert_eq!(wait.too_long, too_long, "{mine:?}: {wait:?}");
                assert!(wait.retry_in > Millis::ZERO, "asking again at once would spin");
                if too_long {
                    self.room.leave(&mine);
                } else {
                    self.room.keep(&mine, then);
                }
                Err(wait)
            }
        }
    }

    /// Whether the next call is sent to find out what the limit is.
    fn finds_out(&self, view: LimiterView) -> bool {
        !self.tells_limit && view.reset_in.is_none()
    }

    /// A call arrives at the server; its answer sets out.
    fn arrive(&mut self, index: usize) {
        let (pass, scout) = self.ways.there.swap_remove(index);
        let news = self.server.serve(self.now, self.tells_limit, scout);
        self.ways.back.push((pass, news));
    }

    fn answer(&mut self, index: usize) {
        let (pass, news) = self.ways.back.swap_remove(index);
        self.limiter.observe(Some(pass), news, self.at());
    }

    /// What must hold at any time.
    fn check(&mut self) {
        self.server.pass(self.now);
        let view = self.limiter.view(self.at());
        assert_eq!(view, self.limiter.view(self.at()), "looking changes nothing");
        let out = (self.ways.there.len() + self.ways.back.len()) as u64;
        assert_eq!(view.in_flight, out, "calls on their way");
        let left = self.server.limit - self.server.used;
        let uncounted = self.ways.there.len() as u64;
        let free = view.available.unwrap_or(u64::MAX);
        let is_true = free <= left.saturating_sub(uncounted);
        let is_blind = self.finds_out(view) && self.server.lost == Some(self.server.window);
        assert!(is_true || is_blind, "{free} of {left}, {uncounted} there: {:?}", self.limiter);
        let waiting = self.room.waiters.iter().filter(|w| self.now <= w.ask_at + 1_000).count();
        assert_eq!(view.waiting, waiting, "calls that wait");
    }

    fn step(&mut self, source: &mut Source) {
        self.now += if source.once_in(3) { source.between(0, 500) } else { source.between(0, 20) };
        let some = |source: &mut Source, of: usize| source.between(0, of as u64 - 1) as usize;
        match source.between(0, 19) {
            0..=8 => {
                let ticket = match source.between(0, 3) {
                    0 => Ticket::Nobody,
                    _ => Ticket::Host(source.between(0, 30)),
                };
                let _ = self.ask(ticket, source.between(0, 4) as i32 - 2);
            }
            9..=12 if !self.ways.there.is_empty() => {
                let index = some(source, self.ways.there.len());
                self.arrive(index);
            }
            13..=16 if !self.ways.back.is_empty() => {
                let index = some(source, self.ways.back.len());
                self.answer(index);
            }
            17 if !self.ways.there.is_empty() => {
                let index = some(source, self.ways.there.len());
                let (pass, _) = self.ways.there.swap_remove(index);
                let now = self.at();
                // Lost before it came there, or not sent at all.
                if source.once_in(2) {
                    self.limiter.release(pass, now);
                } else {
                    self.limiter.give_back(pass, now);
                }
            }
            18 if !self.ways.back.is_empty() => {
                let index = some(source, self.ways.back.len());
                let (pass, _) = self.ways.back.swap_remove(index);
                self.server.lost = Some(self.now / self.server.span);
                self.limiter.release(pass, self.at());
            }
            19 => {
                let ticket = Ticket::Host(source.between(0, 30));
                self.limiter.forget(ticket);
                self.room.waiters.retain(|waiter| waiter.ticket != ticket);
            }
            _ => {}
        }
    }

    /// Everything comes home; then who asks whenever it is told to goes within a few windows.
    fn drain(&mut self) {
        while !self.ways.there.is_empty() {
            self.arrive(0);
        }
        while !self.ways.back.is_empty() {
            self.answer(0);
        }
        self.check();
        let end = self.now + 4 * self.server.span + 40_000;
        let patient = Ticket::Host(1_000);
        // As urgent as the most urgent that may still keep a place.
        while let Err(wait) = self.ask(patient, 2) {
            self.now += wait.retry_in.get();
            assert!(self.now <= end, "it waits for ever: {:?}", self.limiter.view(self.at()));
            self.check();
        }
    }
}

#[test]
fn no_order_of_events_makes_the_server_refuse_and_the_list_says_who_goes() {
    histories(600, |source| {
        let tells_limit = source.once_in(2);
        let mut world = World::new(source, tells_limit);
        for _ in 0..400 {
            world.step(source);
            world.check();
        }
        world.drain();
    });
}

#[test]
fn what_a_lone_answer_tells_is_what_may_go() {
    histories(300, |source| {
        let mut options = LimiterOptions::default();
        options.reserve = source.one_of(&[0, 1, 3, 1_000_000]);
        let reserve = u64::from(options.reserve);
        let mut limiter = Limiter::new(options);
        let limit = source.once_in(2).then(|| source.between(1, 20));
        let left = source.between(0, limit.unwrap_or(20));
        let (span, now) = (source.between(1, 90_000), source.between(0, 1 << 50));
        let mut news = News::default();
        news.answered = true;
        news.quota = Some(Quota::new(limit, left, Some(Millis::new(span))));
        limiter.observe(None, news, Instant::from_millis(now));
        let now = now + source.between(0, span - 1);
        let priority = source.one_of(&[i32::MIN, -1, 0, 1, i32::MAX]);
        // The reserve is for priorities above zero, and never a whole bucket.
        let kept = match limit {
            _ if priority > 0 => 0,
            Some(limit) => reserve.min(limit - 1),
            None => reserve,
        };
        let ask = || limiter.acquire(Ticket::Nobody, priority, Instant::from_millis(now));
        let went = core::iter::repeat_with(ask).take(25).flatten().count() as u64;
        assert_eq!(went, left.saturating_sub(kept), "{left} left of {limit:?}, {kept} kept");
    });
}

#[test]
fn any_clock_and_any_numbers_leave_it_whole() {
    histories(600, |source| {
        let mut options = LimiterOptions::default();
        options.reserve = source.one_of(&[0, 2, u32::MAX]);
        let queue = source.one_of(&[0, 2, 1_000]);
        options.queue = queue;
        options.max_wait = source.once_in(2).then(|| Millis::new(source.between(0, 9_000)));
        options.aging = source.one_of(&[Millis::ZERO, Millis::new(1_000), Millis::MAX]);
        let mut limiter = Limiter::new(options);
        let mut out: Vec<Pass> = Vec::new();
        for step in 0..300 {
            let now = source.clock(500);
            match source.between(0, 5) {
                0..=2 => {
                    let ticket = source.one_of(&[Ticket::Nobody, Ticket::Host(1), Ticket::Host(2)]);
                    let priority = source.one_of(&[i32::MIN, -3, 0, 3, i32::MAX]);
                    match limiter.acquire(ticket, priority, now) {
                        Ok(pass) => out.push(pass),
                        Err(wait) => assert!(wait.retry_in > Millis::ZERO, "step {step}"),
                    }
                }
                3 if !out.is_empty() => limiter.give_back(out.swap_remove(0), now),
                _ => {
                    let some = [0, 1, 5, 10_000, u64::MAX];
                    let mut news = News::default();
                    news.answered = source.once_in(2);
                    news.quota = source.once_in(2).then(|| {
                        let limit = source.once_in(2).then(|| source.one_of(&some));
                        let reset = source.once_in(2).then(|| Millis::new(source.one_of(&some)));
                        Quota::new(limit, source.one_of(&some), reset)
                    });
                    news.wait = source
                        .once_in(4)
                        .then(|| source.once_in(2).then(|| Millis::new(source.one_of(&some))));
                    let pass = if source.once_in(2) { out.pop() } else { None };
                    limiter.observe(pass, news, now);
                }
            }
            let view = limiter.view(now);
            // Calls of more than ten minutes ago hold nothing back any more.
            assert!(view.in_flight <= out.len() as u64, "step {step}");
            assert!(view.waiting <= queue as usize, "step {step}");
        }
        for pass in out {
            limiter.release(pass, Instant::MAX);
        }
        assert_eq!(limiter.view(Instant::MAX).in_flight, 0, "every pass was given back");
    });
}
