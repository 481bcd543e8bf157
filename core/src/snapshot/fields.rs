//! The fields of a snapshot document. The reader and the checker are those of policies.

use super::{
    Age, BreakerMemory, BudgetState, LimiterState, SNAPSHOT_VERSION, SlotState, SlotsState,
    Snapshot,
};
use crate::{
    breaker::BreakerState,
    policy::{
        BudgetKind, IssueKind, Issues,
        check::check,
        fields::{Named, Place, What, fields},
        spec::Spec,
        text_rule::TextRule,
    },
    text::{join, number},
    time::Millis,
    window::{SLOTS, Saved},
};

/// Any number that every host holds exactly.
const WHOLE: Spec = Spec::span(0, Millis::MAX.get());
const WHOLE_OR_NULL: Spec = WHOLE.or_null();
const COUNT: Spec = Spec::count(0, u32::MAX as u64);

const VERSION: Spec = Spec::count(SNAPSHOT_VERSION as u64, SNAPSHOT_VERSION as u64);
const AGE: Spec = Spec::count(0, SLOTS as u64 - 1);

fields! { Snapshot {
    "version": What::Number(&VERSION) => |s| Place::Count(&mut s.version),
    "savedAtMs": What::Number(&WHOLE_OR_NULL) => |s| Place::MaybeSpan(&mut s.saved_at),
    "generator": What::Text(TextRule::Text) => |s| Place::MaybeText(&mut s.generator),
    "stateGenerator": What::Text(TextRule::Text) => |s| Place::MaybeText(&mut s.state_generator),
    "budget": What::Optional => |s| Place::Optional(&mut s.budget),
    "breaker": What::Optional => |s| Place::Optional(&mut s.breaker),
    "limiter": What::Optional => |s| Place::Optional(&mut s.limiter),
    "clientThrottling": What::Optional => |s| Place::Optional(&mut s.client_throttle),
    "rateLimits": What::Objects => |s| Place::Objects(&mut s.rate_limits),
} }

fields! { BudgetState {
    "kind": What::Name(BudgetKind::NAMES) => |b| Place::Name(&mut b.kind),
    "level": What::Number(&COUNT) => |b| Place::Count(&mut b.level),
    "window": What::Object => |b| Place::Object(&mut b.window),
} }

fields! { BreakerMemory {
    "state": What::Name(SAVED_NAMES) => |b| Place::Name(&mut b.state),
    "remainingMs": What::Number(&WHOLE) => |b| Place::Span(&mut b.remaining),
    "opened": What::Number(&COUNT) => |b| Place::Count(&mut b.opened),
    "generation": What::Number(&COUNT) => |b| Place::Count(&mut b.generation),
    "failures": What::Number(&COUNT) => |b| Place::Count(&mut b.failures),
    "window": What::Object => |b| Place::Object(&mut b.window),
    "calls": What::Texts(TextRule::Text) => |b| Place::Texts(&mut b.calls),
} }

fields! { LimiterState {
    "limit": What::Number(&WHOLE_OR_NULL) => |l| Place::MaybeSpan(&mut l.limit),
    "least": What::Number(&WHOLE_OR_NULL) => |l| Place::MaybeSpan(&mut l.least),
    "unseen": What::Number(&WHOLE) => |l| Place::Span(&mut l.unseen),
    "sure": What::Number(&WHOLE) => |l| Place::Span(&mut l.sure),
    "scouting": What::Flag => |l| Place::Flag(&mut l.scouting),
    "resetMs": What::Number(&WHOLE_OR_NULL) => |l| Place::MaybeSpan(&mut l.reset),
    "resetTold": What::Flag => |l| Place::Flag(&mut l.reset_told),
    "spanMs": What::Number(&WHOLE_OR_NULL) => |l| Place::MaybeSpan(&mut l.span),
    "blockedMs": What::Number(&WHOLE_OR_NULL) => |l| Place::MaybeSpan(&mut l.blocked),
} }

fields! { SlotsState {
    "widthMs": What::Number(&WHOLE) => |s| Place::Span(&mut s.width),
    "phaseMs": What::Number(&WHOLE) => |s| Place::Span(&mut s.phase),
    "slots": What::Objects => |s| Place::Objects(&mut s.slots),
} }

fields! { SlotState {
    "age": What::Number(&AGE) => |s| Place::Count(&mut s.age),
    "a": What::Number(&COUNT) => |s| Place::Count(&mut s.a),
    "b": What::Number(&COUNT) => |s| Place::Count(&mut s.b),
    "c": What::Number(&COUNT) => |s| Place::Count(&mut s.c),
} }

fields! { Age {
    "agoMs": What::Number(&WHOLE) => |a| Place::Span(&mut a.ago),
} }

/// The states that are saved: half-open is none of them.
const SAVED: [BreakerState; 3] = [BreakerState::Closed, BreakerState::Open, BreakerState::Isolated];
const SAVED_NAMES: &[&str] = &[SAVED[0].name(), SAVED[1].name(), SAVED[2].name()];

impl Named for BreakerState {
    fn get(&self) -> Option<&'static str> {
        Some(self.name())
    }

    fn set(&mut self, at: usize) {
        *self = SAVED.get(at).copied().unwrap_or(*self);
    }
}

impl Snapshot {
    /// Reports what is out of range.
    pub(crate) fn check(&mut self, issues: &mut Issues) {
        check(self, "", issues);
        let generators =
            [("generator", &self.generator), ("stateGenerator", &self.state_generator)];
        for (field, text) in generators {
            if !issues.touches(field) && state(text.as_deref()).is_none() {
                let message = join(&[field, " must be a decimal number of 64 bits, as a text"]);
                issues.push(field.into(), IssueKind::OutOfRange, message);
            }
        }
        let calls = self.breaker.iter().flat_map(|breaker| breaker.calls.iter().enumerate());
        for (index, calls) in calls {
            if !calls.bytes().all(|call| matches!(call, b'0'..=b'3')) {
                let field = join(&["breaker.calls[", &number(index as u64), "]"]);
                let message = join(&[&field, " must be digits from 0 to 3"]);
                issues.push(field, IssueKind::OutOfRange, message);
            }
        }
    }
}

impl SlotsState {
    /// What a window holds, each slot by `pack`; empty slots are left out.
    pub(crate) fn of<T: Copy + Default + PartialEq>(
        saved: &Saved<T>,
        pack: impl Fn(T) -> (u32, u32, u32),
    ) -> Self {
        let held = (0..).zip(saved.newest_first).filter(|(_, value)| *value != T::default());
        let slots = held.map(|(age, value)| {
            let (a, b, c) = pack(value);
            SlotState { age, a, b, c }
        });
        Self { width: saved.width, phase: saved.phase, slots: slots.collect() }
    }

    /// The same for a window; of an age that is told twice the last counts.
    pub(crate) fn to_window<T: Copy + Default>(
        &self,
        unpack: impl Fn(u32, u32, u32) -> T,
    ) -> Saved<T> {
        let mut newest_first = [T::default(); SLOTS];
        for &SlotState { age, a, b, c } in &self.slots {
            if let Some(slot) = newest_first.get_mut(age as usize) {
                *slot = unpack(a, b, c);
            }
        }
        Saved { width: self.width, phase: self.phase, newest_first }
    }
}

/// The state of a generator.
pub(crate) fn state(text: Option<&str>) -> Option<u64> {
    let text = text.filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
    text.parse().ok()
}
