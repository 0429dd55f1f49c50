//! Credentials and parameters of each operation, as the arguments of its handler tell them.

use daybook_engine::access::Scope;
use serde_json::{Value, json};

use super::operations;
use crate::auth::Credentials;
use crate::routes;

/// Adds them to each operation of `api`, whose paths are still those of the router.
#[expect(clippy::expect_used, reason = "one list registers an operation and describes it")]
pub(super) fn add(api: &mut Value) {
    for (path, method, said) in operations(api) {
        let endpoint = routes::endpoint(method, path).expect("an operation is registered");
        said["security"] = ways(endpoint.credentials());
        let parameters = endpoint.parameters();
        let parameters = parameters.iter().map(|parameter| json!(parameter));
        let named = said["parameters"].as_array().cloned().unwrap_or_default();
        said["parameters"] = parameters.chain(named).collect();
    }
}

/// The ways to call, with the credentials that may come along: the device where a platform calls, the platform where a
/// user does.
fn ways(credentials: Option<Credentials>) -> Value {
    match credentials {
        None => json!([]),
        Some(Credentials::Platform(scope)) => {
            let scopes: Vec<&str> = scope.into_iter().map(Scope::name).collect();
            json!([{ "X-SP-GATEWAY": scopes }, { "X-SP-GATEWAY": scopes, "X-SP-USER": [] }])
        }
        Some(Credentials::User(scope)) => {
            let scopes = [scope.name()];
            json!([
                { "X-SP-USER": scopes },
                { "X-SP-USER": scopes, "X-SP-USER-IP": [] },
                { "X-SP-USER": scopes, "X-SP-GATEWAY": [] },
            ])
        }
        Some(Credentials::Operator) => json!([{ "X-SP-OPERATOR": [] }]),
    }
}
