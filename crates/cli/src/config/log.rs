//! Options of `daybook log`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use daybook_domain::PlatformId;

use super::{Anchors, Database, parse_duration};

/// Looking at the log itself. No box is opened.
#[derive(Debug, Subcommand)]
pub enum Log {
    /// Show events, one a line.
    Tail(Tail),
    /// Count what is in the log.
    Stats {
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// Write the whole log as a bundle of files.
    Export {
        /// Folder to write to; one in which an export was interrupted is completed.
        #[arg(short, long)]
        output: PathBuf,
        /// Begin anew, and replace a bundle that is there.
        #[arg(long)]
        force: bool,
        /// How many events a segment has at least.
        #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..=500_000))]
        segment_events: u64,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// Load a bundle into an empty log, once all of it is verified with the keys that are trusted.
    Import {
        /// Folder of the bundle.
        #[arg(short, long)]
        input: PathBuf,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// What is trusted beside the bundle.
        #[command(flatten)]
        trusted: Trusted,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// Check everything that the log says about itself; exit code 1 if something is wrong, 2 if not all was checked.
    Verify {
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// The first position; above 1 only a part is checked.
        #[arg(long, default_value_t = 1)]
        from: u64,
        /// Then fold the log anew and compare every table with it, as `reconcile replay` does.
        #[arg(long)]
        tables: bool,
        /// Leave the boxes alone.
        #[arg(long)]
        no_boxes: bool,
        /// The longest time that the log may go on behind its newest checkpoint: several times what the service has as
        /// `--checkpoint-every`.
        #[arg(long, default_value = "15m", value_parser = parse_duration)]
        checkpoint_within: Duration,
        /// What is trusted beside the database.
        #[command(flatten)]
        trusted: Trusted,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
}

/// What whoever verifies trusts.
#[derive(Clone, Debug, Args)]
pub struct Trusted {
    /// File with the public keys that may have signed, one on each line; by default that of the signing key. May be given
    /// several times.
    #[arg(long = "key")]
    pub keys: Vec<PathBuf>,
    /// Accept commits that nobody signed, up to the first one that is signed.
    #[arg(long)]
    pub unsigned: bool,
    /// Where checkpoints were kept.
    #[command(flatten)]
    pub anchors: Anchors,
}

/// Options of `log tail`.
#[derive(Clone, Debug, Args)]
pub struct Tail {
    /// The position after which to begin; by default the last ten events are shown.
    #[arg(long)]
    pub after: Option<u64>,
    /// Go on with what is appended from now on.
    #[arg(long, short)]
    pub follow: bool,
    /// A JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// Only this stream's, by the id of its aggregate.
    #[arg(long, value_parser = parse_stream)]
    pub stream: Option<u128>,
    /// Only this platform's, by its id.
    #[arg(long)]
    pub platform: Option<PlatformId>,
    /// At most so many.
    #[arg(long)]
    pub limit: Option<u64>,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

/// The id of any aggregate; all are written in one way.
fn parse_stream(text: &str) -> Result<u128, String> {
    text.parse().map(PlatformId::as_u128).map_err(|error: daybook_domain::id::IdError| error.to_string())
}
