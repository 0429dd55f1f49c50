//! Rules about several fields together, which the type of one field cannot express.

use serde_json::{Map, Value};

/// Additional schema rules by the name of each schema.
const RULES: &str = include_str!("rules.json");

/// Adds the rules to the schemas of `api`.
#[expect(clippy::expect_used, reason = "a file of this crate that every test of the description reads")]
pub(super) fn add(api: &mut Value) {
    let rules: Map<String, Value> = serde_json::from_str(RULES).expect("rules.json is an object");
    for (name, rules) in rules {
        merge(&mut api["components"]["schemas"][name], rules);
    }
}

fn merge(shape: &mut Value, rules: Value) {
    match (shape, rules) {
        (Value::Object(shape), Value::Object(rules)) => {
            for (name, rules) in rules {
                merge(shape.entry(name).or_insert(Value::Null), rules);
            }
        }
        (shape, rules) => *shape = rules,
    }
}
