//! The retry budget of the trace's upstream.

use alloc::collections::BTreeMap;

use retrywise::{
    Class, Upstream,
    budget::{Budget, Hold},
    policy::BudgetOptions,
};
use serde_json::Value;

use super::{Answers, NoAnswer};
use crate::trace::Step;

/// What the calls of a trace hold of the budget.
#[derive(Default)]
pub(super) struct Holds {
    named: BTreeMap<String, Hold>,
    /// Calls without a name. One stands for all where a budget does not care. Where places are
    /// counted, each has its own; where withdrawals have slots, each that could be given back.
    nameless: Vec<Hold>,
}

impl Holds {
    pub(super) fn step(
        &mut self,
        upstream: &mut Upstream,
        step: &Step,
    ) -> Result<Answers, NoAnswer> {
        let mut answers = Answers::new();
        let Some(budget) = upstream.budget_mut() else {
            return Err(NoAnswer::Refused("the policy has no budget".into()));
        };
        let now = step.at;
        if step.op.name == "balance" {
            answers.insert("balance".into(), balance(budget.balance_thousandths(now)));
            return Ok(answers);
        }
        let hold = self.find(budget, step);
        match step.op.name {
            "start" => budget.deposit(hold, now),
            "retry" => {
                let class = Class::from_name(step.text("class")).unwrap_or(Class::Transient);
                budget.failure();
                answers.insert("allowed".into(), budget.withdraw(hold, class, now).into());
            }
            "refund" => budget.refund(hold, now),
            "finish" => {
                match step.text("result") {
                    "success" => budget.success(hold),
                    "failure" => budget.failure(),
                    _ => {}
                }
                budget.release(hold);
            }
            _ => return Err(NoAnswer::Unsupported),
        }
        Ok(answers)
    }

    /// What the call of this step holds.
    fn find(&mut self, budget: &Budget, step: &Step) -> &mut Hold {
        let name = step.text("call");
        if !name.is_empty() {
            return self.named.entry(name.to_owned()).or_default();
        }
        let calls = &self.nameless;
        let found = match (budget.options(), step.op.name) {
            (BudgetOptions::Ratio { .. }, "retry") => {
                calls.len().checked_sub(1).filter(|&last| calls[last].slot.is_none())
            }
            (BudgetOptions::Ratio { .. }, "refund") => {
                calls.iter().rposition(|hold| hold.slot.is_some()).or(calls.len().checked_sub(1))
            }
            (BudgetOptions::Concurrency { .. }, _) => self.place(step.op.name),
            _ => calls.len().checked_sub(1),
        };
        let index = found.unwrap_or_else(|| {
            self.nameless.push(Hold::default());
            self.nameless.len() - 1
        });
        &mut self.nameless[index]
    }

    /// The call without a name that a step is about, where places are counted.
    fn place(&self, step: &str) -> Option<usize> {
        let calls = &self.nameless;
        match step {
            // A call of its own; the next one that is not retrying; one that is.
            "start" => None,
            "retry" => calls.iter().position(|hold| hold.counted && !hold.retrying),
            "refund" => calls.iter().rposition(|hold| hold.retrying),
            _ => calls
                .iter()
                .position(|hold| hold.retrying)
                .or_else(|| calls.iter().position(|hold| hold.counted)),
        }
    }
}

/// Whole where it is whole.
fn balance(thousandths: u64) -> Value {
    if thousandths.is_multiple_of(1_000) {
        (thousandths / 1_000).into()
    } else {
        (thousandths as f64 / 1_000.0).into()
    }
}
