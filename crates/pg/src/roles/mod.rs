//! Roles: a process takes only the rights that its work needs, connection by connection.
//!
//! They are a second layer. Nothing is correct because of them: a database whose login may not make roles goes on
//! without, and says so. They belong to the cluster, the rights to each database; [`set_up`] gives both at the end of
//! every migration, to tables that were made meanwhile, too.

mod model;
mod open;
mod rights;
mod set_up;
mod standing;

use std::fmt;

pub use model::share_model;
pub(crate) use set_up::set_up;
pub(crate) use standing::Standing;

/// Whose rights a connection has, instead of those of its login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Owns every table: migrates, makes and drops read models, imports a log, wraps keys again.
    Owner,
    /// Serves: appends, and keeps what lets others call.
    App,
    /// Feeds read models.
    Projector,
    /// Reads all but what is secret.
    Auditor,
    /// Destroys what there is of persons who were erased, and can do nothing else.
    Eraser,
}

impl Role {
    /// All of them; whoever makes or grants them does so in this order.
    pub const ALL: [Self; 5] = [Self::Owner, Self::App, Self::Projector, Self::Auditor, Self::Eraser];

    /// What the database calls it.
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

    /// The same without what all of them begin with.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        self.name().trim_start_matches("daybook_")
    }

    /// The most connections that one process has with its rights: those who serve take 18 together.
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

/// All names, as statements take them.
fn names() -> [&'static str; 5] {
    Role::ALL.map(Role::name)
}
