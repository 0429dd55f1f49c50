//! Record of an operator.

use daybook_domain::id::OperatorId;
use daybook_engine::access::operator_id_text;
use serde::Serialize;
use utoipa::ToSchema;

use super::record::Links;

/// An operator.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Operator {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    name: String,
}

/// Renders the record. Its URL is that of the calling operator; other operators have none.
#[must_use]
pub fn render(id: OperatorId, name: &str, base_url: &str) -> Operator {
    Operator {
        id: operator_id_text(id),
        links: Links::to(base_url, "ops/operators/me"),
        name: name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_record_has_the_public_id() {
        let record = render(OperatorId::from_u128(1), "Ada Lovelace", "http://localhost:8080");
        let expected = json!({
            "_id": "operator_id_00000000000000000000000001",
            "_links": {"self": {"href": "http://localhost:8080/v3.1/ops/operators/me"}},
            "name": "Ada Lovelace",
        });
        assert_eq!(serde_json::to_value(record).unwrap(), expected);
    }
}
