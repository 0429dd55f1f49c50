//! Options of `daybook ops`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Bank, Database, FormatName};

/// Commands of `daybook ops`.
#[derive(Debug, Subcommand)]
pub enum Ops {
    /// List queued transactions, with the causes.
    Queued(OperatorOptions),
    /// List returned transactions, with the codes; D01 to D03 are Daybook's own.
    Returned(OperatorOptions),
    /// List operations.
    Operations {
        /// Only operations that wait for approval.
        #[arg(long)]
        waiting: bool,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Carry out an act, or request another operator's approval for it.
    Operate {
        /// Act as JSON, in the form that the API takes.
        act: String,
        /// Reason for the act.
        #[arg(long)]
        reason: String,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Approve another operator's operation, which is then carried out.
    Approve {
        /// Id of the operation.
        id: String,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Decline an operation.
    Decline {
        /// Id of the operation.
        id: String,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// List open items, with their age: amounts that no statement has explained yet.
    OpenItems(OperatorOptions),
    /// List breaks: lines of the bank's statements in suspense.
    Breaks(OperatorOptions),
    /// Show the matching rules, or set those of a file. Operators can try a file first.
    Rules {
        /// File with a whole rule set, in TOML.
        #[arg(requires = "set_or_try")]
        file: Option<PathBuf>,
        /// Reason for which the rules are set.
        #[arg(long, group = "set_or_try", requires = "file")]
        reason: Option<String>,
        /// Try the rules on the lines in suspense, and change nothing.
        #[arg(long, group = "set_or_try", requires = "file")]
        dry_run: bool,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// List the files for the bank, or print one.
    Files {
        /// Id of the file to print, in the form in which the bank gets it.
        id: Option<String>,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Set the number of the platform's account at the bank. Files for the bank name it, and files of the bank state it.
    BankAccount {
        /// Number of the account, or its IBAN: letters and digits.
        #[arg(long)]
        account_num: String,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Import a file of returns and notifications of change from the bank.
    Returns {
        /// File of returns.
        file: PathBuf,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Import a file with the bank's statements.
    Statement {
        /// File with the statements; or the files with the pages of them, which are read one behind another.
        #[arg(required = true, num_args = 1..=1000)]
        files: Vec<PathBuf>,
        /// Format of the file: auto, bai2, camt, mt940, csv for Daybook's own, or csv:MAPPING with a file in TOML that says
        /// how the columns of the bank's CSV are read.
        #[arg(long, default_value = "auto")]
        format: FormatName,
        /// Print the file as it is read, as JSON, and book nothing.
        #[arg(long)]
        preview: bool,
        /// Accept days that the bank states anew, for this reason: their lines are taken back, and those of the file are
        /// booked instead.
        #[arg(long, value_name = "REASON", conflicts_with = "preview")]
        restate: Option<String>,
        /// Statements about accounts that are not the platform's: refuse the file, or skip them.
        #[arg(long, value_enum, default_value_t)]
        other_accounts: Others,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
}

/// Treatment of statements about other accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Others {
    /// The file is refused.
    #[default]
    Refuse,
    /// The statements are left out, and their accounts are named.
    Skip,
}

/// Operator, platform and database. The operator's secret is read from `DAYBOOK_OPERATOR_SECRET` only, because options
/// are visible to every user of the machine.
#[derive(Clone, Debug, Args)]
pub struct OperatorOptions {
    /// Platform, by its client id or its own id.
    #[arg(long)]
    pub platform: String,
    /// Operator, by the public half of the credentials: `operator_id_…`.
    #[arg(long)]
    pub operator: String,
    /// Print the result as JSON, one record per line; `ops` always does so if the output is not a terminal.
    #[arg(long)]
    pub json: bool,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
    /// Bank, with the same options as for `serve`.
    #[command(flatten)]
    pub bank: Bank,
}
