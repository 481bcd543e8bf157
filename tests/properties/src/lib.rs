//! Random histories for the tests beside: seeded, repeatable, and the seed is told when one fails.
//!
//! `RETRYWISE_SEED=N` runs one history alone, `RETRYWISE_CASES=N` more of them than the default.
#![forbid(unsafe_code)]

use std::{env, panic};

use retrywise::{Draw, Instant, Rng};

/// Where a history takes its numbers from.
#[derive(Debug)]
pub struct Source {
    rng: Rng,
    now: u64,
}

/// Plays `cases` histories, each from a seed of its own.
///
/// # Panics
/// When one of them does, after its seed was printed.
pub fn histories(cases: u64, play: impl Fn(&mut Source) + panic::RefUnwindSafe) {
    let number = |name| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let cases = number("RETRYWISE_CASES").unwrap_or(cases);
    let seeds = number("RETRYWISE_SEED").map_or(0..cases, |seed| seed..seed.saturating_add(1));
    for seed in seeds {
        let result = panic::catch_unwind(|| play(&mut Source { rng: Rng::new(seed), now: 0 }));
        if let Err(what) = result {
            eprintln!("the history of RETRYWISE_SEED={seed} fails");
            panic::resume_unwind(what);
        }
    }
}

impl Source {
    /// A number from `lo` to `hi`, both included.
    pub fn between(&mut self, lo: u64, hi: u64) -> u64 {
        self.rng.draw().between(lo, hi)
    }

    /// As `between`, in 32 bits.
    pub fn small(&mut self, lo: u32, hi: u32) -> u32 {
        self.between(lo.into(), hi.into()) as u32
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.between(1, n) == 1
    }

    /// One of these.
    ///
    /// # Panics
    /// When there is none.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        assert!(!choices.is_empty(), "something to choose from");
        choices[self.between(0, choices.len() as u64 - 1) as usize]
    }

    /// A draw: often one of the two ends.
    pub fn draw(&mut self) -> Draw {
        match self.between(0, 9) {
            0 => Draw::MIN,
            1 => Draw::MAX,
            _ => self.rng.draw(),
        }
    }

    /// What the clock says next: mostly a little later, now and then the same, earlier, or a leap.
    /// About one history in eight jumps near the end of time and stays there.
    pub fn clock(&mut self, stride: u64) -> Instant {
        self.now = match self.between(0, 399) {
            0..40 => self.now,
            40..50 => self.now.saturating_sub(self.between(0, stride * 3)),
            50..60 => self.now.saturating_add(stride * self.between(5, 40)),
            60 if self.once_in(8) => u64::MAX - self.between(0, stride * 50),
            _ => self.now.saturating_add(self.between(0, stride)),
        };
        Instant::from_millis(self.now)
    }
}
