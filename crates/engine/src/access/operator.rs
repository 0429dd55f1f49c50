//! Operators and their credentials: the persons who run the ledger. An operator belongs to no platform.
//!
//! Nothing is cached, so a revoked operator is refused at the next call, in every process.

use std::sync::Arc;

use daybook_domain::Timestamp;
use daybook_domain::id::OperatorId;
use daybook_pg::Pg;
use daybook_pg::types::TimestampMs;
use daybook_vault::{Purpose, ct_eq};
use tokio_postgres::Row;
use uuid::Uuid;

use super::{Access, AccessError};

/// Prefix of every operator's public id, which distinguishes it from all other ids.
const PREFIX: &str = "operator_id_";

/// An operator, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorRecord {
    /// Id of the operator.
    pub id: OperatorId,
    /// Name of the person.
    pub name: String,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// An operator in the list of all operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOperator {
    /// The operator.
    pub operator: OperatorRecord,
    /// Time of revocation, if the credentials were revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Formats an operator's public id, the first half of its credentials: `operator_id_` and the ULID.
#[must_use]
pub fn operator_id_text(id: OperatorId) -> String {
    format!("{PREFIX}{id}")
}

/// Parses a public id; returns none if the text is not one.
#[must_use]
pub fn parse_operator_id(text: &str) -> Option<OperatorId> {
    text.strip_prefix(PREFIX)?.parse().ok()
}

/// Lists all operators as [`Access::operators`] does, without needing the vault.
///
/// # Errors
///
/// [`AccessError`] if the database is unavailable.
pub async fn operators(pg: &Pg) -> Result<Vec<ListedOperator>, AccessError> {
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/list_operators.sql")).await?;
    let rows = client.query(&statement, &[]).await?;
    let listed = |row: &Row| {
        let revoked_at: Option<TimestampMs> = row.try_get("revoked_at")?;
        let revoked_at = revoked_at.map(|at| Timestamp::from_ms(at.0));
        Ok(ListedOperator { operator: read(row)?, revoked_at })
    };
    rows.iter().map(listed).collect()
}

/// Revokes an operator as [`Access::revoke_operator`] does, without needing the vault.
///
/// # Errors
///
/// [`AccessError`] if the database is unavailable.
pub async fn revoke_operator(pg: &Pg, id: OperatorId, now: Timestamp) -> Result<bool, AccessError> {
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/revoke_operator.sql")).await?;
    let (id, now) = (Uuid::from(id), TimestampMs(now.ms()));
    Ok(client.execute(&statement, &[&id, &now]).await? == 1)
}

impl Access {
    /// Returns the operator with these credentials, or none if they are wrong or revoked. An unknown operator costs the
    /// same work as a wrong secret: the row of another operator is read instead.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn authenticate_operator(
        &self,
        id_text: &str,
        secret: &str,
    ) -> Result<Option<Arc<OperatorRecord>>, AccessError> {
        let Some(id) = parse_operator_id(id_text) else { return Ok(None) };
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_operator.sql")).await?;
        let row = client.query_opt(&statement, &[&Uuid::from(id)]).await?;
        let Some(row) = row else { return Ok(None) };
        // The hash covers both id and secret, so one comparison checks both.
        let is_right = ct_eq(&self.operator_hash(id, secret), row.try_get("secret_hash")?);
        is_right.then(|| read(&row)).transpose().map(|operator| operator.map(Arc::new))
    }

    /// Stores an operator. An existing operator with the same id stays unchanged, revoked or not.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn store_operator(&self, new: &OperatorRecord, secret: &str) -> Result<(), AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/insert_operator.sql")).await?;
        let (id, hash) = (Uuid::from(new.id), self.operator_hash(new.id, secret));
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&id, &new.name, &hash.as_slice(), &TimestampMs(new.created_at.ms())];
        client.execute(&statement, &parameters).await?;
        Ok(())
    }

    /// Lists all operators in order of creation, including revoked ones.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn operators(&self) -> Result<Vec<ListedOperator>, AccessError> {
        operators(&self.pg).await
    }

    /// Revokes an operator's credentials for good, and returns true if there is such an operator. The first time of
    /// revocation is kept.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn revoke_operator(&self, id: OperatorId, now: Timestamp) -> Result<bool, AccessError> {
        revoke_operator(&self.pg, id, now).await
    }

    /// Returns true if the operator exists and is not revoked.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn is_operator(&self, id: OperatorId) -> Result<bool, AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/is_operator.sql")).await?;
        Ok(client.query_one(&statement, &[&Uuid::from(id)]).await?.try_get(0)?)
    }

    /// Computes the keyed hash of an operator's secret.
    fn operator_hash(&self, id: OperatorId, secret: &str) -> [u8; 32] {
        self.vault.mac(Purpose::OperatorSecret, &[&id.as_u128().to_be_bytes(), secret.as_bytes()])
    }
}

fn read(row: &Row) -> Result<OperatorRecord, AccessError> {
    Ok(OperatorRecord {
        id: OperatorId::from(row.try_get::<_, Uuid>("operator")?),
        name: row.try_get("name")?,
        created_at: Timestamp::from_ms(row.try_get::<_, TimestampMs>("created_at")?.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_id_round_trips() {
        let id = OperatorId::from_u128(0x0193_5a1c_2f00_1234_5678_9abc_def0_1234);
        let text = operator_id_text(id);
        assert_eq!(text, format!("operator_id_{id}"));
        assert_eq!(parse_operator_id(&text), Some(id));
    }

    #[test]
    fn invalid_public_id_names_no_operator() {
        let id = OperatorId::from_u128(7);
        let texts = ["", "operator_id_", "operator_id_7", &id.to_string(), &format!("client_id_{id}")];
        for text in texts.into_iter().chain([format!("operator_id_{id} ").as_str()]) {
            assert_eq!(parse_operator_id(text), None, "{text:?}");
        }
        let lower = operator_id_text(OperatorId::from_u128(u128::MAX)).to_lowercase();
        assert_eq!(parse_operator_id(&lower), None, "an id has one spelling");
    }
}
