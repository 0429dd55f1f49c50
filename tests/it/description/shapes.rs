//! Shapes: the examples, which are real calls, have them, and say nothing that is not in them.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::{description, operations};
use crate::docs::files;

/// What stands behind the name of a shape whose objects say nothing else.
const STRICT: &str = ".strict";

/// The same shape, whose objects say nothing that is not described. What is put together of several is strict as a whole:
/// each part knows only its own.
fn strict(shape: &Value, is_whole: bool) -> Value {
    let Value::Object(map) = shape else { return shape.clone() };
    let mut made: Map<String, Value> =
        map.iter().map(|(name, value)| (name.clone(), strict_part(name, value, is_whole))).collect();
    let parts = ["properties", "allOf", "oneOf", "anyOf"];
    if is_whole && parts.iter().any(|part| map.contains_key(*part)) {
        made.entry("unevaluatedProperties").or_insert(json!(false));
    }
    Value::Object(made)
}

fn strict_part(name: &str, value: &Value, is_whole: bool) -> Value {
    let each = |is_whole| -> Value {
        match value {
            Value::Array(list) => list.iter().map(|shape| strict(shape, is_whole)).collect(),
            Value::Object(map) => {
                map.iter().map(|(name, shape)| (name.clone(), strict(shape, is_whole))).collect()
            }
            other => other.clone(),
        }
    };
    match name {
        "$ref" if is_whole => json!(format!("{}{STRICT}", value.as_str().expect("a name"))),
        "properties" => each(true),
        "allOf" | "oneOf" | "anyOf" => each(false),
        "items" | "additionalProperties" => strict(value, true),
        _ => value.clone(),
    }
}

/// Says what of a value is not as described.
fn validator(api: &Value, shape: &Value) -> Validator {
    let shapes = api["components"]["schemas"].as_object().expect("shapes");
    let both = shapes.iter().flat_map(|(name, shape)| {
        [(name.clone(), strict(shape, false)), (format!("{name}{STRICT}"), strict(shape, true))]
    });
    let schemas: Map<String, Value> = both.collect();
    let whole = json!({"components": {"schemas": schemas}, "allOf": [strict(shape, true)]});
    jsonschema::validator_for(&whole).unwrap_or_else(|error| panic!("{error}"))
}

/// What of `body` is not as `content` describes it.
pub(super) fn wrong(api: &Value, content: &Value, body: &Value) -> Vec<String> {
    let validator = validator(api, &content["schema"]);
    validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn every_example_has_its_shape_and_says_nothing_else() {
    let (api, mut seen) = (description(), 0);
    let mut odd = vec![];
    for (call, said) in operations(&api) {
        let answers = said["responses"].as_object().expect("answers").values();
        for place in answers.chain(said.get("requestBody")) {
            for content in place["content"].as_object().into_iter().flat_map(Map::values) {
                if content.get("example").is_some() {
                    seen += 1;
                    odd.extend(
                        wrong(&api, content, &content["example"])
                            .into_iter()
                            .map(|wrong| format!("{call}: {wrong:.300}")),
                    );
                }
            }
        }
    }
    assert!(odd.is_empty(), "{odd:#?}");
    // Each route but that of a tile has an answer, and many have a body.
    assert!(seen > 90, "{seen} examples");
}

#[test]
fn every_error_has_the_shape_of_all_errors() {
    let api = description();
    for (status, response) in api["components"]["responses"].as_object().expect("errors") {
        let content = &response["content"]["application/json"];
        assert_eq!(content["example"]["http_code"], **status, "{status}");
        assert_eq!(wrong(&api, content, &content["example"]), Vec::<String>::new(), "{status}");
    }
}

#[test]
fn an_example_that_says_more_or_less_is_found() {
    let api = description();
    let list = &api["paths"]["/v3.1/subscriptions"]["get"]["responses"]["200"]["content"]["application/json"];
    assert!(wrong(&api, list, &list["example"]).is_empty());
    let changes: [fn(&mut Value); 4] = [
        |list| list["more"] = json!(1),
        |list| list["subscriptions"][0]["_links"]["self"]["more"] = json!(1),
        |list| list["subscriptions"][0]["_id"] = json!(1),
        |list| list.as_object_mut().expect("a list").retain(|name, _| name != "page"),
    ];
    for change in changes {
        let mut body = list["example"].clone();
        change(&mut body);
        assert!(!wrong(&api, list, &body).is_empty(), "{body}");
    }
}

/// A name that two shapes have would be that of the one that comes last.
#[test]
fn no_two_shapes_have_one_name() {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (path, text) in
        files("rs").into_iter().filter(|(path, _)| path.to_string_lossy().contains("crates/api/src"))
    {
        for declared in text.split("ToSchema)]\n").skip(1) {
            let given = declared
                .lines()
                .take_while(|line| line.starts_with("#["))
                .find_map(|line| line.strip_prefix("#[schema(as = ")?.strip_suffix(")]"));
            let line = declared.lines().find(|line| line.contains("struct ") || line.contains("enum "));
            let own =
                line.and_then(|line| line.split(['{', '<', '(', ';']).next()?.split_whitespace().last());
            let name = given.or(own).expect("a name").to_owned();
            let before = names.insert(name.clone(), path.display().to_string());
            assert!(
                before.is_none(),
                "{name} is in {} and in {}",
                before.unwrap_or_default(),
                path.display()
            );
        }
    }
    assert!(names.len() > 60, "shapes are written in another way: {names:?}");
}
