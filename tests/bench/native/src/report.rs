//! What was found: a line for people, an object for `results.json`.

use std::{fs, io};

use serde_json::{Value, json};

/// Everything that one run has found.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Value>,
    missed: usize,
}

/// One figure of a block.
pub(crate) struct Row<'a> {
    /// Which.
    pub(crate) what: &'a str,
    pub(crate) figure: f64,
    /// The quartiles around it, where it is the median of rounds.
    pub(crate) spread: Option<(f64, f64)>,
    /// `ns`, `B`, `s`; nothing for a ratio.
    pub(crate) unit: &'static str,
    /// What it may be at most; figures without one only stand beside another.
    pub(crate) target: Option<f64>,
}

impl Report {
    /// Prints the figure and keeps it.
    pub(crate) fn row(&mut self, block: &str, row: &Row<'_>) {
        let Row { what, figure, spread, unit, target } = *row;
        let met = target.map(|target| figure <= target);
        self.missed += usize::from(met == Some(false));
        let digits = if unit == "ns" || unit == "B" { 1 } else { 3 };
        let spread_shown =
            spread.map_or(String::new(), |(low, high)| format!(" ({low:.3} to {high:.3})"));
        let mark = match (met, target) {
            (Some(true), Some(target)) => format!("  ✓ ≤ {target}"),
            (Some(false), Some(target)) => format!("  ✗ > {target}"),
            _ => String::new(),
        };
        println!("  {what:<46}{figure:>10.digits$} {unit}{spread_shown}{mark}");
        let spread = spread.map(|(low, high)| [low, high]);
        self.rows.push(json!({
            "block": block, "what": what, "figure": figure, "spread": spread,
            "unit": unit, "target": target, "met": met,
        }));
    }

    /// Says how many figures missed their target, and leaves all of them in a file for whoever puts
    /// the parts together.
    pub(crate) fn end(self, file: Option<&str>) -> io::Result<()> {
        let judged = self.rows.iter().filter(|row| !row["met"].is_null()).count();
        println!("\n{judged} figures with a target, {} above it", self.missed);
        file.map_or(Ok(()), |file| fs::write(file, Value::from(self.rows).to_string()))
    }
}
