//! A limiter against a server that counts, with time on the way.

use alloc::collections::BTreeMap;

use super::*;
use crate::rng::Rng;

/// A server with a fixed window, and calls that take their time there and back.
struct World {
    limiter: Limiter,
    rng: Rng,
    limit: u64,
    span: u64,
    used: BTreeMap<u64, u64>,
    refusals: u64,
    /// By time: a call arrives at the server, an answer at the client, a caller asks.
    events: BTreeMap<(u64, u64), Event>,
    serial: u64,
    done: Vec<(u64, i32)>,
}

enum Event {
    Ask { ticket: u64, priority: i32 },
    Arrive { pass: Pass, priority: i32 },
    Answer { pass: Pass, news: News, priority: i32 },
}

impl World {
    fn new(seed: u64, limit: u64, span: u64, told_limit: bool) -> Self {
        let mut world = Self {
            limiter: limiter(),
            rng: Rng::new(seed),
            limit,
            span,
            used: BTreeMap::new(),
            refusals: 0,
            events: BTreeMap::new(),
            serial: 0,
            done: Vec::new(),
        };
        // The first answer has been seen: from then on nothing may be refused.
        let first = told(told_limit.then_some(limit), 0, span);
        world.limiter.observe(None, first, at(0));
        world
    }

    fn later(&mut self, now: u64, event: Event) {
        self.serial += 1;
        self.events.insert((now, self.serial), event);
    }

    fn hop(&mut self) -> u64 {
        self.rng.draw().between(1, 400)
    }

    fn run(&mut self, until: u64, told_limit: bool) {
        while let Some(((now, _), event)) = self.events.pop_first() {
            if now > until {
                break;
            }
            match event {
                Event::Ask { ticket, priority } => {
                    match self.limiter.acquire(Ticket::Host(ticket), priority, at(now)) {
                        Ok(pass) => {
                            let then = now + self.hop();
                            self.later(then, Event::Arrive { pass, priority });
                        }
                        Err(wait) => {
                            let then = now + wait.retry_in.get();
                            self.later(then, Event::Ask { ticket, priority });
                        }
                    }
                }
                Event::Arrive { pass, priority } => {
                    let window = now / self.span;
                    let used = self.used.entry(window).or_default();
                    let over = *used >= self.limit;
                    *used = (*used + 1).min(self.limit);
                    let (left, reset) = (self.limit - *used, (window + 1) * self.span - now);
                    self.refusals += u64::from(over);
                    let mut news = told(told_limit.then_some(self.limit), left, reset);
                    if over {
                        news.wait = Some(Some(Millis::new(reset)));
                    }
                    if self.rng.draw().between(0, 9) == 0 {
                        news = News::default(); // the answer is lost
                    }
                    let then = now + self.hop();
                    self.later(then, Event::Answer { pass, news, priority });
                }
                Event::Answer { pass, news, priority } => {
                    self.limiter.observe(Some(pass), news, at(now));
                    self.done.push((now, priority));
                }
            }
        }
    }
}

#[test]
fn a_server_never_has_to_refuse_and_its_limit_is_used() {
    for seed in 0..8 {
        let told_limit = seed % 2 == 0;
        let (limit, span) = (5 + seed % 7 * 5, 2_000 + seed % 3 * 1_000);
        let mut world = World::new(seed, limit, span, told_limit);
        let calls = limit * 10;
        for ticket in 0..calls {
            let now = world.rng.draw().between(0, span * 3);
            world.later(now, Event::Ask { ticket, priority: 0 });
        }
        world.run(1_000_000, told_limit);
        assert_eq!(world.refusals, 0, "seed {seed}");
        assert_eq!(world.done.len() as u64, calls, "seed {seed}");
        let windows = world.done.last().unwrap().0 / span;
        assert!(windows <= 16, "seed {seed}: {windows} windows for 10 allowances");
    }
}

#[test]
fn a_low_priority_is_late_but_never_starved() {
    let mut world = World::new(1, 10, 1_000, true);
    world
        .limiter
        .reconfigure(LimiterOptions { aging: Millis::new(2_000), ..LimiterOptions::default() });
    world.later(0, Event::Ask { ticket: 1_000_000, priority: 0 });
    // Twice as many urgent calls as the server takes, for ever.
    for ticket in 0..600 {
        world.later(ticket * 50, Event::Ask { ticket, priority: 5 });
    }
    world.run(30_000, true);
    let late = world.done.iter().find(|(_, priority)| *priority == 0).expect("starved").0;
    assert!((9_000..25_000).contains(&late), "five steps of two seconds: {late}");
    assert_eq!(world.refusals, 0);
}
