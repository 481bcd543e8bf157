//! Ten slots on a fixed grid: what a sliding window remembers.
//!
//! Slot `i` holds the time from `i · width` to `(i + 1) · width`, whenever the window is looked
//! at. A value therefore lives longer than nine and at most ten widths; a window whose slots begin
//! "now" forgets up to half of it.

use crate::time::{Instant, Millis};

/// The number of slots.
pub(crate) const SLOTS: usize = 10;

/// A sliding window of [`SLOTS`] values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<T> {
    slots: [T; SLOTS],
    /// The number of the newest slot; never goes back.
    head: u64,
    width: u64,
}

impl<T: Copy + Default> Window<T> {
    /// An empty window over `span`; a span that ten does not divide is rounded up.
    pub(crate) fn new(span: Millis) -> Self {
        let width = span.get().div_ceil(SLOTS as u64).max(1);
        Self { slots: [T::default(); SLOTS], head: 0, width }
    }

    /// Forgets what has become too old and returns the number of the current slot. A clock that
    /// steps back stays where it was.
    pub(crate) fn advance(&mut self, now: Instant) -> u64 {
        let index = (now.as_millis() / self.width).max(self.head);
        let passed = index - self.head;
        if passed >= SLOTS as u64 {
            self.slots = [T::default(); SLOTS];
        } else {
            for step in 1..=passed {
                *self.raw(self.head + step) = T::default();
            }
        }
        self.head = index;
        index
    }

    /// The slot of this number, unless it has been forgotten or has not come yet.
    pub(crate) fn at(&mut self, index: u64) -> Option<&mut T> {
        let age = self.head.checked_sub(index)?;
        if age >= SLOTS as u64 { None } else { Some(self.raw(index)) }
    }

    /// The values from the newest slot to the oldest.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = T> + '_ {
        (0..SLOTS as u64).map(|age| {
            let index = self.head.wrapping_sub(age) % SLOTS as u64;
            // A slot before the first is one that was never written.
            if age > self.head { T::default() } else { self.slots[index as usize] }
        })
    }

    /// Puts values back, newest first, as if the newest slot were the one of `now`.
    pub(crate) fn restore(&mut self, now: Instant, newest_first: &[T]) {
        self.slots = [T::default(); SLOTS];
        self.head = now.as_millis() / self.width;
        for (age, value) in (0..).zip(newest_first.iter().take(SLOTS)) {
            if let Some(slot) = self.head.checked_sub(age).and_then(|index| self.at(index)) {
                *slot = *value;
            }
        }
    }

    /// Whether both have slots of the same width.
    pub(crate) const fn has_width_of(&self, other: &Self) -> bool {
        self.width == other.width
    }

    /// Forgets everything; time goes on.
    pub(crate) fn clear(&mut self) {
        self.slots = [T::default(); SLOTS];
    }

    fn raw(&mut self, index: u64) -> &mut T {
        &mut self.slots[(index % SLOTS as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(window: &Window<u32>) -> u32 {
        window.newest_first().sum()
    }

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    #[test]
    fn a_value_lives_longer_than_nine_and_at_most_ten_widths_however_often_one_looks() {
        for poll in [1, 50, 99, 100, 101, 110, 150, 199, 201, 250] {
            let mut window = Window::<u32>::new(Millis::new(1_000));
            let slot = window.advance(at(0));
            *window.at(slot).unwrap() = 1;
            let mut last_alive = 0;
            for now in (0..2_000).step_by(poll) {
                window.advance(at(now));
                if sum(&window) == 1 {
                    last_alive = now;
                }
            }
            assert!(last_alive > 900 - poll as u64 && last_alive < 1_000, "{poll}: {last_alive}");
        }
    }

    #[test]
    fn a_clock_that_steps_back_forgets_nothing_and_a_leap_forgets_everything() {
        let mut window = Window::<u32>::new(Millis::new(1_000));
        let slot = window.advance(at(5_000));
        *window.at(slot).unwrap() = 1;
        assert_eq!(window.advance(at(10)), slot);
        assert_eq!(sum(&window), 1);
        window.advance(Instant::MAX);
        assert_eq!(sum(&window), 0);
        assert_eq!(window.at(slot), None);
    }

    #[test]
    fn what_was_restored_ages_from_now_on() {
        let mut window = Window::<u32>::new(Millis::new(1_000));
        window.restore(at(70_050), &[1, 2, 4]);
        assert_eq!(sum(&window), 7);
        window.advance(at(70_800));
        assert_eq!(sum(&window), 3);
        window.advance(at(70_999));
        assert_eq!(sum(&window), 1);
        window.advance(at(71_000));
        assert_eq!(sum(&window), 0);
    }
}
