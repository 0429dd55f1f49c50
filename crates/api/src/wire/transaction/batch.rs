//! Several transactions in one body, and the outcome of each.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{CreateTransaction, Transaction};
use crate::ApiError;
use crate::wire::Listed;
use crate::wire::bounded;
use crate::wire::text::Text;

/// Request to create several transactions. Each is parsed by itself, so that an invalid one does not affect the others.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateTransactions {
    /// 1 to 100 transactions. `extra.idempotency_key` is the idempotency key of one transaction.
    #[schema(value_type = Vec<CreateTransaction>, min_items = 1, max_items = 100)]
    transactions: Option<Vec<Box<RawValue>>>,
}

impl CreateTransactions {
    /// Returns the transactions as they were sent, 1 to 100.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if there are more or none.
    pub fn parse(self) -> Result<Vec<Box<RawValue>>, ApiError> {
        let transactions = bounded("transactions", self.transactions)?;
        if transactions.is_empty() { Err(ApiError::missing("transactions")) } else { Ok(transactions) }
    }
}

/// Idempotency key of one transaction of a batch.
#[derive(Debug, Deserialize)]
pub struct Idempotency {
    extra: Option<Extra>,
}

#[derive(Debug, Deserialize)]
struct Extra {
    idempotency_key: Option<Text>,
}

impl Idempotency {
    /// Returns the key, if there is one.
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

/// Outcome of one transaction of a batch.
#[derive(Clone, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = TransactionOutcome)]
pub enum Outcome {
    /// The created transaction.
    Created(Box<Transaction>),
    /// The error for which it was not created.
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
    fn batch_has_1_to_100_transactions() {
        let many = |count: usize| format!(r#"{{"transactions": [{}]}}"#, vec!["5"; count].join(","));
        assert_eq!([1, 100].map(|count| parse(&many(count))), [Ok(1), Ok(100)]);
        assert_eq!(parse(&many(101)), Err("transactions must have at most 100 entries.".to_owned()));
        for none in [r#"{"transactions": []}"#, r#"{"transactions": null}"#, "{}"] {
            assert_eq!(parse(none), Err("transactions is required.".to_owned()), "{none}");
        }
    }

    #[test]
    fn idempotency_key_is_read_from_extra() {
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
