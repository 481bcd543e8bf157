//! The breaker against a model that keeps every sample of a closed period and counts them anew.

use retrywise::{
    Breaker, BreakerState, Instant, Millis, Sample,
    breaker::Permit,
    policy::{BreakerKind, BreakerOptions, LeaseExpiry, WindowKind},
};
use retrywise_properties::{Source, histories};

#[derive(Clone)]
struct Model {
    options: BreakerOptions,
    now: u64,
    state: State,
    /// Counts entries into a state, to tell late answers.
    age: u32,
    opened_in_a_row: u32,
}

#[derive(Clone)]
enum State {
    Closed { samples: Vec<(u64, bool, bool)> },
    Open { until: u64 },
    HalfOpen { leases: Vec<(u32, u64)>, numbers: u32, successes: u32, failures: u32 },
    Isolated,
}

/// A permit, and what the model wrote on its own.
struct Leave {
    permit: Permit,
    age: u32,
    at: u64,
    probe: Option<u32>,
}

impl Model {
    fn new(options: BreakerOptions) -> Self {
        let state = State::Closed { samples: Vec::new() };
        Self { options, now: 0, state, age: 0, opened_in_a_row: 0 }
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.age += 1;
    }

    fn open(&mut self, at: u64, hint: Option<Millis>) {
        let doubled = u128::from(self.options.open.get()) << self.opened_in_a_row.min(60);
        let longest = self.options.max_open.get();
        let span = u64::try_from(doubled.max(hint.map_or(0, Millis::get).into()));
        let until = at.saturating_add(span.unwrap_or(longest).min(longest));
        self.opened_in_a_row += 1;
        self.enter(State::Open { until });
    }

    /// Lets time pass, one due event after the other.
    fn pass(&mut self, now: Instant) {
        self.now = self.now.max(now.as_millis());
        loop {
            match &mut self.state {
                State::Open { until } if *until <= self.now => {
                    let leases = Vec::new();
                    let (numbers, successes, failures) = (0, 0, 0);
                    self.enter(State::HalfOpen { leases, numbers, successes, failures });
                }
                State::HalfOpen { leases, failures, .. } => {
                    let due = leases.iter().map(|(_, end)| *end).min();
                    let Some(end) = due.filter(|end| *end <= self.now) else { return };
                    let place = leases.iter().position(|(_, other)| *other == end);
                    leases.remove(place.expect("it was found"));
                    if self.options.on_lease_expiry == LeaseExpiry::Fail {
                        *failures += 1;
                        self.judge(end, None);
                    }
                }
                _ => return,
            }
        }
    }

    fn judge(&mut self, at: u64, hint: Option<Millis>) {
        let State::HalfOpen { successes, failures, .. } = self.state else { return };
        if successes >= self.options.successes {
            self.opened_in_a_row = 0;
            self.enter(State::Closed { samples: Vec::new() });
        } else if self.options.probes - failures < self.options.successes {
            self.open(at, hint);
        }
    }

    /// The number of the probe, if it is one.
    fn admit(&mut self) -> Result<Option<u32>, Option<Millis>> {
        let end = self.now.saturating_add(self.options.probe_timeout.get());
        match &mut self.state {
            State::Closed { .. } => Ok(None),
            State::Open { until } => Err(Some(Millis::new(*until - self.now))),
            State::Isolated => Err(None),
            State::HalfOpen { leases, numbers, successes, failures } => {
                if leases.len() as u32 + *successes + *failures < self.options.probes {
                    *numbers += 1;
                    leases.push((*numbers, end));
                    return Ok(Some(*numbers));
                }
                let first = leases.iter().map(|(_, end)| *end).min().unwrap_or(self.now);
                Err(Some(Millis::new(first - self.now)))
            }
        }
    }

    /// Whether it came too late to count.
    fn record(
        &mut self,
        leave: &Leave,
        sample: Sample,
        took: Millis,
        hint: Option<Millis>,
    ) -> bool {
        let slow = self.options.slow_call.is_some_and(|limit| took > limit);
        if leave.age != self.age {
            return true;
        }
        let slot = |at: u64| at / self.options.window_span.get().div_ceil(10);
        let by_time =
            self.options.kind == BreakerKind::Rate && self.options.window == WindowKind::Time;
        match &mut self.state {
            State::Closed { samples } => {
                let failed = match sample {
                    Sample::Success => false,
                    Sample::Failure => true,
                    _ => return false,
                };
                if by_time && slot(self.now) - slot(leave.at) >= 10 {
                    return true;
                }
                samples.push((leave.at, failed, slow));
                if self.is_bad() {
                    self.open(self.now, hint);
                }
                false
            }
            State::HalfOpen { leases, successes, failures, .. } => {
                let place = leases.iter().position(|(number, _)| Some(*number) == leave.probe);
                let Some(place) = place else { return true };
                leases.remove(place);
                match sample {
                    Sample::Success if !slow => *successes += 1,
                    Sample::Success | Sample::Failure => *failures += 1,
                    _ => {}
                }
                self.judge(self.now, hint);
                false
            }
            State::Open { .. } | State::Isolated => true,
        }
    }

