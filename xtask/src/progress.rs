//! One line before a long step, the seconds after it. On stderr: stdout belongs to results.

use core::time::Duration;
use std::time::Instant;

use anyhow::Result;

/// Says what begins, runs it, and says how long it took.
pub(crate) fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("  {what} …");
    let watch = Stopwatch::start();
    let done = work()?;
    eprintln!("  {what}: {}", watch.seconds());
    Ok(done)
}

/// Says one thing.
pub(crate) fn note(what: &str) {
    eprintln!("  {what}");
}

/// How long something took; the only clock this program reads.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "a build tool says how long its steps take")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// The time so far, as `3.2 s`.
    pub(crate) fn seconds(&self) -> String {
        format!("{:.1} s", self.elapsed().as_secs_f64())
    }
}
