//! How calls are held back before the server refuses them.

use crate::policy::fields::{Fields, Visitor};

/// The policy's `limiter` object. It has no fields yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimiterOptions {}

impl Fields for LimiterOptions {
    fn fields(&mut self, _: &mut dyn Visitor) {}
}
