//! Every kind of budget against a model that keeps the whole history and adds it up anew.

use retrywise::{
    Class, Instant, Millis,
    budget::{Budget, Hold},
    policy::BudgetOptions,
};
use retrywise_properties::{Source, histories};

const CALLS: usize = 6;

/// Plays random events on a budget; `check` sees each event and what was answered.
fn play(source: &mut Source, options: BudgetOptions, model: &mut impl Model) {
    let mut budget = Budget::new(options);
    let mut holds = [Hold::default(); CALLS];
    for step in 0..600 {
        let now = source.clock(700);
        let call = source.between(0, CALLS as u64 - 1) as usize;
        let hold = &mut holds[call];
        let class = source.one_of(&[Class::Transient, Class::Throttled]);
        let what = source.between(0, 9);
        if what <= 6 {
            // The other events know no time.
            model.pass(now);
        }
        match what {
            0..=2 => {
                budget.deposit(hold, now);
                model.deposit(call);
            }
            3..=5 => {
                let allowed = budget.withdraw(hold, class, now);
                assert_eq!(allowed, model.withdraw(call, class), "step {step}: a withdrawal");
            }
            6 => {
                budget.refund(hold, now);
                model.refund(call);
            }
            7 => {
                budget.success(hold);
                model.success(call);
            }
            8 => {
                budget.failure();
                model.failure();
            }
            _ => {
                budget.release(hold);
                model.release(call);
            }
        }
        let balance = budget.balance_thousandths(now);
        assert_eq!(balance, model.balance(now), "step {step}: the balance after event {what}");
    }
}

trait Model {
    fn pass(&mut self, _now: Instant) {}
    fn deposit(&mut self, _call: usize) {}
    fn withdraw(&mut self, call: usize, class: Class) -> bool;
    fn refund(&mut self, _call: usize) {}
    fn success(&mut self, _call: usize) {}
    fn failure(&mut self) {}
    fn release(&mut self, _call: usize) {}
    fn balance(&self, now: Instant) -> u64;
}

/// Every deposit and withdrawal with the slot it belongs to, in ten-thousandths.
struct Ratio {
    each: i64,
    reserve: i64,
    width: u64,
    slot: u64,
    entries: Vec<(u64, i64)>,
    taken: [Option<u64>; CALLS],
}

impl Ratio {
    /// What is alive when the newest slot is this one.
    fn sum(&self, newest: u64) -> i64 {
        let alive = |(slot, _): &&(u64, i64)| newest - slot < 10;
        self.reserve + self.entries.iter().filter(alive).map(|(_, amount)| amount).sum::<i64>()
    }
}

impl Model for Ratio {
    fn pass(&mut self, now: Instant) {
        self.slot = self.slot.max(now.as_millis() / self.width);
    }
    fn deposit(&mut self, _call: usize) {
        self.entries.push((self.slot, self.each));
    }
    fn withdraw(&mut self, call: usize, _class: Class) -> bool {
        let allowed = self.sum(self.slot) >= 10_000;
        if allowed {
            self.entries.push((self.slot, -10_000));
            self.taken[call] = Some(self.slot);
        }
        allowed
    }
    fn refund(&mut self, call: usize) {
        if let Some(slot) = self.taken[call].take() {
            self.entries.push((slot, 10_000));
        }
    }
    fn release(&mut self, call: usize) {
        self.taken[call] = None;
    }
    fn balance(&self, now: Instant) -> u64 {
        let slot = self.slot.max(now.as_millis() / self.width);
        self.sum(slot).max(0) as u64 / 10_000 * 1_000
    }
}

struct Tokens {
    left: u64,
    capacity: u64,
    costs: [u64; 2],
    credit: u64,
    last: [Option<u64>; CALLS],
}

impl Model for Tokens {
    fn withdraw(&mut self, call: usize, class: Class) -> bool {
        let cost = self.costs[usize::from(class == Class::Throttled)];
        let allowed = self.left >= cost;
        if allowed {
            self.left -= cost;
            self.last[call] = Some(cost);
        }
        allowed
    }
    fn refund(&mut self, call: usize) {
        self.left = (self.left + self.last[call].take().unwrap_or(0)).min(self.capacity);
    }
    fn success(&mut self, call: usize) {
        self.left = (self.left + self.last[call].take().unwrap_or(self.credit)).min(self.capacity);
    }
    fn release(&mut self, call: usize) {
        self.last[call] = None;
    }
    fn balance(&self, _now: Instant) -> u64 {
        assert!(self.left <= self.capacity);
        self.left * 1_000
    }
}

