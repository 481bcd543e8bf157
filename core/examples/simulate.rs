//! Prints the experiments of `retrywise::simulate`: the AWS contest (calls and time, N = 10 … 190,
//! 100 runs), the storm of the retry guide under seven tactics, and the layers.

use retrywise::simulate::{Contest, Layers, Storm, Strategy, Tactic, layers, occ_summary, storm};

fn main() {
    println!("contest: calls / ms, means of 100 runs");
    for clients in (10..=190).step_by(20).chain([100]) {
        let mut contest = Contest::default();
        contest.clients = clients;
        print!("N {clients:>3}");
        for &strategy in Strategy::ALL {
            let found = occ_summary(&contest, strategy, 100, 42);
            let (calls, ms) = (found.calls.mean / 1_000, found.time_ms.mean / 1_000);
            print!("  {strategy} {calls}/{ms}");
        }
        println!();
    }
    println!("storm: thousandths of the calls");
    for &tactic in Tactic::ALL {
        let mut terms = Storm::default();
        terms.tells = tactic == Tactic::Hint;
        let found = storm(&terms, &tactic.policy(3), 1);
        println!(
            "{:<12} outage {} peak {} window {} bound {:?} success {} refused {} recovery {:?} ms",
            tactic.name(),
            found.outage,
            found.peak,
            found.window,
            found.bound,
            found.success,
            found.refused,
            found.recovery_ms,
        );
    }
    for (budget, told) in [(None, false), (Some(2_000), false), (None, true)] {
        let mut terms = Layers::default();
        (terms.depth, terms.budget, terms.told) = (3, budget, told);
        println!("layers, budget {budget:?}, told {told}: {:?}", layers(&terms, 1));
    }
    let mut many = Storm::default();
    (many.clients, many.rate, many.capacity) = (10_000, 10_000, 12_000);
    let found = storm(&many, &Tactic::Hint.policy(3), 1);
    println!("10 000 clients, {} calls: {} attempts", found.calls, found.attempts);
}
