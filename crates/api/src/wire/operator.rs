//! An operator as the API shows it.

use daybook_domain::id::OperatorId;
use daybook_engine::access::operator_id_text;
use serde::Serialize;
use utoipa::ToSchema;

use super::record::Links;

/// The operator record.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Operator {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    name: String,
}

/// The record as the API shows it. Its address is that of whoever asks: there is no other of an operator.
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
