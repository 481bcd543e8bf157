use super::*;

fn contest(clients: u32, deviation_us: u64) -> Contest {
    Contest { clients, deviation_us, ..Contest::default() }
}

#[test]
fn without_chance_every_number_of_clients_gives_the_formula() {
    let (mut expo_ms, mut n) = (0, 0_u64);
    for clients in 1..=190_u32 {
        expo_ms += if n == 0 { 0 } else { (5_u64 << n.min(20)).min(2_000) };
        n += 1;
        let calls = n * (n + 1) / 2;
        let none = occ(&contest(clients, 0), Strategy::None, 1);
        let expo = occ(&contest(clients, 0), Strategy::Exponential, 1);
        assert_eq!((none.calls, none.time_us), (calls, 40_000 * n), "none, {n} clients");
        assert_eq!((expo.calls, expo.time_us), (calls, 1_000 * (40 * n + expo_ms)), "expo, {n}");
    }
    // The end of the formula, as it was found by another program.
    assert_eq!(expo_ms + 40 * n, 372_150);
}

#[test]
fn the_ends_of_the_draws_are_far_from_the_mean_and_no_further() {
    // The radius of the least draw is that of 2⁻⁵³: 8.57 deviations; the greatest's is nothing.
    assert_eq!(normal(100, 10, Draw::MIN, Draw::MIN), 185);
    assert_eq!(normal(100, 10, Draw::MAX, Draw::MIN), 100);
}

#[test]
fn everybody_gets_through_once_whatever_the_chance() {
    for &strategy in Strategy::ALL {
        assert_eq!(occ(&contest(0, 2_000), strategy, 7), OccRun::default());
        assert_eq!(occ(&contest(1, 2_000), strategy, 7).calls, 1);
        for seed in 0..6 {
            let run = occ(&contest(30, 2_000), strategy, seed);
            assert_eq!(run.successes, 30, "{strategy}, seed {seed}");
            assert!(run.calls >= 30);
            assert_eq!(run, occ(&contest(30, 2_000), strategy, seed), "{strategy}, seed {seed}");
        }
    }
}

#[test]
fn with_chance_the_means_are_those_of_an_independent_program() {
    // Time in ms and calls of 100 runs: exponential, decorrelated, equal, full, none.
    use Strategy::{Decorrelated, Equal, Exponential, Full, None};
    const ORDER: [Strategy; 5] = [Exponential, Decorrelated, Equal, Full, None];
    const TABLE: [(u32, [(u64, u64); 5]); 6] = [
        (10, [(3_539, 51_100), (423, 37_200), (719, 42_600), (476, 38_900), (380, 50_900)]),
        (
            20,
            [(14_674, 151_400), (791, 100_100), (1_709, 108_700), (1_003, 100_400), (595, 150_300)],
        ),
        (
            50,
            [
                (36_014, 621_000),
                (2_180, 374_000),
                (4_256, 347_000),
                (2_961, 332_000),
                (1_139, 691_000),
            ],
        ),
        (
            100,
            [
                (63_373, 1_849_000),
                (4_700, 1_001_000),
                (6_586, 812_000),
                (4_920, 796_000),
                (2_036, 2_422_000),
            ],
        ),
        (
            150,
            [
                (86_138, 3_565_000),
                (6_488, 1_765_000),
                (8_260, 1_325_000),
                (6_454, 1_318_000),
                (2_875, 5_139_000),
            ],
        ),
        (
            190,
            [
                (101_358, 5_160_000),
                (7_797, 2_437_000),
                (9_401, 1_760_000),
                (7_435, 1_773_000),
                (3_532, 8_007_000),
            ],
        ),
    ];
    const RUNS: u64 = 8;
    for (clients, row) in TABLE {
        for (strategy, (time_ms, calls)) in ORDER.into_iter().zip(row) {
            let found = occ_summary(&contest(clients, 2_000), strategy, RUNS as u32, 42);
            for (what, expected, found) in
                [("ms", time_ms * 1_000, found.time_ms), ("calls", calls, found.calls)]
            {
                // 4 · sd · √(1/R + 1/100), and a half for the rounding of the table.
                let share = (1_000_000 * (100 + RUNS) / (100 * RUNS)).isqrt();
                let allowed = 4 * found.sd * share / 1_000 + 500;
                let off = found.mean.abs_diff(expected);
                assert!(
                    off <= allowed,
                    "{strategy} at {clients}: {what} {found:?}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn full_jitter_makes_less_than_half_the_calls_of_plain_exponential() {
    let calls = |strategy| occ_summary(&contest(100, 2_000), strategy, 4, 3).calls.mean;
    assert!(calls(Strategy::Full) * 2 < calls(Strategy::Exponential));
}
