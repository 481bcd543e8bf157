//! Mean and standard deviation, in integers: the same on every machine.

/// What a figure was over several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spread {
    /// The mean, in thousandths.
    pub mean: u64,
    /// The standard deviation of the runs (n − 1), in thousandths; 0 for one run.
    pub sd: u64,
}

/// Sums that become a [`Spread`].
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    runs: u128,
    sum: u128,
    squares: u128,
}

impl Tally {
    pub(super) fn add(&mut self, value: u64) {
        let value = u128::from(value);
        self.runs += 1;
        self.sum = self.sum.saturating_add(value);
        self.squares = self.squares.saturating_add(value * value);
    }

    pub(super) fn spread(self) -> Spread {
        let Self { runs, sum, squares } = self;
        if runs == 0 {
            return Spread::default();
        }
        let mean = sum.saturating_mul(1_000) / runs;
        // n·Σx² − (Σx)² over n·(n − 1).
        let over = runs.saturating_mul(squares).saturating_sub(sum.saturating_mul(sum));
        let variance = over.saturating_mul(1_000_000) / (runs * (runs - 1)).max(1);
        Spread { mean: narrow(mean), sd: narrow(variance.isqrt()) }
    }
}

fn narrow(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_those_of_the_textbook() {
        let mut tally = Tally::default();
        for value in [2, 4, 4, 4, 5, 5, 7, 9] {
            tally.add(value);
        }
        // Mean 5, Σ(x − 5)² = 32, 32 / 7 = 4.571…, its root 2.138….
        assert_eq!(tally.spread(), Spread { mean: 5_000, sd: 2_138 });
        assert_eq!(Tally::default().spread(), Spread::default());
    }
}
