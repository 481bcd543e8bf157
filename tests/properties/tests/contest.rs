//! The AWS jitter experiment at every number of clients, against the means of another program
//! (`oracle/occ_table.py`; its table is `oracle/occ.jsonl`).

use retrywise::simulate::{Contest, Spread, Strategy, occ_summary};
use serde_json::Value;

const TABLE: &str = include_str!("../oracle/occ.jsonl");
const OURS: u32 = 8;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

#[test]
fn calls_and_time_are_those_of_another_program_at_every_number_of_clients() {
    let rows = TABLE.lines().map(serde_json::from_str);
    let table: Vec<Value> = rows.collect::<Result<_, _>>().expect("each line is JSON");
    assert_eq!(table.len(), 19 * Strategy::ALL.len(), "N = 10, 20 … 190, five strategies");
    let mut off = Vec::new();
    for row in &table {
        let theirs_runs = number(&row["runs"]);
        let clients = row["clients"].as_u64().unwrap_or_default() as u32;
        let name = row["strategy"].as_str().unwrap_or_default();
        let strategy = Strategy::from_name(name).expect("a strategy of that name");
        let mut contest = Contest::default();
        contest.clients = clients;
        let found = occ_summary(&contest, strategy, OURS, 42);
        for (what, theirs, ours) in
            [("calls", &row["calls"], found.calls), ("ms", &row["ms"], found.time_ms)]
        {
            let Spread { mean, .. } = ours;
            let (expected, deviation) = (number(&theirs["mean"]), number(&theirs["sd"]));
            // Four standard errors of the difference, and the millisecond that is cut off.
            let allowed =
                4.0 * deviation * (1.0 / f64::from(OURS) + 1.0 / theirs_runs).sqrt() + 1.0;
            let difference = (mean as f64 / 1_000.0 - expected).abs();
            if difference.is_nan() || difference > allowed {
                off.push(format!(
                    "{name} at {clients}: {what} {ours:?}, not {expected} ± {allowed}"
                ));
            }
        }
    }
    assert!(off.is_empty(), "{}", off.join("\n"));
}
