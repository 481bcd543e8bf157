//! Comparing what a vector expects with what a binding answers.

use core::fmt;

use serde_json::{Map, Value};

/// One answer that is not the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where in the vector: empty for a signal, else the step.
    pub at: String,
    /// Which answer.
    pub field: String,
    /// What the vector says.
    pub expected: Value,
    /// What the binding said; nothing when it gave no such answer.
    pub got: Option<Value>,
}

/// How often each answer of a repeated step was true.
#[derive(Debug, Default)]
pub struct Counts(Map<String, Value>);

impl Counts {
    /// Counts the answers of one repetition.
    pub fn add(&mut self, answers: &Map<String, Value>) {
        for (field, value) in answers {
            if let Value::Bool(truth) = value {
                let so_far = self.0.get(field).and_then(Value::as_u64).unwrap_or(0);
                self.0.insert(field.clone(), (so_far + u64::from(*truth)).into());
            }
        }
    }

    /// The counts, as answers to compare.
    pub fn answers(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// Every expected answer that `got` does not match.
pub fn mismatches(
    at: &str,
    expect: &Map<String, Value>,
    got: &Map<String, Value>,
) -> Vec<Mismatch> {
    let differs = |(field, expected): (&String, &Value)| {
        let got = got.get(field);
        (!matches(expected, got)).then(|| Mismatch {
            at: at.to_owned(),
            field: field.clone(),
            expected: expected.clone(),
            got: got.cloned(),
        })
    };
    expect.iter().filter_map(differs).collect()
}

/// Numbers are equal by value, `{"min","max"}` is a closed range, lists are equal in any order, and
/// `null` is also what was not answered.
fn matches(expected: &Value, got: Option<&Value>) -> bool {
    let Some(got) = got else { return expected.is_null() };
    if let Some((min, max)) = range(expected) {
        return at_most(min, got) && at_most(got, max);
    }
    match (expected, got) {
        (Value::Number(_), Value::Number(_)) => at_most(expected, got) && at_most(got, expected),
        (Value::Array(expected), Value::Array(got)) => same_in_any_order(expected, got),
        _ => expected == got,
    }
}

fn range(expected: &Value) -> Option<(&Value, &Value)> {
    let map = expected.as_object().filter(|map| map.len() == 2)?;
    Some((map.get("min")?, map.get("max")?))
}

/// Whether both are numbers and `a <= b`; whole numbers are compared exactly.
fn at_most(a: &Value, b: &Value) -> bool {
    let whole = |v: &Value| v.as_u64().map(i128::from).or_else(|| v.as_i64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a <= b,
        _ => matches!((a.as_f64(), b.as_f64()), (Some(a), Some(b)) if a <= b),
    }
}

fn same_in_any_order(expected: &[Value], got: &[Value]) -> bool {
    let mut left: Vec<_> = got.iter().collect();
    expected.len() == got.len()
        && expected.iter().all(|wanted| {
            let found = left.iter().position(|value| *value == wanted);
            found.map(|index| left.swap_remove(index)).is_some()
        })
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, field, expected, got } = self;
        let separator = if at.is_empty() { "" } else { ": " };
        match got {
            Some(got) => write!(f, "{at}{separator}{field} expected {expected}, got {got}"),
            None => write!(f, "{at}{separator}{field} expected {expected}, got nothing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(expected: &Value, got: &Value) -> bool {
        super::matches(expected, Some(got))
    }

    #[test]
    fn numbers_are_exact() {
        assert!(matches(&json!(5_000), &json!(5_000)));
        assert!(matches(&json!(5_000), &json!(5_000.0)));
        assert!(!matches(&json!(5_000), &json!(5_001)));
        assert!(!matches(&json!(9_007_199_254_740_991_u64), &json!(9_007_199_254_740_990_u64)));
        assert!(!matches(&json!(5_000), &json!("5000")));
        assert!(!matches(&json!(1), &json!(true)));
    }

    #[test]
    fn a_range_holds_both_its_ends_and_nothing_else() {
        let range = json!({"min": 499, "max": 500});
        for (got, inside) in [(498, false), (499, true), (500, true), (501, false)] {
            assert_eq!(matches(&range, &json!(got)), inside, "{got}");
        }
        assert!(!matches(&range, &Value::Null));
        assert!(!super::matches(&range, None));
    }

    #[test]
    fn null_is_an_answer_too() {
        assert!(matches(&Value::Null, &Value::Null));
        assert!(super::matches(&Value::Null, None));
        assert!(!matches(&Value::Null, &json!(0)));
        assert!(!matches(&json!(0), &Value::Null));
        assert!(!super::matches(&json!(0), None));
    }

    #[test]
    fn lists_are_equal_in_any_order_with_repetitions() {
        assert!(matches(&json!([1, 2, 2]), &json!([2, 1, 2])));
        assert!(!matches(&json!([1, 2, 2]), &json!([1, 1, 2])));
        assert!(!matches(&json!([1]), &json!([1, 1])));
    }

    #[test]
    fn counts_are_the_number_of_true_answers() {
        let mut counts = Counts::default();
        for admitted in [true, false, true] {
            counts.add(json!({"admitted": admitted, "retryInMs": 5}).as_object().unwrap());
        }
        let expect = |n: u64| json!({"admitted": n}).as_object().unwrap().clone();
        assert_eq!(mismatches("", &expect(2), counts.answers()), []);
        assert_eq!(mismatches("", &expect(3), counts.answers()).len(), 1);
    }
}
