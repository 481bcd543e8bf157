//! What a server's wish for a wait may do to a delay.

use crate::{
    codes::codes,
    policy::{
        fields::{Place, What, fields},
        spec::{DURATION_OR_NULL, SHARE},
    },
    time::Millis,
};

codes! {
    /// How a hint and the computed delay become one wait. Default: [`HintMode::Override`].
    pub enum HintMode {
        /// A positive hint replaces the delay; 0 or a past date keeps it.
        Override = 0 => "override",
        /// The longer of the two.
        AtLeast = 1 => "at-least",
        /// The hint replaces the delay, also when it is 0.
        Exact = 2 => "exact",
        /// The delay stands; hints are not used.
        Ignore = 3 => "ignore",
    }
}

codes! {
    /// What happens to a hint above [`HintOptions::max`]. Default: [`Beyond::Clamp`].
    pub enum Beyond {
        /// Wait as long as allowed, and try.
        Clamp = 0 => "clamp",
        /// Stop with reason `hint-too-long`; the verdict carries the wanted wait.
        GiveUp = 1 => "give-up",
    }
}

/// The policy's `hint` object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintOptions {
    /// How a hint and the computed delay become one wait.
    pub mode: HintMode,
    /// The longest hint that is followed, 0 to 366 days, tested on the raw hint. Default `None`:
    /// the backoff's cap.
    pub max: Option<Millis>,
    /// What happens to a longer hint.
    pub beyond: Beyond,
    /// Lengthens a hint by up to this share of it, in ten-thousandths, 0 to 10 000; never shortens
    /// one. Default 0.
    pub spread: u32,
}

impl Default for HintOptions {
    fn default() -> Self {
        Self { mode: HintMode::Override, max: None, beyond: Beyond::Clamp, spread: 0 }
    }
}

fields! { HintOptions {
    "mode": What::Name(HintMode::NAMES) => |h| Place::Name(&mut h.mode),
    "maxMs": What::Number(&DURATION_OR_NULL) => |h| Place::MaybeSpan(&mut h.max),
    "beyond": What::Name(Beyond::NAMES) => |h| Place::Name(&mut h.beyond),
    "spread": What::Number(&SHARE) => |h| Place::Count(&mut h.spread),
} }
