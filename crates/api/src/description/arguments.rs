//! Adds credentials and parameters to each operation, from the types of its handler's arguments.

use daybook_engine::access::Scope;
use serde_json::{Value, json};

use super::operations;
use crate::auth::Credentials;
use crate::routes;

/// Adds them to each operation of `api`. Paths must still have the router's form.
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

/// Returns the alternatives of authentication, including optional credentials: the device beside a platform's, the
/// platform beside a user's.
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
