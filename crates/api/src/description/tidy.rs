//! Derived schemas, said more simply and no narrower than what is written.
//!
//! Texts and numbers of a kind of their own, such as amounts, stand where they are used: a name that stands for a number
//! is one that a reader has to look up. Of several shapes more than one may fit, unless they are named here: those of nodes
//! outside have fields in common.

use serde_json::{Map, Value};

/// Shapes of which exactly one fits: they tell themselves apart by a field.
const EXACTLY_ONE: [&str; 3] = ["CreateNode", "NewAct", "NewFees"];

const SCHEMAS: &str = "#/components/schemas/";

/// Puts the schema of each text, number and flag in the place of what refers to it, and allows more than one of several.
pub(super) fn schemas(api: &mut Value) {
    let Some(schemas) = api["components"]["schemas"].as_object_mut() else { return };
    let is_scalar =
        |schema: &Value| schema["type"].as_str().is_some_and(|kind| !["object", "array"].contains(&kind));
    let names: Vec<String> =
        schemas.iter().filter(|(_, schema)| is_scalar(schema)).map(|(name, _)| name.clone()).collect();
    let scalars = names.into_iter().filter_map(|name| schemas.remove_entry(&name)).collect();
    replace(api, &scalars);
    for name in EXACTLY_ONE {
        let shape = api["components"]["schemas"][name].as_object_mut();
        if let Some((shape, several)) = shape.and_then(|shape| shape.remove("anyOf").map(|of| (shape, of))) {
            shape.insert("oneOf".to_owned(), several);
        }
    }
}

/// Takes what the router knows of a name, `{tile:.*}`, out of paths.
pub(super) fn paths(api: &mut Value) {
    let Some(paths) = api["paths"].as_object_mut() else { return };
    *paths =
        std::mem::take(paths).into_iter().map(|(path, item)| (path.replace(":.*}", "}"), item)).collect();
}

fn replace(value: &mut Value, scalars: &Map<String, Value>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|value| replace(value, scalars)),
        Value::Object(map) => {
            map.values_mut().for_each(|value| replace(value, scalars));
            dereference(map, scalars);
            or_null(map);
            any_of(map);
        }
        _ => {}
    }
}

/// What is said beside a reference wins.
fn dereference(map: &mut Map<String, Value>, scalars: &Map<String, Value>) {
    let name = map.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix(SCHEMAS));
    let Some(Value::Object(scalar)) = name.and_then(|name| scalars.get(name)).cloned() else { return };
    map.remove("$ref");
    for (name, value) in scalar {
        map.entry(name).or_insert(value);
    }
}

/// "This or null" of a text is a text or null.
fn or_null(map: &mut Map<String, Value>) {
    let Some([other, null]) = map.get("oneOf").and_then(Value::as_array).map(Vec::as_slice) else { return };
    let (Some(kind), true) = (other["type"].as_str(), null["type"] == "null") else { return };
    let kinds = Value::from(vec![kind, "null"]);
    let Value::Object(other) = other.clone() else { return };
    map.remove("oneOf");
    for (name, value) in other {
        map.entry(name).or_insert(value);
    }
    map.insert("type".to_owned(), kinds);
    if let Some(Value::Array(names)) = map.get_mut("enum") {
        names.push(Value::Null);
    }
}

fn any_of(map: &mut Map<String, Value>) {
    if let Some(several) = map.remove("oneOf") {
        map.insert("anyOf".to_owned(), several);
    }
}
