//! Many transactions in one body, and what became of each.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{CreateTransaction, Transaction};
use crate::ApiError;
use crate::wire::Listed;
use crate::wire::bounded;
use crate::wire::text::Text;

/// The body. Each transaction is read by itself, so that one that is malformed spoils no other.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateTransactions {
    /// One to a hundred; `extra.idempotency_key` is that of one alone.
    #[schema(value_type = Vec<CreateTransaction>, min_items = 1, max_items = 100)]
    transactions: Option<Vec<Box<RawValue>>>,
}

impl CreateTransactions {
    /// The transactions as they were written, from one to a hundred.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if there are more or none.
    pub fn parse(self) -> Result<Vec<Box<RawValue>>, ApiError> {
        let transactions = bounded("transactions", self.transactions)?;
        if transactions.is_empty() { Err(ApiError::missing("transactions")) } else { Ok(transactions) }
    }
}

/// What a transaction among others says of its idempotency.
#[derive(Debug, Deserialize)]
pub struct Idempotency {
    extra: Option<Extra>,
}

#[derive(Debug, Deserialize)]
struct Extra {
    idempotency_key: Option<Text>,
}

impl Idempotency {
    /// Its key, if it has one.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if it is empty.
    pub fn key(self) -> Result<Option<String>, ApiError> {
        let key = self.extra.and_then(|extra| extra.idempotency_key).map(String::from);
        match key {
            Some(key) if key.trim().is_empty() => {
                Err(ApiError::invalid("extra.idempotency_key", "must have 1 to 1,000 characters"))
            }
            key => Ok(key),
        }
    }
}

/// What became of one transaction among others.
#[derive(Clone, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = TransactionOutcome)]
pub enum Outcome {
    /// It was created.
    Created(Box<Transaction>),
    /// It was not, and why.
    Refused(ApiError),
}

impl Listed for Outcome {
    const KEYS: (&'static str, &'static str) = ("trans", "trans_count");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Result<usize, String> {
        let body: CreateTransactions = serde_json::from_str(body).unwrap();
        body.parse().map(|transactions| transactions.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn there_are_one_to_a_hundred() {
        let many = |count: usize| format!(r#"{{"transactions": [{}]}}"#, vec!["5"; count].join(","));
        assert_eq!([1, 100].map(|count| parse(&many(count))), [Ok(1), Ok(100)]);
        assert_eq!(parse(&many(101)), Err("transactions must have at most 100 entries.".to_owned()));
        for none in [r#"{"transactions": []}"#, r#"{"transactions": null}"#, "{}"] {
            assert_eq!(parse(none), Err("transactions is required.".to_owned()), "{none}");
        }
    }

    #[test]
    fn a_key_stands_beside_what_is_extra() {
        let key = |json: &str| serde_json::from_str::<Idempotency>(json).unwrap().key();
        let told = key(r#"{"extra": {"ip": "1", "idempotency_key": "k1"}, "to": 5}"#);
        assert_eq!(told, Ok(Some("k1".to_owned())));
        for none in ["{}", r#"{"extra": null}"#, r#"{"extra": {"idempotency_key": null}}"#] {
            assert_eq!(key(none), Ok(None), "{none}");
        }
        for empty in ["", " "] {
            let refused = key(&format!(r#"{{"extra": {{"idempotency_key": "{empty}"}}}}"#));
            assert!(matches!(refused, Err(ApiError::Invalid { .. })), "{empty:?}");
        }
    }
}
