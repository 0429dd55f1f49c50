//! Parameter `filter` of a list: one value that the records must have. Clients send it alone, or, for the original
//! service, as a JSON object with one field: `SETTLED` or `{"recent_status.status": "SETTLED"}`.

use std::collections::BTreeMap;

use daybook_domain::node::NodeKind;
use daybook_domain::transaction::Status;
use utoipa::IntoParams;

use crate::ApiError;
use crate::in_query::Parameters;
use crate::query::Query;
use crate::wire::text::Text;

/// Name of the parameter.
const NAME: &str = "filter";

/// Filter of a list of transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatusFilter {
    /// Returns only transactions with this status: the status alone, or `{"recent_status.status": "SETTLED"}`.
    #[param(inline, required = false, value_type = Text)]
    pub filter: Option<Status>,
}

impl Parameters for StatusFilter {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        let Some(word) = word(query, "recent_status.status")? else { return Ok(Self { filter: None }) };
        let status = Status::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(&word));
        let status = status.ok_or_else(|| ApiError::invalid(NAME, "is not a status of transactions"))?;
        Ok(Self { filter: Some(status) })
    }
}

/// Filter of a list of nodes.
#[derive(Clone, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct NodeFilter {
    /// Returns only nodes of this type. For an unknown type the list is empty.
    #[param(inline, required = false, value_type = Text)]
    r#type: Option<String>,
    /// Returns only nodes of this type: the type alone, or `{"type": "ACH-US"}`. Ignored if `type` is sent.
    #[param(inline, required = false, value_type = Text)]
    filter: Option<NodeKind>,
}

/// Type of the nodes in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfType {
    /// Any type.
    Any,
    /// This type only.
    Only(NodeKind),
    /// A type that does not exist here: clients of the original service know more types.
    Unknown,
}

impl NodeFilter {
    /// Returns the requested type: `type` if it is sent, otherwise `filter`.
    #[must_use]
    pub fn of_type(&self) -> OfType {
        match &self.r#type {
            Some(name) => NodeKind::parse(name).map_or(OfType::Unknown, OfType::Only),
            None => self.filter.map_or(OfType::Any, OfType::Only),
        }
    }
}

impl Parameters for NodeFilter {
    /// Ignores `filter` if `type` is sent.
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        let r#type = query.text("type")?.filter(|name| !name.is_empty());
        let filter = if r#type.is_none() { node_type(query)? } else { None };
        Ok(Self { r#type, filter })
    }
}

/// Returns the type in `filter`; `None` if the parameter is absent or empty.
fn node_type(query: Query<'_>) -> Result<Option<NodeKind>, ApiError> {
    let Some(word) = word(query, "type")? else { return Ok(None) };
    let kind = NodeKind::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(&word));
    kind.map(Some).ok_or_else(|| ApiError::invalid(NAME, "is not a node type"))
}

/// Returns the required value of `field`.
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

    fn status(query: Query<'_>) -> Result<Option<Status>, ApiError> {
        StatusFilter::read(query).map(|asked| asked.filter)
    }

    fn text<T>(answer: Result<T, ApiError>) -> Option<String> {
        answer.err().map(|error| error.to_string())
    }

    #[test]
    fn filter_accepts_word_or_object() {
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
    fn invalid_filter_is_refused() {
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
