//! Refuses calls here before an overloaded server has to: the client-side throttle of Google's
//! *Site Reliability Engineering* (chapter 21, "Handling Overload").
//!
//! Of the last two minutes it knows the requests that wanted to be sent and those that the server
//! accepted. While `requests ≤ K · accepts` every call passes; beyond that one is refused with the
//! probability `(requests − K · accepts) / (requests + 1)`. A refusal counts as a request: when a
//! server accepts nothing, less and less is sent, but never nothing.

use crate::{
    policy::ClientThrottleOptions,
    rng::Draw,
    snapshot::SlotsState,
    time::{Instant, Millis},
    window::Window,
};

/// The multiplier is kept in ten-thousandths.
const UNIT: u64 = 10_000;

/// The client-side throttle of one upstream.
#[derive(Clone, Debug)]
pub struct ClientThrottle {
    options: ClientThrottleOptions,
    window: Window<Tally>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) requests: u32,
    pub(crate) accepts: u32,
}

/// Where a request was counted. Spent by [`ClientThrottle::record`].
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub struct Counted {
    slot: u64,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // the server took it, did not, or was not asked
pub enum Taken {
    /// The server accepted it, whatever it answered.
    Yes,
    /// The server turned it away, failed, or could not be reached.
    No,
    /// It was never sent, or nobody will know: as if it had never wanted to be.
    Unknown,
}

impl ClientThrottle {
    /// A throttle that has seen nothing yet and lets every call pass.
    pub fn new(options: ClientThrottleOptions) -> Self {
        let window = Window::new(options.window);
        Self { options, window }
    }

    /// Asks to send one attempt now. It is counted, whatever the answer.
    pub fn admit(&mut self, now: Instant, draw: Draw) -> Option<Counted> {
        let slot = self.window.advance(now);
        let (refused, of) = self.odds();
        let passes = draw.between(0, of.saturating_sub(1)) >= refused;
        if let Some(tally) = self.window.at(slot) {
            tally.requests = tally.requests.saturating_add(1);
        }
        passes.then_some(Counted { slot })
    }

    /// Books what became of a request where it was counted; too late is too late.
    #[allow(clippy::needless_pass_by_value)] // spent
    pub fn record(&mut self, counted: Counted, taken: Taken, now: Instant) {
        self.window.advance(now);
        let Some(tally) = self.window.at(counted.slot) else { return };
        match taken {
            Taken::Yes => tally.accepts = tally.accepts.saturating_add(1).min(tally.requests),
            Taken::No => {}
            Taken::Unknown => tally.requests = tally.requests.saturating_sub(1),
        }
    }

    /// The probability of a refusal at `now`, as a numerator and a denominator. Pure.
    pub fn refusal_odds(&self, now: Instant) -> (u64, u64) {
        let mut then = self.clone();
        then.window.advance(now);
        then.odds()
    }

    /// Continues under other options; of another window nothing is kept.
    pub fn reconfigure(&mut self, options: ClientThrottleOptions) {
        let window = Window::new(options.window);
        if !self.window.has_width_of(&window) {
            self.window = window;
        }
        self.options = options;
    }

    /// The options it runs under.
    pub const fn options(&self) -> &ClientThrottleOptions {
        &self.options
    }

    /// Its counts at `now`.
    pub(crate) fn save(&self, now: Instant) -> SlotsState {
        SlotsState::of(&self.window.save(now), |tally| (tally.requests, tally.accepts, 0))
    }

    /// Takes over counts that were saved `elapsed` ago.
    pub(crate) fn load(&mut self, state: &SlotsState, elapsed: Millis, now: Instant) {
        let unpack =
            |requests: u32, accepts: u32, _| Tally { requests, accepts: accepts.min(requests) };
        self.window = Window::new(self.options.window);
        self.window.load(&state.to_window(unpack), elapsed, now);
    }

    fn odds(&self) -> (u64, u64) {
        let (requests, accepts) = self.window.values().fold((0_u64, 0_u64), |sum, tally| {
            (sum.0 + u64::from(tally.requests), sum.1 + u64::from(tally.accepts))
        });
        // At most ten slots of 2^32 times a multiplier of 10^6: inside 64 bits.
        let allowed = accepts.saturating_mul(u64::from(self.options.multiplier));
        let refused = requests.saturating_mul(UNIT).saturating_sub(allowed);
        (refused, requests.saturating_add(1).saturating_mul(UNIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn after(requests: u32, accepts: u32, multiplier: u32) -> ClientThrottle {
        let options = ClientThrottleOptions { multiplier, ..ClientThrottleOptions::default() };
        let mut throttle = ClientThrottle::new(options);
        for n in 0..requests {
            let Some(counted) = throttle.admit(at(0), Draw::MAX) else {
                panic!("the largest draw passes");
            };
            let taken = if n < accepts { Taken::Yes } else { Taken::No };
            throttle.record(counted, taken, at(0));
        }
        throttle
    }

    #[test]
    fn the_odds_are_the_books() {
        for (requests, accepts, multiplier, refused, of) in [
            (100, 100, 20_000, 0, 101),
            (100, 50, 20_000, 0, 101),
            (100, 40, 20_000, 20, 101),
            (100, 0, 20_000, 100, 101),
            (0, 0, 20_000, 0, 1),
            (1, 0, 20_000, 1, 2),
            (100, 90, 11_000, 1, 101),
        ] {
            let throttle = after(requests, accepts, multiplier);
            let (numerator, denominator) = throttle.refusal_odds(at(0));
            assert_eq!(
                (numerator, denominator),
                (refused * UNIT, of * UNIT),
                "{requests}/{accepts}"
            );
        }
    }

    #[test]
    fn a_draw_below_the_odds_is_refused_and_counted() {
        let mut throttle = after(1, 0, 20_000);
        assert_eq!(throttle.admit(at(0), Draw::MIN), None);
        assert_eq!(throttle.refusal_odds(at(0)), (2 * UNIT, 3 * UNIT));
        // Two of three: the largest third passes.
        assert_eq!(throttle.admit(at(0), Draw::from_bits(u64::MAX / 3 * 2)), None);
        assert!(after(2, 0, 20_000).admit(at(0), Draw::from_bits(u64::MAX / 3 * 2 + 2)).is_some());
    }

    #[test]
    fn a_dead_server_is_still_asked_now_and_then() {
        let mut throttle = after(0, 0, 20_000);
        let mut rng = Rng::new(1);
        let sent = (0..10_000).filter(|_| throttle.admit(at(0), rng.draw()).is_some()).count();
        assert!((5..30).contains(&sent), "about ln(10 000): {sent}");
    }

    #[test]
    fn what_is_older_than_the_window_is_forgotten() {
        let mut throttle = after(100, 0, 20_000);
        assert_eq!(throttle.refusal_odds(at(107_999)).0, 100 * UNIT);
        assert_eq!(throttle.refusal_odds(at(120_000)).0, 0);
        let counted = throttle.admit(at(0), Draw::MAX).unwrap();
        throttle.record(counted, Taken::Yes, Instant::MAX);
        assert_eq!(throttle.refusal_odds(Instant::MAX), (0, UNIT));
    }

    #[test]
    fn a_request_of_which_nobody_knows_was_none() {
        let mut throttle = after(0, 0, 20_000);
        let counted = throttle.admit(at(0), Draw::MIN).unwrap();
        throttle.record(counted, Taken::Unknown, at(0));
        assert_eq!(throttle.refusal_odds(at(0)), (0, UNIT));
        assert_eq!(Millis::new(120_000), throttle.options().window);
    }

    #[test]
    fn what_was_saved_goes_on_ageing_and_a_damaged_count_takes_no_more_than_it_wants() {
        let throttle = after(100, 30, 20_000);
        let state = throttle.save(at(5_000));
        let mut loaded = ClientThrottle::new(ClientThrottleOptions::default());
        loaded.load(&state, Millis::new(1_000), at(77));
        assert_eq!(loaded.refusal_odds(at(77)), (40 * UNIT, 101 * UNIT));
        assert_eq!(loaded.refusal_odds(at(77 + 120_000)).0, 0, "two minutes later");
        let hostile = SlotsState::of(&throttle.window.save(at(0)), |_| (1, u32::MAX, 0));
        loaded.load(&hostile, Millis::ZERO, at(0));
        assert_eq!(loaded.refusal_odds(at(0)).0, 0);
    }

    #[test]
    fn other_options_keep_what_was_seen_unless_the_window_is_another() {
        let mut throttle = after(100, 40, 20_000);
        let tighter = ClientThrottleOptions { multiplier: 11_000, ..throttle.options().clone() };
        throttle.reconfigure(tighter);
        assert_eq!(throttle.refusal_odds(at(0)), (56 * UNIT, 101 * UNIT));
        let window = Millis::new(10_000);
        throttle.reconfigure(ClientThrottleOptions { window, ..throttle.options().clone() });
        assert_eq!(throttle.refusal_odds(at(0)), (0, UNIT));
    }
}
