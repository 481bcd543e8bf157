//! The probes of one half-open: who is out, until when, and what came back.

use alloc::{boxed::Box, vec};

use crate::time::Instant;

/// How many probes can be out at once; a policy that allows more gets this many at a time.
const MOST: u32 = 64;

/// Leases and results of one half-open period.
#[derive(Clone, Debug)]
pub(super) struct Probes {
    /// The probes that are out: their number and the end of their lease.
    leases: Box<[Option<(u32, Instant)>]>,
    next: u32,
    pub(super) successes: u32,
    pub(super) failures: u32,
}

impl Probes {
    pub(super) fn new(permitted: u32) -> Self {
        let places = permitted.clamp(1, MOST) as usize;
        Self { leases: vec![None; places].into_boxed_slice(), next: 0, successes: 0, failures: 0 }
    }

    /// Takes a probe whose lease ends at `end`, if one of `permitted` is left.
    pub(super) fn take(&mut self, permitted: u32, end: Instant) -> Option<u32> {
        if !self.has_free(permitted) {
            return None;
        }
        let number = self.next;
        let place = self.leases.iter_mut().find(|lease| lease.is_none())?;
        *place = Some((number, end));
        self.next = self.next.wrapping_add(1);
        Some(number)
    }

    /// Whether a probe is left: results and probes that are out both count.
    pub(super) fn has_free(&self, permitted: u32) -> bool {
        let out = self.leases.iter().flatten().count() as u32;
        let used = out.saturating_add(self.successes).saturating_add(self.failures);
        used < permitted && (out as usize) < self.leases.len()
    }

    /// Ends the lease of a probe that came back; false when its lease had ended before.
    pub(super) fn give_back(&mut self, number: u32) -> bool {
        let lease =
            self.leases.iter_mut().find(|lease| lease.is_some_and(|(other, _)| other == number));
        lease.is_some_and(|lease| lease.take().is_some())
    }

    /// The end of the first lease that will end.
    pub(super) fn first_end(&self) -> Option<Instant> {
        self.leases.iter().flatten().map(|(_, end)| *end).min()
    }

    /// Ends the first lease whose time has come, and says when that was.
    pub(super) fn expire(&mut self, now: Instant) -> Option<Instant> {
        let end = self.first_end().filter(|end| now >= *end)?;
        let lease = self.leases.iter_mut().find(|lease| lease.is_some_and(|(_, e)| e == end))?;
        *lease = None;
        Some(end)
    }
}
