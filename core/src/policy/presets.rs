//! Policies to start from, as fragments of a policy document: what differs from `standard`.

/// A named policy to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preset {
    /// The name that `extends` gives.
    pub name: &'static str,
    /// What differs from `standard`, as JSON.
    pub policy: &'static str,
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    // The retry guide: base 500 ms, ×2, cap 30 s, full jitter, 5 retries, a tenth of the load.
    Preset { name: "standard", policy: "{}" },
    // Somebody waits in front of a screen: quick, and soon over.
    Preset {
        name: "interactive",
        policy: r#"{
            "maxRetries": 2,
            "deadlineMs": 3000,
            "backoff": { "baseMs": 100, "capMs": 1000 },
            "hint": { "beyond": "give-up" }
        }"#,
    },
    // Nobody waits: patient, up to an hour if the server asks for it.
    Preset {
        name: "batch",
        policy: r#"{
            "maxRetries": 8,
            "backoff": { "baseMs": 1000, "capMs": 300000 },
            "hint": { "maxMs": 3600000 }
        }"#,
    },
    // Money moves: nothing repeats without a key that the server honours.
    Preset {
        name: "payments",
        policy: r#"{
            "attemptTimeoutMs": 10000,
            "safety": "never",
            "hint": { "beyond": "give-up" },
            "idempotency": { "generate": true }
        }"#,
    },
];

/// Their names, in that order.
#[cfg(feature = "json")]
pub(crate) const PRESET_NAMES: &[&str] = &{
    let mut names = [""; PRESETS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = PRESETS[at].name;
        at += 1;
    }
    names
};
