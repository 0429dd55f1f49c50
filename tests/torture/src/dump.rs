//! Restores of a dump that lacks tables or their rows.

use std::process::{Command, Stdio};
use std::time::Duration;

use daybook_random::Random;
use tokio::time::timeout;

use crate::commands::restore::Scene;
use crate::error::{Result, failed};
use crate::sight::{Sight, pay};

/// Timeout for the service to become ready.
const READY_TIMEOUT: Duration = Duration::from_secs(20);

/// Tables that the log consists of.
const LOG: [&str; 3] = ["public.event", "public.commit", "public.shard"];
/// Query for all tables that have rows.
const TABLES: &str = "select schemaname || '.' || relname from pg_stat_user_tables
    where schemaname in ('public', 'vault') and relname <> 'refinery_schema_history' and n_live_tup > 0 order by 1";

/// Restores a dump without one to three tables. Returns a description of the dump, the ways in which the loss was
/// noticed, and the violations.
pub(crate) async fn one(
    scene: &Scene<'_>,
    time: usize,
    random: &mut Random,
) -> Result<(String, String, Vec<String>)> {
    let (name, lacking) = (format!("part_{time}"), choose(scene, random).await?);
    load(scene, &name, &lacking, random.percent(50))?;
    let url = scene.arena.cluster.url().replace("dbname=daybook", &format!("dbname={name}"));
    let anchor = scene.arena.folder.join("anchor").display().to_string();
    let (verified, ..) = scene.say(&url, &["log", "verify", "--json", "--anchor", &anchor]).await?;
    let is_torn = lacking.iter().any(|table| LOG.contains(&table.as_str()));
    let mut wrong = vec![];
    if is_torn && verified == Some(0) {
        wrong.push("log verify finds nothing".to_owned());
    }
    let host = scene.host(&url, time)?;
    let mut noticed = vec![];
    if matches!(timeout(READY_TIMEOUT, host.start()).await, Ok(Ok(_))) {
        let compared =
            Sight::of(&scene.arena.world, host.address, &scene.questions).await.compare(&scene.before);
        let done = pay(&scene.arena.world, host.address, &name).await;
        let reconciled = scene.daybook(&url, &["log", "verify", "--tables"]).await?;
        let signs = [
            (verified != Some(0), "log verify"),
            (!reconciled.status.success(), "reconcile"),
            (compared.told > 0 || done == Some(false), "503"),
        ];
        noticed.extend(signs.into_iter().filter(|(is_so, _)| *is_so).map(|(_, name)| name));
        if is_torn && done == Some(true) {
            wrong.push("the service accepts payments without a complete log".to_owned());
        }
        if noticed.is_empty() || is_torn {
            wrong.extend(compared.wrong.into_iter().take(2));
        }
    } else {
        noticed.push("the service does not start");
    }
    host.kill().await;
    let how = if noticed.is_empty() { "nothing is missed".to_owned() } else { noticed.join(", ") };
    Ok((format!("dump without {}", lacking.join(", ")), how, wrong))
}

/// Chooses one to three tables.
async fn choose(scene: &Scene<'_>, random: &mut Random) -> Result<Vec<String>> {
    let rows = scene.arena.cluster.connect().await?.query(TABLES, &[]).await?;
    let tables: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let mut lacking: Vec<String> = (0..=random.below_u64(3)).map(|_| random.pick(&tables).clone()).collect();
    // In 40 % of the cases only one table of the log is missing.
    if random.percent(40) {
        lacking = vec![(*random.pick(&LOG)).to_owned()];
    }
    lacking.sort();
    lacking.dedup();
    Ok(lacking)
}

/// Restores a dump without the tables `lacking`, or without their rows, into a new database `name`.
fn load(scene: &Scene<'_>, name: &str, lacking: &[String], only_rows: bool) -> Result<()> {
    let cluster = &scene.arena.cluster;
    let command = |program: &str| {
        let mut command = Command::new(cluster.bin_dir().join(program));
        cluster.account().enter(&mut command);
        command.arg("-h").arg(cluster.folder().join("socket")).args(["-U", "daybook"]);
        command
    };
    let is_made = command("createdb").arg(name).status()?;
    let option = if only_rows { "--exclude-table-data" } else { "--exclude-table" };
    let mut dump = command("pg_dump");
    dump.args(lacking.iter().map(|table| format!("{option}={table}"))).arg("daybook").stdout(Stdio::piped());
    let mut dump = dump.spawn()?;
    let rows = dump.stdout.take().map_or_else(Stdio::null, Stdio::from);
    // psql skips objects that refer to a missing table, as in any restore of a partial dump.
    let mut psql = command("psql");
    psql.args(["-q", "-d", name]).stdin(rows).stdout(Stdio::null()).stderr(Stdio::null());
    let is_loaded = psql.status()?;
    let is_dumped = dump.wait()?;
    if is_made.success() && is_loaded.success() && is_dumped.success() {
        return Ok(());
    }
    Err(failed(format!("a dump: {is_made}, {is_dumped}, {is_loaded}")))
}
