//! The client-side throttle against a model that keeps every request and counts those of the window.

use retrywise::{
    ClientThrottle, Millis,
    client_throttle::{Counted, Taken},
    policy::ClientThrottleOptions,
};
use retrywise_properties::{Source, histories};

/// Every request ever: its slot, and whether the server took it.
struct Model {
    width: u64,
    multiplier: u64,
    slot: u64,
    requests: Vec<(u64, bool)>,
}

impl Model {
    /// The odds of a refusal: (requests − K · accepts) / (requests + 1), in ten-thousandths.
    fn odds(&self) -> (u64, u64) {
        let alive = || self.requests.iter().filter(|(slot, _)| self.slot - slot < 10);
        let requests = alive().count() as u64;
        let accepts = alive().filter(|(_, taken)| *taken).count() as u64;
        let refused = (requests * 10_000).saturating_sub(accepts * self.multiplier);
        (refused, (requests + 1) * 10_000)
    }
}

fn play(source: &mut Source) {
    let mut options = ClientThrottleOptions::default();
    options.multiplier = source.one_of(&[10_000, 11_000, 20_000, 1_000_000]);
    options.window = Millis::new(source.between(1_000, 9_999));
    let (width, multiplier) = (options.window.get().div_ceil(10), options.multiplier.into());
    let mut throttle = ClientThrottle::new(options);
    let mut model = Model { width, multiplier, slot: 0, requests: Vec::new() };
    let mut out: Vec<(Counted, usize)> = Vec::new();
    for step in 0..500 {
        let (now, draw) = (source.clock(300), source.draw());
        model.slot = model.slot.max(now.as_millis() / model.width);
        if out.is_empty() || source.once_in(2) {
            let (refused, of) = model.odds();
            // The lowest draws are refused, as many as the odds say.
            let drawn = (u128::from(draw.bits()) * u128::from(of)) >> 64;
            let counted = throttle.admit(now, draw);
            assert_eq!(counted.is_some(), drawn >= refused.into(), "step {step}: an admission");
            model.requests.push((model.slot, false));
            out.extend(counted.map(|counted| (counted, model.requests.len() - 1)));
        } else {
            let index = source.between(0, out.len() as u64 - 1) as usize;
            let (counted, request) = out.swap_remove(index);
            let taken = source.one_of(&[Taken::Yes, Taken::Yes, Taken::No, Taken::Unknown]);
            throttle.record(counted, taken, now);
            match taken {
                Taken::Yes => model.requests[request].1 = true,
                Taken::No => {}
                Taken::Unknown => {
                    // As if it had never been.
                    model.requests.remove(request);
                    for (_, other) in &mut out {
                        *other -= usize::from(*other > request);
                    }
                }
            }
        }
        assert_eq!(throttle.refusal_odds(now), model.odds(), "step {step}: the odds");
    }
}

#[test]
fn the_odds_are_those_of_all_requests_in_the_window() {
    histories(400, play);
}
