//! Failures of commands, and the code with which the process ends.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::ExitCode;

use daybook_log::postgres::NotRegistered;
use daybook_projector::RebuildError;
use daybook_vault::Error as KeyFile;

use crate::stop;

/// The code of a command whose output nobody reads any more, as shells have it of SIGPIPE.
const UNREAD: u8 = 141;

/// A failure of a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database is not to be had.
    #[error(transparent)]
    Pg(#[from] daybook_pg::Error),
    /// The log is not to be had.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The read models are not to be had.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// A version of a read model is not made, not read or not dropped.
    #[error(transparent)]
    Rebuild(RebuildError),
    /// A key may not sign this log.
    #[error(transparent)]
    SigningKey(#[from] NotRegistered),
    /// The vault is not to be had.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// The access tables are not to be had.
    #[error(transparent)]
    Access(#[from] daybook_engine::access::AccessError),
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason that the operating system gives.
        source: std::io::Error,
    },
    /// The options contradict each other.
    #[error("{0}")]
    Usage(String),
    /// Somebody wanted the process to end before the command was done.
    #[error("stopped before it was done")]
    Stopped,
    /// Everybody knows credentials that open something.
    #[error(
        "the database has credentials of daybook dev, which everybody knows: {0}; serve another one, revoke them, or give \
         --allow-dev-credentials"
    )]
    DevCredentials(String),
    /// The operator's credentials are wrong, or were revoked.
    #[error("the operator's id or DAYBOOK_OPERATOR_SECRET is wrong or missing")]
    Credentials,
    /// An operation was not carried out.
    #[error(transparent)]
    Ops(#[from] daybook_engine::ops::OpsError),
    /// Calls to subscriptions could not be made again.
    #[error(transparent)]
    Webhook(#[from] daybook_engine::webhook::WebhookError),
    /// A platform could not be made, or a person could not be erased.
    #[error(transparent)]
    Stores(#[from] daybook_engine::StoresError),
    /// A file for a bank cannot be rendered.
    #[error(transparent)]
    Delivery(#[from] daybook_engine::DeliveryError),
    /// The ledger is not in balance.
    #[error("{0}")]
    Unbalanced(&'static str),
    /// The same is being done by somebody else.
    #[error("{0}")]
    Busy(&'static str),
    /// A bundle is damaged, or cannot be written or loaded.
    #[error(transparent)]
    Bundle(#[from] crate::bundle::Error),
    /// A verification found something.
    #[error("the log is not as it must be: {0} findings")]
    Findings(u64),
    /// The database took the place of another one, after a fail-over that lost commits.
    #[error(
        "the log is not the one that this process knew: the commit that ended at position {position} is gone. \
         Everything that this process remembers is forgotten by starting it again"
    )]
    Replaced {
        /// The position at which the commit ended.
        position: u64,
    },
    /// Something is left of an erased user.
    #[error("{0} things are left that should not be")]
    Remains(u64),
    /// A verification did not see everything.
    #[error("not everything was verified: {0}")]
    Unverified(String),
    /// A program that was run ended badly, and has said why.
    #[error("{name} ended with code {code}")]
    Program {
        /// Which.
        name: &'static str,
        /// Its code.
        code: u8,
    },
    /// There was no such record.
    #[error("{0}")]
    Absent(String),
    /// The operating system says no.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Whether nobody reads what the command says any more: nobody is told of that.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == ErrorKind::BrokenPipe)
    }

    /// 2: the command line is wrong, or a file that it names; 3: the database is not to be had; 130 and 141: as if the signal
    /// had ended the process; 1: anything else.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Stopped => ExitCode::from(stop::INTERRUPTED),
            Self::Program { code, .. } => ExitCode::from(*code),
            Self::Io(_) if self.is_unread() => ExitCode::from(UNREAD),
            Self::Vault(KeyFile::MasterKeyFile { .. } | KeyFile::MasterKeyLength { .. })
            | Self::Pg(daybook_pg::Error::Config(_)) => ExitCode::from(2),
            Self::Usage(_) | Self::Unverified(_) => ExitCode::from(2),
            Self::SigningKey(NotRegistered::Log(_)) => ExitCode::from(3),
            Self::SigningKey(_) => ExitCode::from(2),
            // What is wrong with the data is no outage, and does not pass by itself.
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
