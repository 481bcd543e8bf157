//! Values behind numbers: a handle is a place and the generation of what stands there.
//!
//! A handle whose value is gone finds nothing, even when the place is taken again: the generation
//! has moved on. It comes round after 4095 values in one place, the only case in which a handle
//! kept too long meets a stranger.

use alloc::vec::Vec;

/// Bits of a handle that name the place.
const INDEX_BITS: u32 = 20;
/// The most values at one time: 2^20, about a million.
const CAPACITY: u32 = 1 << INDEX_BITS;
/// Generations run from 1 to this, so that no handle is 0.
const MAX_GENERATION: u16 = (1 << (32 - INDEX_BITS)) - 1;

/// Values behind handles.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u16,
    value: Option<T>,
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }

    /// A handle, never 0, for `value`; none when a million values are held already.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> Option<u32> {
        let index = if let Some(index) = self.free.pop() {
            index
        } else {
            let index = u32::try_from(self.slots.len()).ok().filter(|&i| i < CAPACITY)?;
            self.slots.push(Slot { generation: 1, value: None });
            index
        };
        let slot = self.slots.get_mut(index as usize)?;
        slot.value = Some(value);
        Some((u32::from(slot.generation) << INDEX_BITS) | index)
    }

    pub(crate) fn get(&self, handle: u32) -> Option<&T> {
        let slot = self.slots.get(place(handle))?;
        slot.value.as_ref().filter(|_| slot.generation == generation(handle))
    }

    pub(crate) fn get_mut(&mut self, handle: u32) -> Option<&mut T> {
        let slot = self.slots.get_mut(place(handle))?;
        slot.value.as_mut().filter(|_| slot.generation == generation(handle))
    }

    /// Lets the value go, where it stands; its handle finds nothing from now on. Whether there was
    /// one.
    pub(crate) fn remove(&mut self, handle: u32) -> bool {
        let index = place(handle);
        let slot = self.slots.get_mut(index).filter(|s| s.generation == generation(handle));
        let Some(slot) = slot.filter(|slot| slot.value.is_some()) else { return false };
        slot.value = None;
        slot.generation = if slot.generation >= MAX_GENERATION { 1 } else { slot.generation + 1 };
        self.free.push(index as u32);
        true
    }

    /// Whether nothing more can be held.
    pub(crate) fn is_full(&self) -> bool {
        self.free.is_empty() && self.slots.len() >= CAPACITY as usize
    }

    /// How many values are held.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

const fn place(handle: u32) -> usize {
    (handle & (CAPACITY - 1)) as usize
}

const fn generation(handle: u32) -> u16 {
    (handle >> INDEX_BITS) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_kept_too_long_finds_nothing() {
        let mut slab = Slab::new();
        let first = slab.insert("a").unwrap();
        assert!(slab.remove(first));
        let second = slab.insert("b").unwrap();
        assert_ne!(first, second);
        assert!(slab.get(first).is_none() && slab.get_mut(first).is_none());
        assert!(!slab.remove(first));
        assert_eq!(slab.get(second), Some(&"b"));
        assert_eq!(slab.len(), 1);
    }

    #[test]
    fn no_handle_is_0_and_any_number_may_be_asked_for() {
        let mut slab = Slab::new();
        for _ in 0..10_000 {
            let handle = slab.insert(1).unwrap();
            assert_ne!(handle, 0);
            slab.remove(handle);
        }
        let mut rng = retrywise::Rng::new(3);
        for _ in 0..10_000 {
            assert_eq!(slab.get(rng.draw().bits() as u32), None);
        }
        assert_eq!(slab.get(0), None);
    }

    #[test]
    fn a_million_values_are_the_most() {
        let mut slab = Slab::new();
        for _ in 0..CAPACITY {
            assert!(slab.insert(()).is_some());
        }
        assert!(slab.is_full());
        assert_eq!(slab.insert(()), None);
    }
}