struct Throttle {
    left: u64,
    max: u64,
    ratio: u64,
}

impl Model for Throttle {
    fn withdraw(&mut self, _call: usize, _class: Class) -> bool {
        self.left * 2 > self.max
    }
    fn success(&mut self, _call: usize) {
        self.left = (self.left + self.ratio).min(self.max);
    }
    fn failure(&mut self) {
        self.left = self.left.saturating_sub(1_000);
    }
    fn balance(&self, _now: Instant) -> u64 {
        self.left
    }
}

/// Which calls are under way, and which of them are retrying.
struct Concurrency {
    ratio: u64,
    min: u64,
    counted: [bool; CALLS],
    retrying: [bool; CALLS],
}

impl Concurrency {
    fn free(&self) -> u64 {
        let count = |flags: &[bool; CALLS]| flags.iter().filter(|&&flag| flag).count() as u64;
        let allowed = (count(&self.counted) * self.ratio / 10_000).max(self.min);
        allowed.saturating_sub(count(&self.retrying))
    }
}

impl Model for Concurrency {
    fn deposit(&mut self, call: usize) {
        self.counted[call] = true;
    }
    fn withdraw(&mut self, call: usize, _class: Class) -> bool {
        self.retrying[call] = false;
        self.retrying[call] = self.free() > 0;
        self.retrying[call]
    }
    fn refund(&mut self, call: usize) {
        self.retrying[call] = false;
    }
    fn release(&mut self, call: usize) {
        self.retrying[call] = false;
        self.counted[call] = false;
    }
    fn balance(&self, _now: Instant) -> u64 {
        self.free() * 1_000
    }
}

#[test]
fn a_ratio_is_the_sum_of_what_its_ten_slots_hold() {
    histories(400, |source| {
        let ratio = source.one_of(&[0, 1, 999, 1_000, 3_000, 7_500, 10_000, 50_000]);
        let (min_per_second, span) = (source.small(0, 2), source.between(1_000, 9_999));
        let window = Millis::new(span);
        let options = BudgetOptions::Ratio { ratio, min_per_second, window };
        let reserve = i64::from(min_per_second) * span as i64 * 10;
        let (width, each) = (span.div_ceil(10), ratio.into());
        let (slot, entries, taken) = (0, Vec::new(), [None; CALLS]);
        play(source, options, &mut Ratio { each, reserve, width, slot, entries, taken });
    });
}

#[test]
fn tokens_never_exceed_their_capacity_and_come_back_once() {
    histories(400, |source| {
        let capacity = source.small(0, 100);
        let (transient_cost, throttled_cost) = (source.small(0, 20), source.small(0, 20));
        let credit = source.small(0, 3);
        let options = BudgetOptions::Tokens { capacity, transient_cost, throttled_cost, credit };
        let costs = [transient_cost.into(), throttled_cost.into()];
        let (left, credit) = (capacity.into(), credit.into());
        let last = [None; CALLS];
        play(source, options, &mut Tokens { left, capacity: left, costs, credit, last });
    });
}

#[test]
fn a_throttle_allows_while_more_than_half_is_left() {
    histories(400, |source| {
        let (max, ratio) = (source.small(1, 12_001), source.small(1, 1_500));
        let options =
            BudgetOptions::Throttle { max_tokens_thousandths: max, token_ratio_thousandths: ratio };
        let (max, ratio) = (max.into(), ratio.into());
        play(source, options, &mut Throttle { left: max, max, ratio });
    });
}

#[test]
fn concurrency_counts_places_and_forgets_none() {
    histories(400, |source| {
        let (ratio, min) = (source.small(0, 10_000), source.small(0, 3));
        let options = BudgetOptions::Concurrency { ratio, min_concurrency: min };
        let (counted, retrying) = ([false; CALLS], [false; CALLS]);
        let (ratio, min) = (ratio.into(), min.into());
        play(source, options, &mut Concurrency { ratio, min, counted, retrying });
    });
}
