//! The fields of a snapshot document. The reader and the checker are those of policies.

use super::{
    Age, BreakerMemory, BudgetState, LimiterState, SNAPSHOT_VERSION, SlotState, SlotsState,
    Snapshot,
};
use crate::{
    breaker::BreakerState,
    policy::{
        IssueKind, Issues,
        check::check,
        fields::{Fields, Named, Slot, Spec, TextRule, Visitor},
    },
    text::{join, number},
    time::Millis,
    window::{SLOTS, Saved},
};

/// Any number that every host holds exactly.
const WHOLE: Spec = Spec::span(0, Millis::MAX.get());
const COUNT: Spec = Spec::count(0, u32::MAX as u64);

impl Fields for Snapshot {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let version = u64::from(SNAPSHOT_VERSION);
        let version = Spec::count(version, version);
        v.number("version", version, Slot::Count(&mut self.version));
        v.number("savedAtMs", WHOLE.or_null(), Slot::MaybeSpan(&mut self.saved_at));
        v.text("generator", TextRule::Text, &mut self.generator);
        v.text("stateGenerator", TextRule::Text, &mut self.state_generator);
        v.optional("budget", &mut self.budget);
        v.optional("breaker", &mut self.breaker);
        v.optional("limiter", &mut self.limiter);
        v.optional("clientThrottling", &mut self.client_throttle);
        v.objects("rateLimits", &mut self.rate_limits);
    }
}

impl Fields for BudgetState {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let _ = v.name("kind", &mut self.kind);
        v.number("level", COUNT, Slot::Count(&mut self.level));
        v.object("window", &mut self.window);
    }
}

impl Fields for BreakerMemory {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let _ = v.name("state", &mut self.state);
        v.number("remainingMs", WHOLE, Slot::Span(&mut self.remaining));
        v.number("opened", COUNT, Slot::Count(&mut self.opened));
        v.number("generation", COUNT, Slot::Count(&mut self.generation));
        v.number("failures", COUNT, Slot::Count(&mut self.failures));
        v.object("window", &mut self.window);
        v.texts("calls", TextRule::Text, &mut self.calls);
    }
}

impl Fields for LimiterState {
    fn fields(&mut self, v: &mut dyn Visitor) {
        let whole = WHOLE.or_null();
        v.number("limit", whole, Slot::MaybeSpan(&mut self.limit));
        v.number("least", whole, Slot::MaybeSpan(&mut self.least));
        v.number("unseen", WHOLE, Slot::Span(&mut self.unseen));
        v.number("sure", WHOLE, Slot::Span(&mut self.sure));
        v.flag("scouting", &mut self.scouting);
        v.number("resetMs", whole, Slot::MaybeSpan(&mut self.reset));
        v.flag("resetTold", &mut self.reset_told);
        v.number("spanMs", whole, Slot::MaybeSpan(&mut self.span));
        v.number("blockedMs", whole, Slot::MaybeSpan(&mut self.blocked));
    }
}

impl Fields for SlotsState {
    fn fields(&mut self, v: &mut dyn Visitor) {
        v.number("widthMs", WHOLE, Slot::Span(&mut self.width));
        v.number("phaseMs", WHOLE, Slot::Span(&mut self.phase));
        v.objects("slots", &mut self.slots);
    }
}

impl Fields for SlotState {
    fn fields(&mut self, v: &mut dyn Visitor) {
        v.number("age", Spec::count(0, SLOTS as u64 - 1), Slot::Count(&mut self.age));
        v.number("a", COUNT, Slot::Count(&mut self.a));
        v.number("b", COUNT, Slot::Count(&mut self.b));
        v.number("c", COUNT, Slot::Count(&mut self.c));
    }
}

impl Fields for Age {
    fn fields(&mut self, v: &mut dyn Visitor) {
        v.number("agoMs", WHOLE, Slot::Span(&mut self.ago));
    }
}

/// The states that are saved: half-open is none of them.
impl Named for BreakerState {
    fn choices(&self) -> &'static [&'static str] {
        const { &[Self::Closed.name(), Self::Open.name(), Self::Isolated.name()] }
    }

    fn get(&self) -> Option<&'static str> {
        Some(self.name())
    }

    fn set(&mut self, name: &str) {
        *self = Self::from_name(name).unwrap_or(*self);
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
