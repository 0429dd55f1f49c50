//! Options of `daybook log`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use daybook_domain::PlatformId;

use super::{Anchors, Database, OneShard, ShardOption, parse_duration};

/// Commands of `daybook log`. They open no box.
#[derive(Debug, Subcommand)]
pub enum Log {
    /// Show events, one per line.
    Tail(Tail),
    /// Count the events of the log and their bytes.
    Stats {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Shards to use.
        #[command(flatten)]
        of: ShardOption,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Write the whole log as a bundle of files.
    Export {
        /// Folder to write to; an interrupted export in it is completed.
        #[arg(short, long)]
        output: PathBuf,
        /// Start again, and replace an existing bundle.
        #[arg(long)]
        force: bool,
        /// Minimum number of events in a segment.
        #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..=500_000))]
        segment_events: u64,
        /// Shard to use.
        #[command(flatten)]
        of: OneShard,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Load a bundle into an empty log, after the whole bundle is verified with the trusted keys.
    Import {
        /// Folder of the bundle.
        #[arg(short, long)]
        input: PathBuf,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Keys and anchors that are trusted.
        #[command(flatten)]
        trusted: Trusted,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Verify the log; exit code 1 if something is wrong, 2 if not everything was checked.
    Verify {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// First position; above 1 only a part of the log is checked.
        #[arg(long, default_value_t = 1)]
        from: u64,
        /// Also fold the log again and compare every table with it, like `reconcile replay`.
        #[arg(long)]
        tables: bool,
        /// Do not check the contents of boxes.
        #[arg(long)]
        no_boxes: bool,
        /// Maximum time for which events may be recorded after the newest checkpoint; several times the
        /// `--checkpoint-every` of the service.
        #[arg(long, default_value = "15m", value_parser = parse_duration)]
        checkpoint_within: Duration,
        /// Shards to use.
        #[command(flatten)]
        of: ShardOption,
        /// Keys and anchors that are trusted.
        #[command(flatten)]
        trusted: Trusted,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
}

/// Keys and anchors that a verification trusts.
#[derive(Clone, Debug, Args)]
pub struct Trusted {
    /// File with trusted public keys, one per line; by default the public key of the signing key. May be given several
    /// times.
    #[arg(long = "key")]
    pub keys: Vec<PathBuf>,
    /// Accept unsigned commits before the first signed one.
    #[arg(long)]
    pub unsigned: bool,
    /// Anchors of checkpoints.
    #[command(flatten)]
    pub anchors: Anchors,
}

/// Options of `log tail`.
#[derive(Clone, Debug, Args)]
pub struct Tail {
    /// Position after which to begin; by default the last ten events are shown.
    #[arg(long)]
    pub after: Option<u64>,
    /// Continue with events that are recorded from now on.
    #[arg(long, short)]
    pub follow: bool,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
    /// Show only this stream, by the id of its aggregate.
    #[arg(long, value_parser = parse_stream)]
    pub stream: Option<u128>,
    /// Show only this platform, by its id.
    #[arg(long)]
    pub platform: Option<PlatformId>,
    /// Maximum number of events.
    #[arg(long)]
    pub limit: Option<u64>,
    /// Shard to use.
    #[command(flatten)]
    pub of: OneShard,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
}

/// Parses the id of any aggregate. All have the same text form.
fn parse_stream(text: &str) -> Result<u128, String> {
    text.parse().map(PlatformId::as_u128).map_err(|error: daybook_domain::id::IdError| error.to_string())
}
