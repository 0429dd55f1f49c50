//! Simplifies derived schemas without making them narrower than the data.
//!
//! Schemas of scalar types, such as amounts, are inlined, so that a reader does not have to look them up. `oneOf`
//! becomes `anyOf`, because external nodes have fields in common, so that several shapes may match; the exceptions are
//! named here.

use serde_json::{Map, Value};

/// Schemas of which exactly one alternative matches: a field tells them apart.
const EXACTLY_ONE: [&str; 3] = ["CreateNode", "NewAct", "NewFees"];

const SCHEMAS: &str = "#/components/schemas/";

/// Inlines the schema of each scalar type and allows several alternatives to match.
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

/// Removes the router's patterns, such as `{tile:.*}`, from paths.
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

/// Replaces a reference by the schema; members beside the reference win.
fn dereference(map: &mut Map<String, Value>, scalars: &Map<String, Value>) {
    let name = map.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix(SCHEMAS));
    let Some(Value::Object(scalar)) = name.and_then(|name| scalars.get(name)).cloned() else { return };
    map.remove("$ref");
    for (name, value) in scalar {
        map.entry(name).or_insert(value);
    }
}

/// Turns "this or null" of a scalar into one type with `null`.
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
