//! gRPC: how far an attempt got (proposal A6), and status codes (`google/rpc/code.proto`).

use super::{
    fact::Fact,
    table::{Table, same_name, table},
};

/// Status codes by name. A code without the attempt's progress leaves the delivery open, where the
/// server may have acted before it failed.
pub(super) const CODES: Table = table![
    ("ABORTED", Fact::Rejected),
    ("ALREADY_EXISTS", Fact::Rejected),
    ("CANCELLED", Fact::Cancelled),
    ("DATA_LOSS", Fact::Broken),
    ("DEADLINE_EXCEEDED", Fact::TimedOut),
    ("FAILED_PRECONDITION", Fact::Rejected),
    ("INTERNAL", Fact::Cut),
    ("INVALID_ARGUMENT", Fact::Rejected),
    ("NOT_FOUND", Fact::Rejected),
    ("OUT_OF_RANGE", Fact::Rejected),
    ("PERMISSION_DENIED", Fact::Rejected),
    ("RESOURCE_EXHAUSTED", Fact::Limited),
    ("UNAUTHENTICATED", Fact::Rejected),
    ("UNAVAILABLE", Fact::Cut),
    ("UNIMPLEMENTED", Fact::Rejected),
    ("UNKNOWN", Fact::Cut),
];

/// Status codes by number.
pub(super) fn by_number(code: &str) -> Option<Fact> {
    match code {
        "1" => Some(Fact::Cancelled),
        "2" | "13" | "14" => Some(Fact::Cut),
        "4" => Some(Fact::TimedOut),
        "8" => Some(Fact::Limited),
        "15" => Some(Fact::Broken),
        "3" | "5" | "6" | "7" | "9" | "10" | "11" | "12" | "16" => Some(Fact::Rejected),
        _ => None,
    }
}

/// What the attempt's progress adds: one that never started, or that the server refused, was not
/// seen by the application. `fact` is what the code alone says.
pub(super) fn by_progress(progress: &str, fact: Fact) -> Fact {
    if same_name(progress, "not_started") || same_name(progress, "miscarried") {
        fact.before_sending()
    } else if same_name(progress, "refused") {
        fact.untouched()
    } else {
        fact
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_say_the_same() {
        const NAMES: [&str; 16] = [
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED",
        ];
        for (at, name) in NAMES.into_iter().enumerate() {
            assert_eq!(by_number(&std::format!("{}", at + 1)), CODES.exact(name), "{name}");
        }
        assert_eq!(by_number("0"), None);
        assert_eq!(by_number("17"), None);
    }

    #[test]
    fn progress_settles_the_delivery_and_leaves_the_class() {
        assert_eq!(by_progress("not_started", Fact::Cut), Fact::NeverLeft);
        assert_eq!(by_progress("REFUSED", Fact::Cut), Fact::Refused);
        assert_eq!(by_progress("processed", Fact::Cut), Fact::Cut);
        assert_eq!(by_progress("refused", Fact::Limited), Fact::CalmRefused);
    }
}
