//! `daybook subject verify-erased`: what is left of a user who was erased. It repairs nothing: whatever serves does that.

use std::sync::Arc;

use daybook_domain::user::event::ERASED;
use daybook_domain::{States, UserId};
use daybook_engine::SHARD;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Log, Place};
use daybook_pg::{Pg, Role, Transaction};
use daybook_projector::Reads;
use daybook_vault::Vault;
use uuid::Uuid;

use super::walk::{subject, walk};
use crate::config::Database as Options;
use crate::database::Database;
use crate::error::Error;
use crate::keys::master_key;

/// Tables that hold nothing about who was erased. In all others ids are clear, and stay.
const EMPTY_OF: [&str; 5] =
    ["vault.subject_key", "vault.blind_index", "public.oauth_key", "public.refresh", "public.fingerprint"];

/// Says what was looked at, and what was found.
pub(super) async fn verify(options: &Options, user: UserId) -> Result<(), Error> {
    let database = Database::open(options).await?;
    let found = match master_key(options) {
        Ok(master) => {
            let vault = Vault::new(database.pg.acting_as(Role::App), master);
            look(&database.pg, vault, user).await
        }
        Err(error) => Err(error),
    };
    database.leave().await?;
    match found? {
        0 => {
            println!("Nothing that can be read is left of user {user}.");
            Ok(())
        }
        left => Err(Error::Remains(left)),
    }
}

/// Answers how many things are left that should not be. Every table is searched with all rights of the login, whoever made
/// it; one that may not be read ends the search.
async fn look(pg: &Pg, vault: Vault, user: UserId) -> Result<u64, Error> {
    let auditor = pg.acting_as(Role::Auditor);
    let log = Arc::new(PostgresLog::new(auditor.clone()));
    let reads = Reads::new(auditor, log.clone());
    let id = Uuid::from_u128(user.as_u128());
    let found = reads.aggregates().records(SHARD, &[user.into()]).await?;
    let known = found.user(user).ok_or_else(|| Error::Absent(format!("there is no user {user}")))?;
    let erasures = log.of_type(SHARD, ERASED, 0).await?;
    let Some(Place { position, .. }) = erasures.into_iter().find(|place| place.stream == id) else {
        return Err(Error::Unverified(format!("user {user} was not erased: the log has no erasure of it")));
    };
    println!("The log has the erasure of user {user} at position {position}.");
    let mut left = 0;
    let has_box =
        known.profile.is_some() || known.documents.iter().any(|document| document.contents.is_some());
    left += u64::from(has_box);
    println!("Its record in the read models: {}.", if has_box { "HOLDS A BOX" } else { "holds no box" });
    left += tables(pg, id).await?;
    left += boxes(&reads, &vault, user).await?;
    Ok(left)
}

/// Counts the user's id in every column of every table that can hold one.
async fn tables(pg: &Pg, id: Uuid) -> Result<u64, Error> {
    let look = async |tx: &Transaction<'_>| {
        // Most of these columns have no index of their own.
        tx.batch_execute("set local statement_timeout = 0").await?;
        let mut counts = vec![];
        for row in tx.query(include_str!("sql/uuid_columns.sql"), &[]).await? {
            let [name, table, column] = [0, 1, 2].map(|index| row.try_get::<_, String>(index));
            let (name, table, column) = (name?, table?, column?);
            let sql = format!("select count(*) from {table} where {column} = $1");
            let count: i64 = tx.query_one(&sql, &[&id]).await?.try_get(0)?;
            counts.push((name, column, count.unsigned_abs()));
        }
        Ok::<_, daybook_pg::Error>(counts)
    };
    let counts = pg.tx("subject.verify", look).await?;
    let (mut left, mut naming) = (0, vec![]);
    for (name, column, count) in &counts {
        if EMPTY_OF.contains(&name.as_str()) {
            let says = if *count == 0 { "" } else { ", AND THERE SHOULD BE NONE" };
            println!("{name}.{column}: {count} rows{says}.");
            left += count;
        } else if *count > 0 {
            naming.push(format!("{name}.{column} ({count})"));
        }
    }
    let (searched, naming) = (counts.len(), naming.join(", "));
    println!("{searched} columns of ids were searched. Ids are no secret; these name it: {naming}.");
    Ok(left)
}

/// Tries to open every box about the user with every key that the vault has of it.
async fn boxes(reads: &Reads, vault: &Vault, user: UserId) -> Result<u64, Error> {
    let keys = vault.keys(SHARD, Uuid::from_u128(user.as_u128())).await?;
    let (mut sealed, mut open) = (0_u64, 0_u64);
    walk(reads, SHARD, user, async |key, events| {
        if subject(key, &events) != Some(user) {
            return Ok(());
        }
        for found in events.iter().filter_map(|happened| happened.event.sealed()) {
            sealed += 1;
            let id = Uuid::from_u128(found.id.as_u128());
            let opens = |class| keys.as_ref().is_some_and(|keys| keys.open(class, id, &found.bytes).is_ok());
            open += u64::from(daybook_vault::Class::ALL.into_iter().any(opens));
        }
        Ok(())
    })
    .await?;
    println!("{sealed} boxes about it are in the log; {open} of them open with what the vault holds.");
    println!("Not looked at: backups, files that were handed to banks, exports, and logs of the service.");
    Ok(open)
}
