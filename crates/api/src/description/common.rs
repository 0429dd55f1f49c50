//! Parts of the description that many operations share. They follow from path, method and credentials, so no handler
//! repeats them.

use serde_json::{Map, Value, json};

use super::{errors, id_of, names, operations};

/// Servers, tags, and the components that operations refer to.
const COMMON: &str = include_str!("common.json");

/// Adds the common parts to each operation of `api`.
#[expect(clippy::expect_used, reason = "a file of this crate that every test of the description reads")]
pub(super) fn add(api: &mut Value) {
    let common: Map<String, Value> = serde_json::from_str(COMMON).expect("common.json is an object");
    for (name, value) in common {
        match name.as_str() {
            "components" => merge(&mut api["components"], value),
            _ => api[name] = value,
        }
    }
    api["components"]["responses"] = errors::responses();
    for (path, method, said) in operations(api) {
        Operation { path, method, said }.complete();
    }
}

fn merge(components: &mut Value, more: Value) {
    if let (Some(components), Value::Object(more)) = (components.as_object_mut(), more) {
        components.extend(more);
    }
}

/// An operation with the object that describes it.
struct Operation<'a> {
    path: &'a str,
    method: &'a str,
    said: &'a mut Value,
}

impl Operation<'_> {
    fn complete(self) {
        let Self { path, method, said } = self;
        let is_secured = said["security"].as_array().is_some_and(|list| !list.is_empty());
        let changes = method != "get" || has_parameter(said, "dry_run");
        tell(said);
        said["tags"] = json!([noun(said)]);
        add_parameters(said, path, is_secured && method == "post");
        let errors = [
            ("400", is_secured || said["parameters"].as_array().is_some_and(|list| !list.is_empty())),
            ("401", is_secured),
            ("404", path.contains('{') || path.contains("/sandbox/") || has_parameter(said, "user_id")),
            ("409", changes),
            ("413", method != "get"),
            ("415", method != "get"),
            ("429", !path.starts_with("/health/")),
            ("500", path != "/health/live"),
            ("503", path != "/health/live"),
        ];
        add_errors(said, errors.into_iter().filter_map(|(status, can_be)| can_be.then_some(status)));
        add_headers(said, path, changes);
    }
}

/// Splits a handler's doc comment: the first sentence becomes the summary, the rest the description.
fn tell(said: &mut Value) {
    let parts = ["summary", "description"].map(|name| said[name].as_str().unwrap_or_default().trim());
    let whole = parts.join(" ").replace('\n', " ");
    let whole = whole.trim();
    let (summary, rest) = whole.split_once(". ").unwrap_or((whole.trim_end_matches('.'), ""));
    let Some(said) = said.as_object_mut() else { return };
    said.insert("summary".to_owned(), json!(summary));
    said.remove("description");
    if !rest.is_empty() {
        said.insert("description".to_owned(), json!(rest.trim()));
    }
    let responses = said.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten();
    responses.for_each(|(status, response)| response["description"] = json!(outcome(status)));
}

/// Returns the description of a successful response.
fn outcome(status: &str) -> &'static str {
    if status == "202" { "More information is needed first" } else { "Done" }
}

/// Returns the tag of an operation id: `users` for `users.list`.
fn noun(said: &Value) -> String {
    id_of(said).split('.').next().unwrap_or_default().to_owned()
}

fn has_parameter(said: &Value, name: &str) -> bool {
    said["parameters"].as_array().is_some_and(|list| list.iter().any(|parameter| parameter["name"] == name))
}

/// Adds the parameters of the path before the others, and the idempotency key after them.
fn add_parameters(said: &mut Value, path: &str, takes_key: bool) {
    let own = said["parameters"].as_array().cloned().unwrap_or_default();
    let all = names(path).map(refer_to).chain(own).chain(takes_key.then(|| refer_to("idempotency_key")));
    said["parameters"] = all.collect();
}

fn refer_to(parameter: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{parameter}")})
}

/// Adds references to the shared errors: those of `statuses`, and those that the handler names.
fn add_errors<'a>(said: &mut Value, statuses: impl Iterator<Item = &'a str>) {
    let named: Vec<String> = said["responses"].as_object().into_iter().flat_map(Map::keys).cloned().collect();
    let named = named.into_iter().filter(|status| status.as_str() >= "400");
    for status in statuses.map(str::to_owned).chain(named) {
        said["responses"][&status] = json!({"$ref": format!("#/components/responses/{status}")});
    }
}

/// Adds the headers that a successful response may have.
fn add_headers(said: &mut Value, path: &str, changes: bool) {
    let is_about_nodes = said["tags"][0] == "nodes";
    let headers = [
        ("X-Daybook-Position", "position", path.starts_with("/v3.1/")),
        ("X-Daybook-Receipt", "receipt", changes),
        ("X-Daybook-Dry-Run", "dry_run", has_parameter(said, "dry_run")),
        ("Deprecation", "deprecation", is_about_nodes),
    ];
    let refer = |name: &str| json!({"$ref": format!("#/components/headers/{name}")});
    let told = headers.into_iter().filter(|(.., may_be)| *may_be);
    let headers: Map<String, Value> =
        told.map(|(header, name, _)| (header.to_owned(), refer(name))).collect();
    if !headers.is_empty() {
        said["responses"]["200"]["headers"] = Value::Object(headers);
    }
}
