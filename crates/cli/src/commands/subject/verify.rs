//! `daybook subject verify-erased`: searches for remaining data of an erased user. It repairs nothing; the service does
//! that.

use std::sync::Arc;

use daybook_domain::user::event::ERASED;
use daybook_domain::{States, UserId};
use daybook_log::postgres::PostgresLog;
use daybook_log::{EventLocation, Log, Shard};
use daybook_pg::{Pg, Role, Transaction};
use daybook_projector::Reads;
use daybook_vault::Vault;
use serde_json::{Value, json};
use uuid::Uuid;

use super::walk::{subject, walk};
use crate::config::Database as Options;
use crate::database::Database;
use crate::error::Error;
use crate::keys::master_key;
use crate::out;
use crate::shards::of_stream;

/// Tables that must have no row of an erased user. In all other tables ids are clear text, and stay.
const EMPTY_OF: [&str; 5] =
    ["vault.subject_key", "vault.blind_index", "public.oauth_key", "public.refresh", "public.fingerprint"];

/// Result of the search.
struct ErasureEvidence {
    user: UserId,
    /// Position of the erasure in the log.
    position: u64,
    /// True if the user's record in the read models contains a box.
    has_box: bool,
    /// Every column with ids: its table, its name, and the number of rows with the id of the user.
    columns: Vec<(String, String, u64)>,
    /// Number of boxes about the user in the log, and number of those that can be opened.
    boxes: (u64, u64),
}

/// Searches for remaining data and prints the result.
pub(super) async fn verify(options: &Options, user: UserId, is_json: bool) -> Result<(), Error> {
    let master = master_key(options)?;
    let database = Database::open(options).await?;
    let looking = async |database: &Database| {
        let vault = Vault::new(database.pg.acting_as(Role::App), master);
        look(&database.pg, vault, user).await
    };
    let found = database.during(looking).await?;
    out::answer(is_json, &found.as_json(), &found.as_text())?;
    if found.left() == 0 { Ok(()) } else { Err(Error::Remains(found.left())) }
}

/// Searches every table, including unknown ones: first with the auditor's role; then with all rights of the login the
/// tables that the auditor may not read. The search fails if neither may read a table.
async fn look(pg: &Pg, vault: Vault, user: UserId) -> Result<ErasureEvidence, Error> {
    let auditor = pg.acting_as(Role::Auditor);
    let log = Arc::new(PostgresLog::new(auditor.clone()));
    let reads = Reads::new(auditor.clone(), log.clone());
    let id = Uuid::from(user);
    let shard = of_stream(&log, id).await?;
    let found = reads.aggregates().records(shard, &[user.into()]).await?;
    let known = found.user(user).ok_or_else(|| Error::Absent(format!("there is no user {user}")))?;
    let erasures = log.of_type(shard, ERASED, 0).await?;
    let Some(EventLocation { position, .. }) = erasures.into_iter().find(|place| place.stream == id) else {
        return Err(Error::Unverified(format!("user {user} was not erased: the log has no erasure of it")));
    };
    let has_box =
        known.profile.is_some() || known.documents.iter().any(|document| document.contents.is_some());
    let mut columns = count(&auditor.of(shard), id, true).await?;
    columns.extend(count(&pg.of(shard), id, false).await?);
    let boxes = boxes(&reads, &vault, shard, user).await?;
    Ok(ErasureEvidence { user, position, has_box, columns, boxes })
}

impl ErasureEvidence {
    /// Number of remaining items that must not exist.
    fn left(&self) -> u64 {
        let rows = self.columns.iter().filter(|(table, ..)| is_emptied(table)).map(|(.., rows)| rows);
        u64::from(self.has_box) + rows.sum::<u64>() + self.boxes.1
    }

    fn as_json(&self) -> Value {
        let Self { user, position, has_box, columns, boxes: (boxes, opened) } = self;
        let column = |(table, column, rows): &(String, String, u64)| json!({"table": table, "column": column, "rows": rows});
        json!({
            "user_id": user.to_string(), "position": position, "record_holds_a_box": has_box,
            "columns": columns.iter().map(column).collect::<Vec<_>>(), "boxes": boxes, "boxes_that_open": opened,
            "left": self.left(),
        })
    }

    fn as_text(&self) -> String {
        let Self { user, position, has_box, columns, boxes: (boxes, opened) } = self;
        let held = if *has_box { "HOLDS A BOX" } else { "holds no box" };
        let mut lines = vec![
            format!("The log has the erasure of user {user} at position {position}."),
            format!("Its record in the read models: {held}."),
        ];
        let mut naming = vec![];
        for (table, column, rows) in columns {
            if is_emptied(table) {
                let says = if *rows == 0 { "" } else { ", AND THERE SHOULD BE NONE" };
                lines.push(format!("{table}.{column}: {rows} rows{says}."));
            } else if *rows > 0 {
                naming.push(format!("{table}.{column} ({rows})"));
            }
        }
        let (searched, naming) = (columns.len(), naming.join(", "));
        lines.push(format!(
            "{searched} columns of ids were searched. Ids are no secret; these name it: {naming}."
        ));
        lines.push(format!(
            "{boxes} boxes about it are in the log; {opened} of them open with what the vault holds."
        ));
        lines.push(
            "Not looked at: backups, files that were handed to banks, exports, and logs of the service."
                .into(),
        );
        if self.left() == 0 {
            lines.push(format!("Nothing that can be read is left of user {user}."));
        }
        lines.join("\n")
    }
}

fn is_emptied(table: &str) -> bool {
    EMPTY_OF.contains(&table)
}

/// Counts the rows with the id in the columns that the auditor may read, or in all other columns.
async fn count(pg: &Pg, id: Uuid, is_auditor: bool) -> Result<Vec<(String, String, u64)>, Error> {
    let look = async |tx: &Transaction<'_>| {
        // Most of these columns have no index of their own.
        tx.batch_execute("set local statement_timeout = 0").await?;
        let mut counts = vec![];
        let of = [&Role::Auditor.name() as &(dyn tokio_postgres::types::ToSql + Sync), &is_auditor];
        for row in tx.query(include_str!("sql/uuid_columns.sql"), &of).await? {
            let [name, table, column] = [0, 1, 2].map(|index| row.try_get::<_, String>(index));
            let (name, table, column) = (name?, table?, column?);
            let sql = format!("select count(*) from {table} where {column} = $1");
            let count: i64 = tx.query_one(&sql, &[&id]).await?.try_get(0)?;
            counts.push((name, column, count.unsigned_abs()));
        }
        Ok::<_, daybook_pg::Error>(counts)
    };
    Ok(pg.tx("subject.verify", look).await?)
}

/// Tries to open every box about the user with every key of the user in the vault. Returns the number of boxes, and the
/// number of boxes that can be opened.
async fn boxes(reads: &Reads, vault: &Vault, shard: Shard, user: UserId) -> Result<(u64, u64), Error> {
    let keys = vault.keys(shard, Uuid::from(user)).await?;
    let (mut sealed, mut open) = (0_u64, 0_u64);
    walk(reads, shard, user, async |key, events| {
        if subject(key, &events) != Some(user) {
            return Ok(());
        }
        for found in events.iter().filter_map(|happened| happened.event.sealed()) {
            sealed += 1;
            let id = Uuid::from(found.id);
            let opens = |class| keys.as_ref().is_some_and(|keys| keys.open(class, id, &found.bytes).is_ok());
            open += u64::from(daybook_vault::Class::ALL.into_iter().any(opens));
        }
        Ok(())
    })
    .await?;
    Ok((sealed, open))
}
