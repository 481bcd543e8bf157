//! Replays vector files on every binding of retrywise and prints each mismatch.
//!
//! | module | what it knows |
//! |---|---|
//! | [`signal`], [`trace`], [`op`], [`documents`] | the two formats, read strictly |
//! | [`binding`] | what a binding does, and a file for each |
//! | [`run`] | replaying one vector on one binding |
//! | [`draws`] | making the core's generator give the draws of a trace |
//! | [`expect`] | comparing: exact numbers, ranges, counts |
//! | [`report`], [`cli`] | what is printed, and from which files |

extern crate alloc;

pub mod binding;
pub mod cli;
pub mod documents;
pub mod draws;
pub mod expect;
pub mod fields;
pub mod op;
pub mod report;
pub mod run;
pub mod signal;
pub mod trace;
pub mod wall;
