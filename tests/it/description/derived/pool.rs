//! Values to try: at and beyond the bounds of a schema, and of every other type.

use proptest::strategy::{Strategy, ValueTree};
use proptest::string::string_regex;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

use super::places::{Place, together};

/// Number of values that are tried per pattern.
const OF_A_PATTERN: usize = 3;
/// Number of values that are tried per enumeration.
const OF_AN_ENUMERATION: usize = 6;

/// A value that all of the schemas allow.
pub(super) fn sample(api: &Value, shapes: &[Value]) -> Value {
    let parts = together(api, shapes, None);
    let said = |name: &str| parts.iter().find_map(|part| part.get(name)).cloned();
    let first = |name: &str| said(name).and_then(|list| list.get(0).cloned());
    if let Some(known) = said("const").or_else(|| first("examples")).or_else(|| first("enum")) {
        return known;
    }
    let is = |kind: &str| parts.iter().any(|part| part["type"] == kind || part["type"][0] == kind);
    if is("object") {
        let needed = parts.iter().flat_map(|part| part["required"].as_array().into_iter().flatten());
        let needed: Vec<&str> = needed.filter_map(Value::as_str).collect();
        let shape = |name: &str| {
            parts.iter().filter_map(|part| part["properties"].get(name).cloned()).collect::<Vec<_>>()
        };
        let members: Map<String, Value> =
            needed.into_iter().map(|name| (name.to_owned(), sample(api, &shape(name)))).collect();
        return Value::Object(members);
    }
    if is("array") {
        let items: Vec<Value> = parts.iter().filter_map(|part| part.get("items").cloned()).collect();
        let count = said("minItems").and_then(|least| least.as_u64()).unwrap_or(1).max(1);
        return (0..count).map(|_| sample(api, &items)).collect();
    }
    if let Some(pattern) = said("pattern").and_then(|pattern| pattern.as_str().map(str::to_owned)) {
        return of_pattern(&pattern).into_iter().find(|text| !text.is_empty()).unwrap_or_default().into();
    }
    if is("string") {
        return json!(if said("format").is_some() { "127.0.0.1" } else { "x" });
    }
    if is("boolean") {
        return json!(true);
    }
    said("minimum").unwrap_or(json!(1))
}

/// Texts that match a pattern, the same in every run.
fn of_pattern(pattern: &str) -> Vec<String> {
    // The generator does not accept the anchors of the description's patterns.
    let pattern = pattern.trim_start_matches('^').trim_end_matches('$');
    let texts = string_regex(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    let mut runner = TestRunner::deterministic();
    (0..OF_A_PATTERN).map(|_| texts.new_tree(&mut runner).expect("a text").current()).collect()
}

/// Values to try at `place` of `body`. `None` removes the place.
pub(super) fn of(place: &Place, body: &Value) -> Vec<Option<Value>> {
    let mut values = vec![json!(null), json!(true), json!(7), json!("x"), json!([]), json!({}), json!("7")];
    for shape in &place.shapes {
        values.extend(shape["enum"].as_array().into_iter().flatten().take(OF_AN_ENUMERATION).cloned());
        values.extend(shape["examples"].as_array().into_iter().flatten().cloned());
        let is = |kind: &str| shape["type"] == kind || shape["type"][0] == kind;
        if is("string") {
            texts(shape, &mut values);
        }
        if is("integer") || is("number") {
            numbers(shape, &mut values);
        }
        if is("array") {
            let there = place.value(body).and_then(|list| list.get(0)).cloned();
            let entry = there.unwrap_or(json!("x"));
            let bounds = ["minItems", "maxItems"].map(|name| shape[name].as_u64());
            let counts =
                bounds.into_iter().flatten().flat_map(|bound| [bound.saturating_sub(1), bound, bound + 1]);
            values.extend(counts.map(|count| (0..count).map(|_| entry.clone()).collect::<Value>()));
        }
    }
    values.extend(place.value(body).cloned());
    let mut tried: Vec<Option<Value>> = vec![None];
    for value in values {
        if !tried.contains(&Some(value.clone())) {
            tried.push(Some(value));
        }
    }
    tried
}

fn texts(shape: &Value, values: &mut Vec<Value>) {
    values.extend(["", " ", "a\0b", "a\nb", "1.2.3.4:80", "a@b"].map(Value::from));
    if let Some(pattern) = shape["pattern"].as_str() {
        values.extend(of_pattern(pattern).into_iter().map(Value::from));
    }
    let most = shape["maxLength"].as_u64().unwrap_or(1_000);
    for count in [most, most + 1] {
        let count = usize::try_from(count).expect("a count");
        values.extend(["7", "🍕"].map(|letter| letter.repeat(count).into()));
    }
}

fn numbers(shape: &Value, values: &mut Vec<Value>) {
    values.extend([
        json!(0),
        json!(-1),
        json!(1),
        json!(1.5),
        json!(0.01),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1e30),
    ]);
    for name in ["minimum", "maximum", "exclusiveMinimum"] {
        if let Some(bound) = shape[name].as_i64() {
            values.extend([bound.saturating_sub(1), bound, bound.saturating_add(1)].map(Value::from));
        }
    }
}
