//! Links from the response of one call to other calls. A call that creates a record links to each call whose path
//! contains the record's id.

use serde_json::{Map, Value, json};

use super::{id_of, names, operations};

/// Calls that create a record: operation id, name of the new id in paths, and JSON pointer to the id in the response.
const CREATING_CALLS: [(&str, &str, &str); 5] = [
    ("users.create", "user_id", "/_id"),
    ("nodes.create", "node_id", "/nodes/0/_id"),
    ("trans.create", "trans_id", "/_id"),
    ("subnets.create", "subnet_id", "/_id"),
    ("subscriptions.create", "subscription_id", "/_id"),
];

/// Adds the links to the operations of `api`.
pub(super) fn add(api: &mut Value) {
    let all: Vec<_> = operations(api).map(|(path, _, said)| (id_of(said).to_owned(), path.clone())).collect();
    for (path, _, said) in operations(api) {
        let Some((_, made, place)) = CREATING_CALLS.into_iter().find(|(maker, ..)| *maker == id_of(said))
        else {
            continue;
        };
        let links: Map<String, Value> = all
            .iter()
            .filter(|(_, other)| leads(path, made, other))
            .map(|(name, other)| (name.replace('.', "_"), link(name, other, made, place)))
            .collect();
        said["responses"]["200"]["links"] = Value::Object(links);
    }
}

/// Returns true if the path `other` contains the new id `made` and otherwise only ids of `path`.
fn leads(path: &str, made: &str, other: &str) -> bool {
    let known = |name: &str| name == made || names(path).any(|own| own == name);
    names(other).any(|name| name == made) && names(other).all(known)
}

fn link(name: &str, other: &str, made: &str, place: &str) -> Value {
    let parameters: Map<String, Value> = names(other)
        .map(|name| {
            let whence = if name == made {
                format!("$response.body#{place}")
            } else {
                format!("$request.path.{name}")
            };
            (name.to_owned(), json!(whence))
        })
        .collect();
    json!({"operationId": name, "parameters": parameters})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn created_record_links_to_calls_naming_it() {
        let path = "/users/{user_id}/nodes";
        for (other, expected) in [
            ("/users/{user_id}/nodes/{node_id}", true),
            ("/sandbox/nodes/{node_id}/credit", true),
            ("/users/{user_id}/nodes", false),
            ("/users/{user_id}/nodes/{node_id}/trans/{trans_id}", false),
        ] {
            assert_eq!(leads(path, "node_id", other), expected, "{other}");
        }
        let told = link("nodes.get", "/users/{user_id}/nodes/{node_id}", "node_id", "/nodes/0/_id");
        let parameters =
            json!({"user_id": "$request.path.user_id", "node_id": "$response.body#/nodes/0/_id"});
        assert_eq!(told, json!({"operationId": "nodes.get", "parameters": parameters}));
    }
}
