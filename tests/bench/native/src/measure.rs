//! Contests: A B A B …, so that a machine that slows down slows both. Times are those of this
//! thread on the processor: what others do on the machine changes them least.

use std::hint::black_box;

use cpu_time::ThreadTime;

use crate::report::{Report, Row};

/// Somebody who does the work so many times and says how long one took.
pub(crate) struct Contestant {
    name: &'static str,
    time: Box<dyn FnMut(u32) -> f64>,
}

impl Contestant {
    /// Does all of the work when it is called.
    pub(crate) fn new(name: &'static str, mut work: impl FnMut() -> u64 + 'static) -> Self {
        Self::timed(name, move |count| timed(&mut work, count))
    }

    /// Has something to prepare that is not measured: gets a count, gives nanoseconds of one.
    pub(crate) fn timed(name: &'static str, time: impl FnMut(u32) -> f64 + 'static) -> Self {
        Self { name, time: Box::new(time) }
    }

    /// What it is called.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// So many times, for a counter of instructions.
    pub(crate) fn repeat(&mut self, count: u32) {
        black_box((self.time)(count));
    }
}

/// The same work by several, ours first.
pub(crate) struct Contest {
    name: &'static str,
    contestants: Vec<Contestant>,
    /// What ours may take, as a multiple of each other; those beyond are without a mark.
    targets: Vec<f64>,
}

impl Contest {
    /// Ours by itself.
    pub(crate) fn alone(name: &'static str, ours: Contestant) -> Self {
        Self { name, contestants: vec![ours], targets: vec![] }
    }

    /// Ours before the others.
    pub(crate) fn new(name: &'static str, contestants: Vec<Contestant>, targets: &[f64]) -> Self {
        Self { name, contestants, targets: targets.to_vec() }
    }

    /// Prints the figures.
    pub(crate) fn run(mut self, quick: bool, report: &mut Report) {
        let rounds = if quick { 3 } else { 15 };
        let mut times: Vec<Vec<f64>> = self.contestants.iter().map(|_| Vec::new()).collect();
        let counts: Vec<u32> =
            self.contestants.iter_mut().map(|c| calibrated(&mut c.time, quick)).collect();
        for _ in 0..rounds {
            for ((contestant, count), times) in
                self.contestants.iter_mut().zip(&counts).zip(&mut times)
            {
                times.push((contestant.time)(*count));
            }
        }
        println!("\n{}", self.name);
        for (contestant, times) in self.contestants.iter().zip(&times) {
            let (figure, spread) = middle(times.clone());
            let row = Row {
                what: contestant.name,
                figure,
                spread: Some(spread),
                unit: "ns",
                target: None,
            };
            report.row(self.name, &row);
        }
        let mut targets = self.targets.iter().copied();
        for (contestant, peer) in self.contestants.iter().zip(&times).skip(1) {
            let ratios = times[0].iter().zip(peer).map(|(a, b)| a / b).collect();
            let (figure, spread) = middle(ratios);
            let what = format!("ratio to {}", contestant.name);
            let target = targets.next();
            let row = Row { what: &what, figure, spread: Some(spread), unit: "", target };
            report.row(self.name, &row);
        }
    }
}

/// Nanoseconds of one, by round.
pub(crate) fn rounds(work: &mut dyn FnMut() -> u64, rounds: usize) -> Vec<f64> {
    let mut time = |count| timed(work, count);
    let count = calibrated(&mut time, rounds <= 3);
    (0..rounds).map(|_| time(count)).collect()
}

/// The median and the quartiles around it.
pub(crate) fn middle(mut values: Vec<f64>) -> (f64, (f64, f64)) {
    values.sort_by(f64::total_cmp);
    let at = |part: usize| values[values.len() * part / 4];
    (at(2), (at(1), at(3)))
}

fn timed(work: &mut dyn FnMut() -> u64, count: u32) -> f64 {
    let start = ThreadTime::now();
    for _ in 0..count {
        black_box(work());
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
}

/// How many fill a round.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // far fewer than 2^32
fn calibrated(time: &mut dyn FnMut(u32) -> f64, quick: bool) -> u32 {
    const TRIAL: u32 = 2_000;
    let round = if quick { 1e6 } else { 2e7 };
    time(TRIAL);
    ((round / time(TRIAL).max(0.5)) as u32).clamp(1, 100_000_000)
}
