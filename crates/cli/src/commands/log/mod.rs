//! `daybook log`: the rows of the log.

mod coverage;
mod stats;
mod tail;
pub mod trust;
mod verify;

use std::path::Path;

use daybook_domain::{Event, Kind, Timestamp};
use daybook_log::Shard;
use daybook_log::postgres::PostgresLog;
use daybook_pg::Role;

use self::trust::TrustedInputs;
use crate::bundle;
use crate::commands::reconcile;
use serde_json::json;

use crate::config::{Database as Options, Log, Reconcile, Reconciliation};
use crate::database::Database;
use crate::error::Error;
use crate::out;
use crate::shards::{chosen, only, print_heading, require};

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, a bundle is damaged, or a verification has findings.
pub async fn run(command: Log) -> Result<(), Error> {
    match command {
        Log::Tail(options) => {
            let database = options.database.clone();
            match with_log(&database, Role::Auditor, async |log| tail::tail(log, &options).await).await {
                // With `--follow`, a signal is the regular end.
                Err(Error::Stopped) if options.follow => Ok(()),
                done => done,
            }
        }
        Log::Stats { json, of, database } => {
            with_log(&database, Role::Auditor, async |log| stats::stats(log, of, json).await).await
        }
        Log::Export { output: folder, force, segment_events, of, json, database } => {
            let plan = bundle::Plan {
                folder: &folder,
                force,
                segment: segment_events,
                boxes: bundle::SEGMENT_BOXES,
            };
            with_log(&database, Role::Auditor, async |log| {
                let shard = only(log, of.shard).await?;
                export(log, shard, plan, json).await
            })
            .await
        }
        Log::Import { input, json, trusted, database } => {
            let work = async |log: &PostgresLog| {
                let shard = bundle::shard_of(&input)?;
                require(shard, &log.shards().await?)?;
                let given = trust::trust(log, shard, &trusted, &database).await?;
                import(log, shard, &input, json, given).await
            };
            let database = Database::prepare(&database).await?;
            database.during(async |it| work(&PostgresLog::new(it.pg.acting_as(Role::Owner))).await).await
        }
        Log::Verify { json, from, tables, no_boxes, checkpoint_within, of, trusted, database } => {
            let extent = verify::Extent { from, boxes: !no_boxes, late: checkpoint_within };
            let work = async |log: &PostgresLog| {
                let mut shards = chosen(log, of.shard).await?;
                if from > 1 {
                    only(log, of.shard).await?;
                }
                if of.shard.is_none() {
                    shards.extend(trust::missing_shards(&shards, &trusted.anchors).await?);
                }
                let mut reports = vec![];
                for shard in &shards {
                    let given = trust::trust(log, *shard, &trusted, &database).await?;
                    let (report, coverage) = verify::verify(log, *shard, extent, given).await?;
                    print_heading(&shards, *shard, json)?;
                    let record = verify::as_json(*shard, &report, &coverage);
                    out::answer(json, &record, &verify::as_text(&report, &coverage))?;
                    reports.push(report);
                }
                verify::result(&reports)
            };
            let done = with_log(&database, Role::Auditor, work).await;
            // A verification that could not run says neither that the log is correct nor that it is damaged.
            let verified = done.map_err(|error| match error {
                Error::Findings(_) | Error::Unverified(_) | Error::Stopped => error,
                error if error.is_unread() => error,
                Error::Log(log) if !log.is_outage() => Error::Log(log),
                other => Error::Unverified(crate::with_causes(&other)),
            });
            if !tables {
                return verified;
            }
            let compared =
                reconcile::run(Reconcile::Replay(Reconciliation::of_all(of, json, database))).await;
            match (verified, compared) {
                // A difference is more important than an incomplete verification.
                (Err(Error::Unverified(_)), Err(compared)) => Err(compared),
                (verified, compared) => verified.and(compared),
            }
        }
    }
}

/// Runs `work` on the log in the database of `options`, with the rights of `role`.
async fn with_log(
    options: &Options,
    role: Role,
    work: impl AsyncFnOnce(&PostgresLog) -> Result<(), Error>,
) -> Result<(), Error> {
    let database = Database::open(options).await?;
    database.during(async |database| work(&PostgresLog::new(database.pg.acting_as(role))).await).await
}

async fn export(log: &PostgresLog, shard: Shard, plan: bundle::Plan<'_>, is_json: bool) -> Result<(), Error> {
    let told = |position| tracing::info!(position, "exported");
    let manifest = bundle::export(log, shard, plan, told).await?;
    let (segments, position, commit_no) =
        (manifest.segments.len(), manifest.head.position, manifest.head.commit_no);
    let (folder, log_id, digest) = (plan.folder.display(), &manifest.log_id, &manifest.digest);
    let record = json!({
        "shard": shard, "segments": segments, "position": position, "commit_no": commit_no, "output": folder.to_string(),
        "log_id": log_id, "digest": digest,
    });
    let text = format!(
        "{segments} segments up to position {position}, commit {commit_no}, are in {folder}.\nlog     {log_id}\n\
         digest  {digest}"
    );
    Ok(out::answer(is_json, &record, &text)?)
}

async fn import(
    log: &PostgresLog,
    shard: Shard,
    input: &Path,
    is_json: bool,
    given: TrustedInputs,
) -> Result<(), Error> {
    if let Some(found) = given.wrong.first() {
        return Err(Error::Usage(format!("{}: {}", found.place, found.what)));
    }
    if let Some(what) = given.unchecked.first() {
        return Err(Error::Usage(what.clone()));
    }
    let told = |position| tracing::info!(position, "imported");
    let bundle::Imported { position, commit_no, resumed_at } =
        bundle::import(log, shard, input, &given.trust, told).await?;
    let record =
        json!({"shard": shard, "position": position, "commit_no": commit_no, "resumed_at": resumed_at});
    let before = match resumed_at {
        0 => String::new(),
        _ => format!("An import had come to position {resumed_at}.\n"),
    };
    let text = format!(
        "{before}The log is loaded up to position {position}, commit {commit_no}, and reads back as it was exported."
    );
    Ok(out::answer(is_json, &record, &text)?)
}

/// Public name of a type of event; its numbers if this binary does not know it.
fn type_name(event_type: i16, version: i16) -> String {
    let known = Event::schemas().find(|(it, _)| (it.event_type, it.version) == (event_type, version));
    known.map_or_else(|| format!("type-{event_type}-v{version}"), |(_, name)| name.to_owned())
}

/// Name of a kind of stream; its number if this binary does not know it.
fn kind_name(code: i16) -> String {
    let name = Kind::from_code(code).map(|kind| format!("{kind:?}").to_lowercase());
    name.unwrap_or_else(|| format!("kind-{code}"))
}

/// Converts microseconds since the Unix epoch, as the log stores them.
fn moment(us: i64) -> Timestamp {
    Timestamp::from_ms(us.div_euclid(1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moment_has_millisecond_precision() {
        assert_eq!(moment(1_795_248_042_461_999).to_string(), "2026-11-21T08:00:42.461Z");
        assert_eq!(moment(-1).to_string(), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn unknown_codes_are_shown_as_numbers() {
        assert_eq!(
            (type_name(40, 1).as_str(), kind_name(5).as_str()),
            ("transaction.created", "transaction")
        );
        assert_eq!((type_name(9_999, 2).as_str(), kind_name(99).as_str()), ("type-9999-v2", "kind-99"));
    }
}
