//! Whether a decision costs the same however many upstreams there are, and however many calls come.

use std::{hint::black_box, sync::Arc};

use retrywise::Upstream;

use crate::{
    contests::{decide, policy},
    heap,
    measure::{middle, rounds},
    report::{Report, Row},
};

/// What one upstream may hold, in bytes.
const BYTES: f64 = 400.0;
/// How much more than the first of a block the others may cost: nothing, but for the measuring.
const FLAT: f64 = 1.1;
/// Prime to every count: a step so long visits all of them, far from one another.
const STRIDE: usize = 7_919;
/// What passes between two calls of one upstream.
const EVERY_MS: u64 = 100;
/// What is loaded from memory at once.
const LINE: usize = 64;

/// Up to a million upstreams: what each takes, and whether a decision costs more for it. Beside each
/// stands what it costs to touch memory of that size in the same order: one line of each upstream's
/// place; every line of it, all asked for at once; and every line of it, each asked for when the one
/// before has come, as a decision does that has to see how one question is answered before it asks
/// the next.
pub fn upstreams(quick: bool, report: &mut Report) {
    const NAME: &str = "upstreams of the standard policy";
    println!("\n{NAME}");
    let standard = policy();
    // One by itself, in turn with the many.
    let mut one = Upstream::new(Arc::clone(&standard), 7);
    let mut one_now = 0;
    let mut by_itself = || {
        one_now += EVERY_MS;
        decide(&mut one, one_now)
    };
    let mut first = None;
    for count in [1, 1_000, if quick { 10_000 } else { 1_000_000 }] {
        let before = heap::held();
        let mut upstreams: Vec<Upstream> = Vec::with_capacity(count);
        upstreams.extend((0..count).map(|seed| Upstream::new(Arc::clone(&standard), seed as u64)));
        for upstream in &mut upstreams {
            decide(upstream, 0);
        }
        let bytes = (heap::held() - before) / count;
        let (mut at, mut calls) = (0, 0);
        let mut work = || {
            at = (at + STRIDE) % count;
            calls += 1;
            decide(&mut upstreams[at], calls / count as u64 * EVERY_MS)
        };
        let (mut times, mut ratios) = (vec![], vec![]);
        for _ in 0..if quick { 3 } else { 9 } {
            let (many, one) = (rounds(&mut work, 1)[0], rounds(&mut by_itself, 1)[0]);
            times.push(many);
            ratios.push(many / one);
        }
        drop(upstreams);
        let mut row = |what: &str, (figure, spread), unit, target| {
            let what = format!("{count}: {what}");
            report.row(NAME, &Row { what: &what, figure, spread, unit, target });
        };
        let of_rounds = |values| {
            let (figure, spread) = middle(values);
            (figure, Some(spread))
        };
        row("bytes of each", (bytes as f64, None), "B", Some(BYTES));
        row("a decision", of_rounds(times), "ns", None);
        if count > 1 {
            row("a decision, of that of one by itself", of_rounds(ratios), "", Some(FLAT));
        }
        let every = bytes.div_ceil(LINE);
        let floors = [
            ("one line of memory of each", touching(count, bytes, 1, quick)),
            ("every line of each, at once", touching(count, bytes, every, quick)),
            ("every line of each, one by one", following(count, bytes, every, quick)),
        ];
        let middles = floors.each_ref().map(|(_, times)| middle(times.clone()).0);
        let of_one = *first.get_or_insert(middles);
        for ((what, times), (here, alone)) in
            floors.into_iter().zip(middles.into_iter().zip(of_one))
        {
            row(&format!("floor: {what}"), of_rounds(times), "ns", None);
            if count > 1 {
                row(&format!("{what}, more than for 1"), (here - alone, None), "ns", None);
            }
        }
    }
}

/// Reads and writes a word in so many lines of each of `count` places of `bytes`.
fn touching(count: usize, bytes: usize, lines: usize, quick: bool) -> Vec<f64> {
    let words = bytes.div_ceil(8);
    let mut table = vec![1_u64; count * words];
    let mut at = 0;
    let mut work = || {
        at = (at + STRIDE) % count;
        let place = &mut table[at * words..(at + 1) * words];
        place.iter_mut().step_by(LINE / 8).take(lines).fold(0, |sum, word| {
            *word += 1;
            sum + *word
        })
    };
    rounds(black_box(&mut work), if quick { 3 } else { 9 })
}

/// The same lines, but each says where the next one is.
fn following(count: usize, bytes: usize, lines: usize, quick: bool) -> Vec<f64> {
    const STEP: usize = LINE / 8;
    let words = bytes.div_ceil(8).max(lines * STEP);
    let mut table = vec![0_u64; count * words];
    for (at, word) in table.iter_mut().enumerate() {
        *word = (at % words + STEP) as u64;
    }
    let mut at = 0;
    let mut work = || {
        at = (at + STRIDE) % count;
        let place = &mut table[at * words..(at + 1) * words];
        let mut line = 0;
        for _ in 0..lines {
            let next = place[line] as usize;
            place[line] = next as u64;
            line = black_box(next);
        }
        line as u64
    };
    rounds(black_box(&mut work), if quick { 3 } else { 9 })
}

/// Few calls a second, and many; and a call now and then, which finds everything in its windows
/// forgotten.
pub fn rates(quick: bool, report: &mut Report) {
    const NAME: &str = "calls to one upstream";
    /// By name: what passes between two calls, in microseconds.
    const RATES: [(&str, u64); 3] =
        [("10 a second", 100_000), ("10 000 a second", 100), ("1 in 100 seconds", 100_000_000)];
    println!("\n{NAME}");
    let standard = policy();
    let mut upstreams = RATES.map(|(_, every)| (Upstream::new(Arc::clone(&standard), 7), 0, every));
    let mut times = RATES.map(|_| vec![]);
    // In turn, as in a contest.
    for _ in 0..if quick { 3 } else { 15 } {
        for ((upstream, at, every), times) in upstreams.iter_mut().zip(&mut times) {
            let mut work = || {
                *at += *every;
                decide(upstream, *at / 1_000)
            };
            times.extend(rounds(&mut work, 1));
        }
    }
    let first = times[0].clone();
    for ((name, _), times) in RATES.into_iter().zip(times) {
        let ratios = times.iter().zip(&first).map(|(time, first)| time / first).collect();
        let (decision, decision_spread) = middle(times);
        let (ratio, spread) = middle(ratios);
        let mut row = |what, figure, spread, unit, target| {
            let what = format!("{name}: {what}");
            report.row(NAME, &Row { what: &what, figure, spread: Some(spread), unit, target });
        };
        row("a decision", decision, decision_spread, "ns", None);
        if name != RATES[0].0 {
            row("of that for the first", ratio, spread, "", Some(FLAT));
        }
    }
}
