//! Target functions: each takes any bytes, makes of them what it tests, and panics when a promise
//! of the core is broken.
#![forbid(unsafe_code)]

mod answers;
mod documents;
mod ops;

pub mod mutate;

/// A target function.
pub type Target = fn(&[u8]);

/// Every target, by the name of its corpus.
pub const TARGETS: [(&str, Target); 5] = [
    ("dates", answers::dates),
    ("headers", answers::headers),
    ("ops", ops::ops),
    ("policies", documents::policies),
    ("transport", answers::transport),
];
