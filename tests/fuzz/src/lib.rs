//! Target functions: each takes any bytes, makes of them what it tests, and panics when a promise
//! of the core is broken.
#![forbid(unsafe_code)]

mod answers;
mod documents;
mod ops;

pub mod mutate;

pub use answers::{dates, headers, transport};
pub use documents::policies;
pub use ops::ops;

/// A target function.
pub type Target = fn(&[u8]);

/// Every target, by the name of its corpus.
pub const TARGETS: [(&str, Target); 5] = [
    ("dates", dates),
    ("headers", headers),
    ("ops", ops),
    ("policies", policies),
    ("transport", transport),
];
