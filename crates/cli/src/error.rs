//! Errors of commands, and the exit codes of the process.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::ExitCode;

use daybook_log::postgres::NotRegistered;
use daybook_projector::RebuildError;
use daybook_vault::Error as KeyFile;

use crate::stop;

/// Exit code if the reader of standard output is gone; shells report SIGPIPE by this code.
const BROKEN_PIPE_EXIT_CODE: u8 = 141;

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database is unavailable or reported an error.
    #[error(transparent)]
    Pg(#[from] daybook_pg::Error),
    /// The log is unavailable or corrupt.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The read models are unavailable or behind.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// A version of a read model was not built, not switched to, or not dropped.
    #[error(transparent)]
    Rebuild(RebuildError),
    /// A key may not sign this log.
    #[error(transparent)]
    SigningKey(#[from] NotRegistered),
    /// The vault is unavailable, or a key file is not valid.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// The access tables are unavailable.
    #[error(transparent)]
    Access(#[from] daybook_engine::access::AccessError),
    /// The address is in use, or does not belong to this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason that the operating system gives.
        source: std::io::Error,
    },
    /// The options are not valid.
    #[error("{0}")]
    Usage(String),
    /// The process was told to stop before the command was done.
    #[error("stopped before it was done")]
    Stopped,
    /// Publicly known credentials are valid in the database.
    #[error(
        "the database has the publicly known credentials of daybook dev: {0}; use another database, revoke them, or give \
         --allow-dev-credentials"
    )]
    DevCredentials(String),
    /// The credentials of the operator are wrong or revoked.
    #[error("the operator's id or DAYBOOK_OPERATOR_SECRET is wrong or missing")]
    Credentials,
    /// The roles of the operator do not have a right.
    #[error(
        "the roles of the operator do not allow this: it needs the right to {0}; see daybook operator roles"
    )]
    Role(&'static str),
    /// An operation was not carried out.
    #[error(transparent)]
    Ops(#[from] daybook_engine::ops::OpsError),
    /// A redelivery to a subscription could not be scheduled.
    #[error(transparent)]
    Webhook(#[from] daybook_engine::webhook::WebhookError),
    /// A platform could not be created, or a user could not be erased.
    #[error(transparent)]
    Stores(#[from] daybook_engine::StoresError),
    /// A file for a bank cannot be rendered.
    #[error(transparent)]
    Delivery(#[from] daybook_engine::DeliveryError),
    /// An anchor cannot be read.
    #[error(transparent)]
    Anchor(#[from] crate::anchor::AnchorError),
    /// Both sides of the ledger, or the compared tables, differ.
    #[error("{0}")]
    Unbalanced(&'static str),
    /// Another process is doing the same.
    #[error("{0}")]
    Busy(&'static str),
    /// A bundle is damaged, or cannot be written or loaded.
    #[error(transparent)]
    Bundle(#[from] crate::bundle::Error),
    /// A verification has findings.
    #[error("the log is not correct: {0} findings")]
    Findings(u64),
    /// The database was replaced by another one after a failover that lost commits.
    #[error(
        "the log is not the one that this process knew: the commit that ended at position {position} is gone. \
         A restart discards everything that this process has cached"
    )]
    Replaced {
        /// The position at which the commit ended.
        position: u64,
    },
    /// Data of an erased user remains.
    #[error("{0} items remain that must not exist")]
    Remains(u64),
    /// A verification is incomplete.
    #[error("not everything was verified: {0}")]
    Unverified(String),
    /// A reconciliation with the bank could not be done.
    #[error("the reconciliation could not be done: {0}")]
    NotReconciled(String),
    /// A program that the command ran ended with an error, which it has reported itself.
    #[error("{name} ended with code {code}")]
    Program {
        /// Name of the program.
        name: &'static str,
        /// Exit code of the program.
        code: u8,
    },
    /// The record does not exist.
    #[error("{0}")]
    Absent(String),
    /// The operating system reported an error.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Returns true if the reader of standard output is gone. This error is not reported.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == ErrorKind::BrokenPipe)
    }

    /// Exit code: 2 if the command line, or a file that it names, is not valid; 3 if the database is unavailable; 130
    /// after a stop and 141 after a broken pipe, like the signals' codes; otherwise 1.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Stopped => ExitCode::from(stop::INTERRUPTED_EXIT_CODE),
            Self::Program { code, .. } => ExitCode::from(*code),
            Self::Io(_) if self.is_unread() => ExitCode::from(BROKEN_PIPE_EXIT_CODE),
            Self::Vault(KeyFile::MasterKeyFile { .. } | KeyFile::MasterKeyLength { .. })
            | Self::Pg(daybook_pg::Error::Config(_)) => ExitCode::from(2),
            Self::Usage(_) | Self::Anchor(_) | Self::Unverified(_) | Self::NotReconciled(_) => {
                ExitCode::from(2)
            }
            Self::SigningKey(NotRegistered::Log(_)) => ExitCode::from(3),
            Self::SigningKey(_) => ExitCode::from(2),
            // Corrupt data is not an outage: a retry does not help.
            Self::Reads(error) if !error.is_outage() => ExitCode::FAILURE,
            Self::Log(error) if !error.is_outage() => ExitCode::FAILURE,
            Self::Pg(_)
            | Self::Log(_)
            | Self::Reads(_)
            | Self::Vault(_)
            | Self::Access(_)
            | Self::Webhook(_)
            | Self::Replaced { .. }
            | Self::Busy(_) => ExitCode::from(3),
            Self::Stores(_)
            | Self::Credentials
            | Self::Role(_)
            | Self::DevCredentials(_)
            | Self::Rebuild(_)
            | Self::Ops(_)
            | Self::Delivery(_)
            | Self::Unbalanced(_)
            | Self::Bundle(_)
            | Self::Findings(_)
            | Self::Remains(_)
            | Self::Absent(_)
            | Self::Listen { .. }
            | Self::Io(_) => ExitCode::FAILURE,
        }
    }
}

impl From<RebuildError> for Error {
    fn from(error: RebuildError) -> Self {
        match error {
            RebuildError::Failed(error) => Self::Reads(error),
            refused @ (RebuildError::NotChosen(_) | RebuildError::NotDropped(_)) => Self::Rebuild(refused),
        }
    }
}
