//! Contests: A B A B …, so that a machine that slows down slows both.

use std::{hint::black_box, time::Instant};

/// Somebody who does the work once a call.
pub struct Contestant {
    name: &'static str,
    work: Box<dyn FnMut() -> u64>,
}

impl Contestant {
    pub fn new(name: &'static str, work: impl FnMut() -> u64 + 'static) -> Self {
        Self { name, work: Box::new(work) }
    }
}

/// The same work by several; ours first, to be no slower than any.
pub struct Contest {
    name: &'static str,
    contestants: Vec<Contestant>,
}

impl Contest {
    pub fn alone(name: &'static str, ours: Contestant) -> Self {
        Self { name, contestants: vec![ours] }
    }

    pub fn new(name: &'static str, ours: Contestant, peers: Vec<Contestant>) -> Self {
        let mut contestants = vec![ours];
        contestants.extend(peers);
        Self { name, contestants }
    }

    /// Prints the figures; how many peers were faster.
    pub fn run(mut self, quick: bool) -> usize {
        let rounds = if quick { 3 } else { 15 };
        let mut times: Vec<Vec<f64>> = self.contestants.iter().map(|_| Vec::new()).collect();
        let counts: Vec<u32> =
            self.contestants.iter_mut().map(|c| calibrated(&mut c.work, quick)).collect();
        for _ in 0..rounds {
            for ((contestant, count), times) in
                self.contestants.iter_mut().zip(&counts).zip(&mut times)
            {
                times.push(timed(&mut contestant.work, *count));
            }
        }
        println!("\n{}", self.name);
        for (contestant, times) in self.contestants.iter().zip(&times) {
            println!("  {:<24}{:>10.1} ns", contestant.name, median(&mut times.clone()));
        }
        let mut missed = 0;
        for (contestant, peer) in self.contestants.iter().zip(&times).skip(1) {
            let mut ratios: Vec<f64> = times[0].iter().zip(peer).map(|(a, b)| a / b).collect();
            let middle = median(&mut ratios);
            let (low, high) = (ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]);
            let met = middle <= 1.0;
            missed += usize::from(!met);
            println!(
                "  ratio to {:<15}{middle:>10.3} ({low:.3} to {high:.3})  {} ≤ 1",
                contestant.name,
                if met { "✓" } else { "✗" }
            );
        }
        missed
    }
}

/// Nanoseconds a call, by round.
pub fn rounds(work: &mut dyn FnMut() -> u64, rounds: usize) -> Vec<f64> {
    let count = calibrated(work, rounds <= 3);
    (0..rounds).map(|_| timed(work, count)).collect()
}

/// The middle; the values are sorted after it.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn timed(work: &mut dyn FnMut() -> u64, count: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        black_box(work());
    }
    start.elapsed().as_nanos() as f64 / f64::from(count)
}

/// How many calls fill a round.
fn calibrated(work: &mut dyn FnMut() -> u64, quick: bool) -> u32 {
    const TRIAL: u32 = 2_000;
    let round = if quick { 1e6 } else { 2e7 };
    timed(work, TRIAL);
    ((round / timed(work, TRIAL).max(0.5)) as u32).clamp(1, 100_000_000)
}
