//! The one source of chance: `SplitMix64`, seeded by the host (`reference`: Steele, Lea & Flood 2014).

/// A value-stable generator of one 64-bit state: the same seed gives the same delays on every
/// runtime, for ever. It never makes keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rng(u64);

/// One draw: 64 uniform bits, spent on one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(u64);

impl Rng {
    /// A generator in the state `seed` (all 64 bits count; JavaScript hosts pass 0..2^53 − 1).
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The state, to be saved and to be given to [`Rng::new`] again.
    pub const fn state(self) -> u64 {
        self.0
    }

    /// The next draw.
    #[inline]
    pub const fn draw(&mut self) -> Draw {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Draw(z ^ (z >> 31))
    }
}

impl Draw {
    /// The smallest draw: every range gives its lower end.
    pub const MIN: Self = Self(0);
    /// The largest draw: every range gives its upper end.
    pub const MAX: Self = Self(u64::MAX);

    /// A draw of exactly these bits.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The 64 bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// A uniform integer in `lo..=hi`: `lo + (x · (hi − lo + 1) >> 64)` in 128-bit arithmetic.
    /// With `hi < lo` it is `lo`.
    #[inline]
    pub const fn between(self, lo: u64, hi: u64) -> u64 {
        if hi <= lo {
            return lo;
        }
        let span = hi - lo;
        if span < u32::MAX as u64 {
            // The same in two halves: a machine of 64 bits has no product of 128.
            let width = span + 1;
            let low = ((self.0 & u32::MAX as u64) * width) >> 32;
            return lo + (((self.0 >> 32) * width + low) >> 32);
        }
        let width = span as u128 + 1;
        lo + ((self.0 as u128 * width) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // Reference values for seed 1234567 (Vigna's splitmix64.c).
        let mut rng = Rng::new(1_234_567);
        let first: [u64; 5] = core::array::from_fn(|_| rng.draw().bits());
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn two_halves_give_what_128_bits_give() {
        let mut rng = Rng::new(3);
        for shift in 0..64 {
            for _ in 0..100 {
                let (draw, span) = (rng.draw(), rng.draw().bits() >> shift);
                let width = u128::from(span) + 1;
                let whole = ((u128::from(draw.bits()) * width) >> 64) as u64;
                assert_eq!(draw.between(0, span), whole, "{span}");
            }
        }
        for span in [1, u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 32] {
            assert_eq!((Draw::MIN.between(0, span), Draw::MAX.between(0, span)), (0, span));
        }
    }

    #[test]
    fn ends_of_a_range_are_reached_and_never_passed() {
        assert_eq!(Draw::MIN.between(3, 9), 3);
        assert_eq!(Draw::MAX.between(3, 9), 9);
        assert_eq!(Draw::MAX.between(0, u64::MAX), u64::MAX);
        assert_eq!(Draw::MAX.between(9, 3), 9);
        assert_eq!(Draw::from_bits(1 << 63).between(0, 30_000), 15_000);
    }
}
