//! Schemas: the examples, which are real calls, match them and contain no undescribed member.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::{description, operations};
use crate::docs::files;

/// Suffix of the name of a schema that forbids undescribed members.
const STRICT: &str = ".strict";

/// The same schema, but its objects forbid undescribed members. A schema composed of several parts forbids them as a
/// whole, because each part knows only its own members.
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

/// Validator that reports differences from a schema.
fn validator(api: &Value, shape: &Value) -> Validator {
    let shapes = api["components"]["schemas"].as_object().expect("shapes");
    let both = shapes.iter().flat_map(|(name, shape)| {
        [(name.clone(), strict(shape, false)), (format!("{name}{STRICT}"), strict(shape, true))]
    });
    let schemas: Map<String, Value> = both.collect();
    let whole = json!({"components": {"schemas": schemas}, "allOf": [strict(shape, true)]});
    jsonschema::validator_for(&whole).unwrap_or_else(|error| panic!("{error}"))
}

/// Differences between `body` and the schema of `content`.
pub(super) fn wrong(api: &Value, content: &Value, body: &Value) -> Vec<String> {
    let validator = validator(api, &content["schema"]);
    validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn examples_match_their_schemas_strictly() {
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
    // Each route except that of a tile has an example answer, and many have an example body.
    assert!(seen > 90, "{seen} examples");
}

#[test]
fn errors_match_the_common_error_schema() {
    let api = description();
    for (status, response) in api["components"]["responses"].as_object().expect("errors") {
        let content = &response["content"]["application/json"];
        assert_eq!(content["example"]["http_code"], **status, "{status}");
        assert_eq!(wrong(&api, content, &content["example"]), Vec::<String>::new(), "{status}");
    }
}

#[test]
fn wrong_example_is_found() {
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

/// If two schemas had the same name, the later one would replace the earlier one.
#[test]
fn schema_names_are_unique() {
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
