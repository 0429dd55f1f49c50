//! Examples: requests that a test sent, with the answers it received, per operation.

use serde_json::{Map, Value};

use super::{id_of, operations};

/// Request and answer of each operation by its id, each with the body. Written by `tests/it/description/examples.rs`.
const EXAMPLES: &str = include_str!("examples.json");

/// Adds its example to each operation of `api`.
#[expect(clippy::expect_used, reason = "a file of this crate that every test of the description reads")]
pub(super) fn add(api: &mut Value) {
    let examples: Map<String, Value> = serde_json::from_str(EXAMPLES).expect("examples.json is an object");
    for (_, _, operation) in operations(api) {
        let Some(example) = examples.get(id_of(operation)) else { continue };
        show(operation.get_mut("requestBody"), &example["request"]);
        show(operation["responses"].get_mut("200"), &example["answer"]);
    }
}

/// Adds `body` as the example of the first media type of `place`.
fn show(place: Option<&mut Value>, body: &Value) {
    let contents = place.and_then(|place| place["content"].as_object_mut());
    let content = contents.and_then(|contents| contents.values_mut().next());
    if let (Some(content), false) = (content, body.is_null()) {
        content["example"] = body.clone();
    }
}
