//! Operators and their credentials: the persons who run the ledger, of no platform.
//!
//! Nothing is cached: who is revoked is refused at the very next call, in every process.

use std::sync::Arc;

use daybook_domain::Timestamp;
use daybook_domain::id::OperatorId;
use daybook_pg::Pg;
use daybook_pg::types::TimestampMs;
use daybook_vault::{Purpose, ct_eq};
use tokio_postgres::Row;
use uuid::Uuid;

use super::{Access, AccessError};

/// Begins every operator's public id, so that none is taken for that of something else.
const PREFIX: &str = "operator_id_";

/// An operator as its row tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorRecord {
    /// Its id.
    pub id: OperatorId,
    /// The person's name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// An operator in the list of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOperator {
    /// The operator.
    pub operator: OperatorRecord,
    /// Since when its credentials open nothing, if they do not.
    pub revoked_at: Option<Timestamp>,
}

/// An operator's public id, the first half of its credentials: `operator_id_` and the ULID.
#[must_use]
pub fn operator_id_text(id: OperatorId) -> String {
    format!("{PREFIX}{id}")
}

/// The operator that a public id names; none if it is not one.
#[must_use]
pub fn parse_operator_id(text: &str) -> Option<OperatorId> {
    text.strip_prefix(PREFIX)?.parse().ok()
}

/// [`Access::operators`] without the vault, of which nothing is needed.
///
/// # Errors
///
/// [`AccessError`] if the database is away.
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

/// [`Access::revoke_operator`] without the vault, of which nothing is needed.
///
/// # Errors
///
/// [`AccessError`] if the database is away.
pub async fn revoke_operator(pg: &Pg, id: OperatorId, now: Timestamp) -> Result<bool, AccessError> {
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/revoke_operator.sql")).await?;
    let (id, now) = (Uuid::from(id), TimestampMs(now.ms()));
    Ok(client.execute(&statement, &[&id, &now]).await? == 1)
}

impl Access {
    /// The operator with these credentials; none if they are wrong or revoked. An unknown operator costs the same work
    /// as a wrong secret: another one's row is read.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
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
        // Of this operator, and with this secret: the hash is of both.
        let is_right = ct_eq(&self.operator_hash(id, secret), row.try_get("secret_hash")?);
        is_right.then(|| read(&row)).transpose().map(|operator| operator.map(Arc::new))
    }

    /// Stores an operator; an existing one with the same id stays as it is, revoked or not.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn store_operator(&self, new: &OperatorRecord, secret: &str) -> Result<(), AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/insert_operator.sql")).await?;
        let (id, hash) = (Uuid::from(new.id), self.operator_hash(new.id, secret));
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&id, &new.name, &hash.as_slice(), &TimestampMs(new.created_at.ms())];
        client.execute(&statement, &parameters).await?;
        Ok(())
    }

    /// All operators in the order of their making, those that were revoked too.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn operators(&self) -> Result<Vec<ListedOperator>, AccessError> {
        operators(&self.pg).await
    }

    /// Makes an operator's credentials open nothing, for good; answers whether there is such an operator. The first
    /// time counts.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn revoke_operator(&self, id: OperatorId, now: Timestamp) -> Result<bool, AccessError> {
        revoke_operator(&self.pg, id, now).await
    }

    /// Whether there is this operator and its credentials are good.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn is_operator(&self, id: OperatorId) -> Result<bool, AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/is_operator.sql")).await?;
        Ok(client.query_one(&statement, &[&Uuid::from(id)]).await?.try_get(0)?)
    }

    /// Keyed hash of an operator's secret.
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
    fn a_public_id_reads_back() {
        let id = OperatorId::from_u128(0x0193_5a1c_2f00_1234_5678_9abc_def0_1234);
        let text = operator_id_text(id);
        assert_eq!(text, format!("operator_id_{id}"));
        assert_eq!(parse_operator_id(&text), Some(id));
    }

    #[test]
    fn what_is_no_public_id_names_nobody() {
        let id = OperatorId::from_u128(7);
        let texts = ["", "operator_id_", "operator_id_7", &id.to_string(), &format!("client_id_{id}")];
        for text in texts.into_iter().chain([format!("operator_id_{id} ").as_str()]) {
            assert_eq!(parse_operator_id(text), None, "{text:?}");
        }
        let lower = operator_id_text(OperatorId::from_u128(u128::MAX)).to_lowercase();
        assert_eq!(parse_operator_id(&lower), None, "an id has one spelling");
    }
}
