//! The `filter` of a list: one word that its records have to say, alone or as clients of the original service send it, a
//! JSON object of one field: `SETTLED` or `{"recent_status.status": "SETTLED"}`.

use std::collections::BTreeMap;

use daybook_domain::node::NodeKind;
use daybook_domain::transaction::Status;

use crate::ApiError;
use crate::query::Query;

/// The parameter.
const NAME: &str = "filter";

/// Which transactions are asked for, by the field `recent_status.status`; all, if the parameter is absent or empty.
///
/// # Errors
///
/// [`ApiError::Invalid`] if it filters by another field or names no status.
pub fn status(query: Query<'_>) -> Result<Option<Status>, ApiError> {
    let Some(word) = word(query, "recent_status.status")? else { return Ok(None) };
    let status = Status::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(&word));
    status.map(Some).ok_or_else(|| ApiError::invalid(NAME, "is not a status of transactions"))
}

/// Which nodes are asked for, by the field `type`; all, if the parameter is absent or empty.
///
/// # Errors
///
/// [`ApiError::Invalid`] if it filters by another field or names no type.
pub fn node_type(query: Query<'_>) -> Result<Option<NodeKind>, ApiError> {
    let Some(word) = word(query, "type")? else { return Ok(None) };
    let kind = NodeKind::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(&word));
    kind.map(Some).ok_or_else(|| ApiError::invalid(NAME, "is not a node type"))
}

/// The word that `field` has to say.
fn word(query: Query<'_>, field: &'static str) -> Result<Option<String>, ApiError> {
    let Some(text) = query.text(NAME)?.filter(|text| !text.is_empty()) else { return Ok(None) };
    if !text.starts_with('{') {
        return Ok(Some(text));
    }
    let must = || ApiError::invalid(NAME, format!("must be a word, or {{\"{field}\": a word}}"));
    let mut fields: BTreeMap<String, String> = serde_json::from_str(&text).map_err(|_| must())?;
    let word = fields.remove(field).filter(|_| fields.is_empty());
    word.map(Some).ok_or_else(must)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T>(answer: Result<T, ApiError>) -> Option<String> {
        answer.err().map(|error| error.to_string())
    }

    #[test]
    fn one_word_filters_whatever_its_case_alone_or_in_an_object() {
        let settled =
            ["filter=SETTLED", "filter=settled", "filter=%7B%22recent_status.status%22%3A%22Settled%22%7D"];
        for query in settled {
            assert_eq!(status(Query(query)), Ok(Some(Status::Settled)), "{query}");
        }
        let raw = r#"page=1&filter={"type":"ach-us"}"#;
        assert_eq!(node_type(Query(raw)), Ok(Some(NodeKind::AchUs)));
        for query in ["", "page=1", "filter", "filter="] {
            assert_eq!(status(Query(query)), Ok(None), "{query}");
            assert_eq!(node_type(Query(query)), Ok(None), "{query}");
        }
    }

    #[test]
    fn what_cannot_be_filtered_by_is_refused() {
        let odd = [
            "{",
            "{}",
            r#"{"type":"DEPOSIT-US"}"#,
            r#"{"recent_status.status":5}"#,
            r#"{"recent_status.status":{"$in":["SETTLED"]}}"#,
            r#"{"recent_status.status":"SETTLED","amount":1}"#,
        ];
        let must = r#"filter must be a word, or {"recent_status.status": a word}."#;
        for filter in odd {
            let answer = text(status(Query(&format!("filter={filter}"))));
            assert_eq!(answer.as_deref(), Some(must), "{filter}");
        }
        let unknown = text(status(Query("filter=DONE")));
        assert_eq!(unknown.as_deref(), Some("filter is not a status of transactions."));
        let unknown = text(node_type(Query("filter=SETTLED")));
        assert_eq!(unknown.as_deref(), Some("filter is not a node type."));
    }
}
