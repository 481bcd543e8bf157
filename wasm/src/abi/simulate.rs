//! The experiments: a JSON text in, a JSON text out.

use retrywise::simulate::run;

use crate::abi::{State, ledger::answer, text_length};

/// Runs the experiment in the input (`retrywise::simulate::run`). Writes two strings: what is wrong
/// with the question, empty when nothing is; and the answer.
pub fn simulate(state: &mut State, length: u32) -> u32 {
    answer(&mut state.scratch, length, run);
    text_length(state)
}
