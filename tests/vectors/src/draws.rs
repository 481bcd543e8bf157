//! Makes the generator give a chosen draw, without a back door in the core.
//!
//! `SplitMix64` adds a constant to its state and mixes the sum; the mix can be undone. So the state
//! from which the next draw is `x` can be computed, and the number of draws that a step spent can be
//! read off the state it left behind.

/// What one draw adds to the state.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The state from which the next draw has exactly the bits `draw`.
pub fn state_before(draw: u64) -> u64 {
    let z = unshift(draw, 31).wrapping_mul(inverse(0x94D0_49BB_1331_11EB));
    let z = unshift(z, 27).wrapping_mul(inverse(0xBF58_476D_1CE4_E5B9));
    unshift(z, 30).wrapping_sub(STEP)
}

/// How many draws lead from the state `before` to the state `after`.
pub fn spent(before: u64, after: u64) -> u64 {
    after.wrapping_sub(before).wrapping_mul(inverse(STEP))
}

/// The bits of a draw written as a number in 0..1: `floor(d · 2^64)`; nothing outside that range.
pub fn bits(number: f64) -> Option<u64> {
    // Scaling by a power of two is exact and a number below 1 stays below 2^64.
    (0.0..1.0).contains(&number).then_some((number * 18_446_744_073_709_551_616.0) as u64)
}

/// Undoes `x ^ (x >> by)`.
fn unshift(value: u64, by: u32) -> u64 {
    let mut found = value;
    let mut known = by;
    // Each round doubles the number of upper bits that are right.
    while known < u64::BITS {
        found = value ^ (found >> by);
        known += by;
    }
    found
}

/// The factor that undoes a multiplication by the odd number `odd` (Newton's iteration modulo 2^64).
fn inverse(odd: u64) -> u64 {
    // `odd` inverts itself in its lowest three bits; each round doubles that number.
    (0..5).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
}

#[cfg(test)]
mod tests {
    use retrywise::Rng;

    use super::*;

    #[test]
    fn the_next_draw_is_the_chosen_one() {
        let mut any = Rng::new(7);
        let chosen = (0..1_000).map(|_| any.draw().bits()).chain([0, 1, u64::MAX, 1 << 63]);
        for draw in chosen {
            let before = state_before(draw);
            let mut rng = Rng::new(before);
            assert_eq!(spent(before, rng.state()), 0);
            assert_eq!(rng.draw().bits(), draw);
            assert_eq!(spent(before, rng.state()), 1);
            let _ = rng.draw();
            assert_eq!(spent(before, rng.state()), 2);
        }
    }

    #[test]
    fn a_number_below_one_becomes_its_share_of_all_draws() {
        assert_eq!(bits(0.0), Some(0));
        assert_eq!(bits(0.5), Some(1 << 63));
        assert_eq!(bits(0.75), Some(3 << 62));
        assert_eq!(bits(1.0 - f64::EPSILON / 2.0), Some(u64::MAX - 2_047));
        for outside in [1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(bits(outside), None);
        }
    }
}
