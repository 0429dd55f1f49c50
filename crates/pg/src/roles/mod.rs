//! Database roles: a process takes only the rights that its work needs, connection by connection.
//!
//! Roles are defence in depth: correctness does not depend on them. If the login may not create roles, the process
//! works without them and logs a warning. Roles belong to the cluster, and rights belong to each database. [`set_up`]
//! creates both at the end of every migration, also for tables that were created meanwhile.

mod model;
mod open;
mod rights;
mod set_up;
mod standing;

use std::fmt;

pub use model::share_model;
pub(crate) use set_up::set_up;
pub(crate) use standing::Standing;

/// Role whose rights a connection has, instead of those of its login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Owns every table: migrates, creates and drops read models, imports a log, rewraps keys.
    Owner,
    /// Serves requests: appends to the log, and stores credentials of callers.
    App,
    /// Fills read models.
    Projector,
    /// Reads everything except secrets.
    Auditor,
    /// Destroys the data of erased persons, and can do nothing else.
    Eraser,
}

impl Role {
    /// All roles, in the order in which they are created and granted.
    pub const ALL: [Self; 5] = [Self::Owner, Self::App, Self::Projector, Self::Auditor, Self::Eraser];

    /// Returns the name of the role in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Owner => "daybook_owner",
            Self::App => "daybook_app",
            Self::Projector => "daybook_projector",
            Self::Auditor => "daybook_auditor",
            Self::Eraser => "daybook_eraser",
        }
    }

    /// Returns the name without the prefix that all roles have.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        self.name().trim_start_matches("daybook_")
    }

    /// Maximum number of connections of one process with these rights. The roles that serve have 18 together.
    pub(crate) const fn pool_size(self) -> usize {
        match self {
            Self::App => 12,
            Self::Owner | Self::Projector | Self::Auditor => 4,
            Self::Eraser => 2,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns all names, as parameters of statements.
fn names() -> [&'static str; 5] {
    Role::ALL.map(Role::name)
}
