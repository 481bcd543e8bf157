//! Which area of the project a function belongs to, by the path in its name.

/// One area: a row of the tables.
pub(super) struct Area {
    pub(super) name: &'static str,
    /// Whether a module without it could be imagined: its functions are left out once.
    pub(super) family: bool,
    /// Where its functions and types live.
    paths: &'static [&'static str],
}

const fn family(name: &'static str, paths: &'static [&'static str]) -> Area {
    Area { name, family: true, paths }
}

const fn base(name: &'static str, paths: &'static [&'static str]) -> Area {
    Area { name, family: false, paths }
}

pub(super) const AREAS: [Area; 20] = [
    family("policy documents", &["retrywise::policy", "retrywise::json"]),
    family(
        "hints, quotas, dates",
        &["retrywise::hint", "retrywise::structured", "retrywise::scan", "retrywise::date"],
    ),
    family(
        "classes, vendor rules, names of headers",
        &["retrywise::classify", "retrywise::profile", "retrywise::headers", "retrywise::outcome"],
    ),
    family("transport errors", &["retrywise::classify::transport"]),
    family("breaker", &["retrywise::breaker"]),
    family(
        "budget, windows, throttle",
        &[
            "retrywise::budget",
            "retrywise::window",
            "retrywise::client_throttle",
            "retrywise::shared",
        ],
    ),
    family("limiter", &["retrywise::limiter", "retrywise::throttling"]),
    family("keys, UUID, SHA-1", &["retrywise::idempotency", "uuid", "sha1_smol"]),
    family("curves and jitters", &["retrywise::backoff", "retrywise::jitter", "retrywise::rng"]),
    family("maths of one jitter", &["libm"]),
    family(
        "ledger, trail, reviews",
        &["retrywise::ledger", "retrywise::trail", "retrywise::review", "retrywise::document"],
    ),
    family("the order of calls", &["retrywise::queue", "retrywise::dispatch"]),
    family(
        "snapshots",
        &[
            "retrywise::snapshot",
            "retrywise::upstream::saved",
            "retrywise::breaker::saved",
            "retrywise::budget::saved",
            "retrywise::limiter::saved",
        ],
    ),
    family("reasons as sentences", &["retrywise::explain"]),
    base(
        "upstream, call, decision",
        &[
            "retrywise::upstream",
            "retrywise::call",
            "retrywise::decide",
            "retrywise::delay",
            "retrywise::safety",
            "retrywise::verdict",
            "retrywise::request",
            "retrywise::method",
            "retrywise::steps",
        ],
    ),
    base("texts", &["retrywise::text", "retrywise::codes"]),
    base("boundary: handles, items, names, exports", &["retrywise_wasm", "wasm_bindgen"]),
    base(
        "records of the WIT package",
        &["retrywise_wasm::component", "wit_bindgen", "retrywise:policy"],
    ),
    base("allocator", &["talc", "__rustc"]),
    base("`core` and `alloc` of Rust", &[]),
];

/// The row of what no other names: types that every area shares, such as times.
pub(super) const OTHER: &str = "other";

/// The area of a function by its demangled name. What is made for a type of ours counts where that
/// type is, so the first path that is in the table decides, by its longest entry.
pub(super) fn of(symbol: &str) -> Option<&'static Area> {
    let named = AREAS.iter().flat_map(|area| area.paths.iter().map(move |path| (area, path)));
    let found = named.filter_map(|(area, path)| Some((at(symbol, path)?, path.len(), area)));
    let first = found.min_by_key(|&(at, length, _)| (at, usize::MAX - length));
    first.map(|(_, _, area)| area).or_else(|| by_name(fallback(symbol)?))
}

/// What has no path of ours: exports, and what Rust brings.
fn fallback(symbol: &str) -> Option<&'static str> {
    match symbol {
        _ if symbol.starts_with("cabi_") => Some("records of the WIT package"),
        _ if symbol.contains("retrywise::") => None,
        _ if symbol.contains("::") || symbol.starts_with("mem") => {
            Some("`core` and `alloc` of Rust")
        }
        _ => Some("boundary: handles, items, names, exports"),
    }
}

fn by_name(name: &str) -> Option<&'static Area> {
    AREAS.iter().find(|area| area.name == name)
}

/// Where a path stands in a name, as whole segments of it.
fn at(symbol: &str, path: &str) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let whole = |&(at, _): &(usize, &str)| {
        let rest = &symbol[at + path.len()..];
        !symbol[..at].ends_with(part) && (rest.starts_with("::") || !rest.starts_with(part))
    };
    symbol.match_indices(path).find(whole).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(symbol: &str) -> &'static str {
        of(symbol).map_or(OTHER, |area| area.name)
    }

    #[test]
    fn a_function_counts_where_its_path_says_the_longest_entry_first() {
        assert_eq!(name("retrywise::hint::quota::quota"), "hints, quotas, dates");
        assert_eq!(name("<retrywise::upstream::Upstream>::record"), "upstream, call, decision");
        assert_eq!(name("<retrywise::upstream::saved::Saved>::load"), "snapshots");
        assert_eq!(name("retrywise::classify::transport::of_link"), "transport errors");
        assert_eq!(name("<sha1_smol::Sha1State>::process"), "keys, UUID, SHA-1");
    }

    #[test]
    fn what_is_made_for_a_type_of_ours_counts_where_the_type_is() {
        let symbol = "core::ptr::drop_in_place::<retrywise::policy::Policy>";
        assert_eq!(name(symbol), "policy documents");
        let symbol = "<alloc::vec::Vec<(retrywise::time::Instant, retrywise::queue::Entry)>>::push";
        assert_eq!(name(symbol), "the order of calls");
        assert_eq!(name("<str>::trim::{closure#0}"), "`core` and `alloc` of Rust");
    }

    #[test]
    fn an_export_counts_as_boundary_and_a_name_that_only_begins_alike_is_another() {
        assert_eq!(name("upstream_new"), "boundary: handles, items, names, exports");
        assert_eq!(name("retrywise:policy/ledger@0.1.0#apply"), "records of the WIT package");
        assert_eq!(name("<retrywise_wasm::component::Call>::end"), "records of the WIT package");
        assert_eq!(name("retrywise::text_of_all"), OTHER);
        assert_eq!(name("<alloc::vec::Vec<retrywise::time::Millis>>::push"), OTHER);
    }
}