    fn is_bad(&self) -> bool {
        let State::Closed { samples } = &self.state else { return false };
        let o = &self.options;
        let width = o.window_span.get().div_ceil(10);
        let counted: Vec<_> = match (o.kind, o.window) {
            (BreakerKind::Consecutive, _) => {
                let failures = samples.iter().rev().take_while(|(_, failed, _)| *failed).count();
                return failures as u32 >= o.failures;
            }
            (_, WindowKind::Count) => samples.iter().rev().take(o.window_calls as usize).collect(),
            _ => {
                let alive = |at: u64| self.now / width - at / width < 10;
                samples.iter().filter(|(at, ..)| alive(*at)).collect()
            }
        };
        let calls = counted.len() as u64;
        let share = |part: usize, threshold: u32| {
            part > 0 && part as u64 * 10_000 >= u64::from(threshold) * calls
        };
        let failures = counted.iter().filter(|(_, failed, _)| *failed).count();
        let slow = counted.iter().filter(|(.., slow)| *slow).count();
        calls >= o.minimum_calls.into()
            && (share(failures, o.threshold)
                || (o.slow_call.is_some() && share(slow, o.slow_threshold)))
    }

    fn name(&self) -> BreakerState {
        match self.state {
            State::Closed { .. } => BreakerState::Closed,
            State::Open { .. } => BreakerState::Open,
            State::HalfOpen { .. } => BreakerState::HalfOpen,
            State::Isolated => BreakerState::Isolated,
        }
    }
}

fn options(source: &mut Source, kind: BreakerKind, window: WindowKind) -> BreakerOptions {
    let mut options = BreakerOptions::of(kind);
    options.window = window;
    options.failures = source.small(1, 4);
    options.window_span = Millis::new(source.between(1_000, 9_000));
    options.window_calls = source.small(1, 12);
    options.threshold = source.one_of(&[1, 3_333, 5_000, 6_667, 10_000]);
    options.minimum_calls = source.small(1, options.window_calls);
    if kind == BreakerKind::Rate && source.once_in(2) {
        options.slow_call = Some(Millis::new(source.between(0, 800)));
        options.slow_threshold = source.one_of(&[2_500, 10_000]);
    }
    options.open = Millis::new(source.one_of(&[0, 1, 1_000, 5_000]));
    options.max_open = Millis::new(source.one_of(&[5_000, 60_000, 31_622_400_000]));
    options.probes = source.small(1, 4);
    options.successes = source.small(1, options.probes);
    options.probe_timeout = Millis::new(source.one_of(&[0, 1, 500, 3_000, 30_000]));
    options.on_lease_expiry = source.one_of(&[LeaseExpiry::Fail, LeaseExpiry::Free]);
    options
}

fn play(source: &mut Source, options: BreakerOptions) {
    let mut breaker = Breaker::new(options.clone());
    let mut model = Model::new(options);
    let mut out: Vec<Leave> = Vec::new();
    for step in 0..500 {
        let (now, draw) = (source.clock(300), source.draw());
        match source.between(0, 99) {
            0 => {
                breaker.isolate();
                model.enter(State::Isolated);
            }
            1..=3 => {
                breaker.reset();
                model.opened_in_a_row = 0;
                model.enter(State::Closed { samples: Vec::new() });
            }
            4..=50 => {
                model.pass(now);
                match breaker.admit(now, draw) {
                    Ok(permit) => {
                        let probe = model.admit();
                        let is_probe = probe.map(|probe| probe.is_some());
                        assert_eq!(is_probe, Ok(permit.is_probe()), "step {step}: a permit");
                        let probe = probe.ok().flatten();
                        out.push(Leave { permit, age: model.age, at: model.now, probe });
                    }
                    Err(wait) => assert_eq!(model.admit(), Err(wait), "step {step}: a refusal"),
                }
            }
            _ if out.is_empty() => {}
            _ => {
                model.pass(now);
                let leave = out.swap_remove(source.between(0, out.len() as u64 - 1) as usize);
                let sample = source.one_of(&[
                    Sample::Success,
                    Sample::Success,
                    Sample::Failure,
                    Sample::Failure,
                    Sample::Ignored,
                    Sample::Cancelled,
                ]);
                let took = Millis::new(source.between(0, 1_000));
                let hint = source.once_in(4).then(|| Millis::new(source.between(0, 100_000)));
                let (from, age) = (model.name(), model.age);
                let late = model.record(&leave, sample, took, hint);
                let recorded = breaker.record(leave.permit, sample, took, hint, now, draw);
                assert_eq!(recorded.stale, late, "step {step}: whether {sample:?} was late");
                let seen = recorded.transition.map(|change| (change.from, change.to));
                let expected = (age != model.age).then(|| (from, model.name()));
                assert_eq!(seen, expected, "step {step}: the change of state");
            }
        }
        let view = breaker.view(now);
        // Looking changes nothing, neither here nor there.
        let mut then = model.clone();
        then.pass(now);
        assert_eq!(view.state, then.name(), "step {step}: the state");
        if let State::HalfOpen { leases, .. } = &model.state {
            assert!(leases.len() as u32 <= model.options.probes, "step {step}: too many probes");
        }
    }
}

#[test]
fn consecutive_failures_open_it_and_probes_decide() {
    histories(400, |source| {
        let options = options(source, BreakerKind::Consecutive, WindowKind::Time);
        play(source, options);
    });
}

#[test]
fn a_window_of_calls_counts_the_last_ones_only() {
    histories(400, |source| {
        let options = options(source, BreakerKind::Rate, WindowKind::Count);
        play(source, options);
    });
}

#[test]
fn a_window_of_time_counts_what_was_admitted_in_it() {
    histories(400, |source| {
        let options = options(source, BreakerKind::Rate, WindowKind::Time);
        play(source, options);
    });
}
