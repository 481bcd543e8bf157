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
    /// Added to the caller's clock: a window that was restored keeps the grid it was saved with.
    offset: u64,
}

/// What a window holds, without any clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Saved<T> {
    /// The width of a slot.
    pub(crate) width: Millis,
    /// The time since the newest slot began, less than its width.
    pub(crate) phase: Millis,
    /// The values.
    pub(crate) newest_first: [T; SLOTS],
}

impl<T: Copy + Default> Window<T> {
    /// An empty window over `span`; a span that ten does not divide is rounded up.
    pub(crate) fn new(span: Millis) -> Self {
        let width = span.get().div_ceil(SLOTS as u64).max(1);
        Self { slots: [T::default(); SLOTS], head: 0, width, offset: 0 }
    }

    /// Forgets what has become too old and returns the number of the current slot. A clock that
    /// steps back stays where it was.
    pub(crate) fn advance(&mut self, now: Instant) -> u64 {
        // Most calls come within the newest slot: a product is cheaper than a quotient.
        // Where it wraps, at the end of time, whatever is below it is below the newest slot too.
        let end = self.head.wrapping_add(1).wrapping_mul(self.width);
        if now.as_millis().saturating_add(self.offset) < end {
            return self.head;
        }
        let index = self.index(now).max(self.head);
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

    /// The values, in no order: what a sum needs.
    pub(crate) fn values(&self) -> impl Iterator<Item = T> + '_ {
        self.slots.iter().copied()
    }

    /// The values from the newest slot to the oldest.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = T> + '_ {
        let newest = (self.head % SLOTS as u64) as usize;
        (0..SLOTS).map(move |age| {
            // A slot before the first is one that was never written.
            if age as u64 > self.head {
                return T::default();
            }
            let index = if age <= newest { newest - age } else { newest + SLOTS - age };
            self.slots[index]
        })
    }

    /// Puts values back, newest first, as if the newest slot were the one of `now`.
    pub(crate) fn restore(&mut self, now: Instant, newest_first: &[T]) {
        self.slots = [T::default(); SLOTS];
        self.head = self.index(now);
        for (age, value) in (0..).zip(newest_first.iter().take(SLOTS)) {
            if let Some(slot) = self.head.checked_sub(age).and_then(|index| self.at(index)) {
                *slot = *value;
            }
        }
    }

    /// What it holds at `now`.
    pub(crate) fn save(&self, now: Instant) -> Saved<T> {
        let mut then = *self;
        let head = then.advance(now);
        let mut newest_first = [T::default(); SLOTS];
        for (to, value) in newest_first.iter_mut().zip(then.newest_first()) {
            *to = value;
        }
        let began = head.saturating_mul(self.width);
        // A clock that has stepped back stands at the beginning of the newest slot.
        let phase = now.as_millis().saturating_add(self.offset).saturating_sub(began);
        Saved { width: Millis::new(self.width), phase: Millis::new(phase), newest_first }
    }

    /// Takes over what was saved `elapsed` ago, whatever the clock says now; nothing if its slots
    /// were of another width.
    pub(crate) fn load(&mut self, saved: &Saved<T>, elapsed: Millis, now: Instant) {
        if saved.width.get() != self.width {
            return;
        }
        // A time on the saved grid that is not before `now` and has room for every slot before it.
        let then = saved.phase.plus(elapsed).get();
        let room = self.width.saturating_mul(SLOTS as u64);
        let least = now.as_millis().max(room);
        let behind = least.saturating_sub(then % self.width) % self.width;
        let virtual_now = least.saturating_add(self.width - behind);
        self.offset = virtual_now.saturating_sub(now.as_millis());
        self.slots = [T::default(); SLOTS];
        self.head = self.index(now);
        let passed = then / self.width;
        for (age, value) in (0..).zip(saved.newest_first) {
            let index = self.head.checked_sub(passed.saturating_add(age));
            if let Some(slot) = index.and_then(|index| self.at(index)) {
                *slot = value;
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

    const fn index(&self, now: Instant) -> u64 {
        now.as_millis().saturating_add(self.offset) / self.width
    }

    fn raw(&mut self, index: u64) -> &mut T {
        &mut self.slots[(index % SLOTS as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(window: &Window<u32>) -> u32 {
        window.values().sum()
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
    fn what_was_loaded_goes_on_ageing_on_any_clock() {
        let width = 100;
        for saved_at in [0, 5, 99, 100, 1_234, 98_765] {
            for (elapsed, now) in [(0, 0), (0, 7), (30, 3), (250, 1), (40, 1_000_003), (999, 50)] {
                let mut old = Window::<u32>::new(Millis::new(1_000));
                for (n, back) in [0_u64, 150, 420, 890].into_iter().enumerate() {
                    let slot = old.advance(at(u64::saturating_sub(saved_at, 890 - back)));
                    *old.at(slot).unwrap() += 1 << n;
                }
                let saved = old.save(at(saved_at));
                assert!(saved.phase.get() < width);
                let mut new = Window::<u32>::new(Millis::new(1_000));
                new.load(&saved, Millis::new(elapsed), at(now));
                for later in (0..1_500).step_by(7) {
                    old.advance(at(saved_at + elapsed + later));
                    new.advance(at(now + later));
                    assert_eq!(sum(&old), sum(&new), "{saved_at} {elapsed} {now} {later}");
                }
            }
        }
        let mut other = Window::<u32>::new(Millis::new(2_000));
        let saved =
            Saved { width: Millis::new(100), phase: Millis::ZERO, newest_first: [1; SLOTS] };
        other.load(&saved, Millis::ZERO, at(0));
        assert_eq!(sum(&other), 0, "slots of another width");
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
