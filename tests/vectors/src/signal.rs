//! Signals: one outcome, one answer.

use retrywise::{Class, Delivery};
use serde_json::{Map, Value};

use crate::{
    documents::OutcomeDoc,
    fields::{Fields, Invalid},
    wall::Wall,
};

/// What a signal may ask a binding for.
const ANSWERS: [&str; 6] = ["delay_ms", "class", "delivery", "safe", "idempotent", "retry"];

/// One line of a signal file.
#[derive(Clone, Debug)]
pub struct Signal {
    /// The name of the line.
    pub id: String,
    /// Which room of the core it is about (`retry-after`, `status` …): a label for counting.
    pub area: String,
    /// What the binding is given.
    pub input: Input,
    /// The wall clock of the reception, where one is known.
    pub now: Option<Wall>,
    /// The answers asked for.
    pub expect: Map<String, Value>,
    /// The input as it stands in the file, for bindings that take JSON.
    pub raw: Value,
}

/// What a signal says about one outcome, or directly about its classification.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// How the attempt ended.
    pub outcome: OutcomeDoc,
    /// The vendor profile.
    pub profile: Option<String>,
    /// The method token.
    pub method: Option<String>,
    /// A key was sent that the server honours.
    pub idempotency_key: bool,
    /// Class and delivery given directly instead of an outcome.
    pub given: Option<(Class, Delivery)>,
}

impl Signal {
    /// Whether `value` is a signal rather than a trace.
    pub fn is_one(value: &Value) -> bool {
        value.get("input").is_some() || value.get("area").is_some()
    }

    /// The signal in `value`.
    ///
    /// # Errors
    /// An unknown field or name, a wrong type, an answer that the input cannot give.
    pub fn read(value: &Value) -> Result<Self, Invalid> {
        let mut fields = Fields::of(value, "signal")?;
        let raw: &Value = fields.required("input")?;
        let signal = Self {
            id: fields.required("id")?,
            area: fields.required("area")?,
            input: Input::read(raw)?,
            now: fields.optional("now")?,
            expect: fields.required::<&Map<String, Value>>("expect")?.clone(),
            raw: raw.clone(),
        };
        fields.optional::<&str>("source")?;
        fields.optional::<bool>("lenient")?;
        fields.optional::<&str>("note")?;
        signal.check_answers(&fields)?;
        fields.end()?;
        Ok(signal)
    }

    fn check_answers(&self, fields: &Fields<'_>) -> Result<(), Invalid> {
        if self.expect.is_empty() {
            return Err(fields.invalid("`expect` asks for nothing"));
        }
        let (outcome, given) = (!self.input.outcome.is_empty(), self.input.given.is_some());
        for answer in self.expect.keys() {
            let answerable = match answer.as_str() {
                "delay_ms" => outcome,
                "class" | "delivery" => outcome || given,
                "safe" | "idempotent" => self.input.method.is_some(),
                "retry" => self.input.method.is_some() && (outcome || given),
                _ => {
                    let known = ANSWERS.join(", ");
                    let what =
                        format!("`expect` has the unknown field `{answer}` (known: {known})");
                    return Err(fields.invalid(what));
                }
            };
            if !answerable {
                return Err(fields.invalid(format!("the input cannot answer `{answer}`")));
            }
        }
        Ok(())
    }
}

impl Input {
    fn read(value: &Value) -> Result<Self, Invalid> {
        let mut fields = Fields::of(value, "input")?;
        let class = fields.optional::<&str>("class")?;
        let delivery = fields.optional::<&str>("delivery")?;
        let given = match (class, delivery) {
            (None, None) => None,
            (Some(class), Some(delivery)) => Some((
                Class::from_name(class)
                    .ok_or_else(|| fields.invalid(format!("unknown class `{class}`")))?,
                Delivery::from_name(delivery)
                    .ok_or_else(|| fields.invalid(format!("unknown delivery `{delivery}`")))?,
            )),
            _ => return Err(fields.invalid("`class` and `delivery` are given together")),
        };
        let input = Self {
            outcome: OutcomeDoc::take(&mut fields)?,
            profile: fields.optional("profile")?,
            method: fields.optional("method")?,
            idempotency_key: fields.optional("idempotency_key")?.unwrap_or(false),
            given,
        };
        fields.end()?;
        Ok(input)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn signal(input: &Value, expect: &Value) -> Value {
        json!({"id": "x", "area": "status", "input": input, "now": null, "expect": expect, "source": "s"})
    }

    #[test]
    fn a_line_is_read_with_its_optional_notes() {
        let mut line =
            signal(&json!({"status": 503, "headers": []}), &json!({"class": "transient"}));
        line["lenient"] = json!(true);
        line["note"] = json!("a judgement call");
        assert_eq!(Signal::read(&line).unwrap().area, "status");
    }

    #[test]
    fn strangers_and_questions_without_an_answer_are_refused() {
        let ok = json!({"class": "transient"});
        for (input, expect, named) in [
            (json!({"status": 503, "headerz": []}), ok.clone(), "headerz"),
            (json!({"status": 503}), json!({"klass": "transient"}), "klass"),
            (json!({"status": 503}), json!({"safe": true}), "safe"),
            (json!({"method": "GET"}), json!({"retry": true}), "retry"),
            (json!({"method": "GET"}), json!({}), "asks for nothing"),
            (json!({"class": "transient"}), ok.clone(), "together"),
            (json!({"class": "odd", "delivery": "processed"}), ok, "odd"),
        ] {
            let error = Signal::read(&signal(&input, &expect)).unwrap_err().0;
            assert!(error.contains(named), "{error}");
        }
    }
}
