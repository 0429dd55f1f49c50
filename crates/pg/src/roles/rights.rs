//! Rights of each role to each table. All other rights are revoked. The owner of a table has every right to it, limited
//! by triggers.
//!
//! Read models are not named: they are created and dropped at run time, and all have the same rights.

use super::Role::{self, App, Auditor, Eraser, Projector};
use Verb::{Delete, Insert, Select, SelectOf, Update, UpdateOf};

/// A right to a table, or to some of its columns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verb {
    /// Read all columns.
    Select,
    /// Read these columns.
    SelectOf(&'static [&'static str]),
    /// Add rows.
    Insert,
    /// Change rows, or lock one, which needs the right to change at least one column.
    Update,
    /// Change these columns.
    UpdateOf(&'static [&'static str]),
    /// Delete rows.
    Delete,
}

impl Verb {
    /// Returns the verb of GRANT, and the columns that it is limited to.
    pub(super) const fn parts(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Select => ("SELECT", &[]),
            SelectOf(columns) => ("SELECT", columns),
            Insert => ("INSERT", &[]),
            Update => ("UPDATE", &[]),
            UpdateOf(columns) => ("UPDATE", columns),
            Delete => ("DELETE", &[]),
        }
    }
}

/// Rights of roles to a table.
type Rights = &'static [(Role, &'static [Verb])];

/// Rights to every read model.
pub(super) const MODEL: Rights =
    &[(App, READ), (Projector, &[Select, Insert, Update, Delete]), (Auditor, READ)];

/// Tables of the migrations with their schema, and the rights to each.
pub(super) const RIGHTS: &[(&str, Rights)] = &[
    // Every append locks the row, which needs the right to change it. A trigger refuses a change.
    ("public.shard", &[(App, &[Select, UpdateOf(&["shard"])]), (Projector, READ), (Auditor, READ)]),
    ("public.shard_state", &[(App, READ), (Auditor, READ)]),
    ("public.event", &[(App, ADD), (Projector, READ), (Auditor, READ)]),
    // A commit that was made before proofs existed gets these columns once. A trigger enforces that.
    (
        "public.commit",
        &[
            (App, &[Select, Insert, UpdateOf(&["root", "signature", "frontier"])]),
            (Projector, READ),
            (Auditor, READ),
        ],
    ),
    ("public.tile", &[(App, &[Select, Insert, UpdateOf(&["hashes"])]), (Auditor, READ)]),
    // These are derived from the log by a cursor, as read models are.
    (
        "public.last_tree",
        &[(App, READ), (Projector, &[Select, Insert, UpdateOf(&["attested"]), Delete]), (Auditor, READ)],
    ),
    ("public.last_part", &[(App, READ), (Projector, &[Select, Insert, Delete]), (Auditor, READ)]),
    (
        "public.webhook_lane",
        &[
            (Projector, &[Select, Insert, UpdateOf(&["version", "last", "attempts", "due_at"]), Delete]),
            (Auditor, READ),
        ],
    ),
    (
        "public.webhook_backlog",
        &[(Projector, &[Select, Insert, UpdateOf(&["position"]), Delete]), (Auditor, READ)],
    ),
    ("public.webhook_attempt", &[(App, &[Select, Insert, Delete]), (Auditor, READ)]),
    ("public.checkpoint", &[(App, ADD), (Auditor, READ)]),
    ("public.signing_key", &[(App, ADD), (Auditor, READ)]),
    (
        "public.idempotency",
        &[
            (App, &[Select, Insert, UpdateOf(&["recorded_at", "fingerprint", "object"]), Delete]),
            (Auditor, READ),
        ],
    ),
    (
        "public.cursor",
        &[
            (App, READ),
            (Projector, &[Select, Insert, UpdateOf(&["position", "commit_no", "at"]), Delete]),
            (Auditor, READ),
        ],
    ),
    ("public.duty", &[(Projector, &[Select, UpdateOf(&["process"])]), (Auditor, READ)]),
    ("public.projection", &[(App, READ), (Projector, &[Select, Insert, Update]), (Auditor, READ)]),
    ("public.reader", &[(Projector, &[Select, Insert, Update, Delete]), (Auditor, READ)]),
    ("public.platform", &[(App, ADD), (Auditor, &[SelectOf(PLATFORM)])]),
    (
        "public.client_secret",
        &[
            (App, &[Select, Insert, UpdateOf(&["good_until", "revoked_at"])]),
            (Auditor, &[SelectOf(&["platform", "secret_no", "created_at", "good_until", "revoked_at"])]),
        ],
    ),
    (
        "public.operator",
        &[
            (App, &[Select, Insert, UpdateOf(&["revoked_at"])]),
            (Auditor, &[SelectOf(&["operator", "name", "created_at", "revoked_at"])]),
        ],
    ),
    (
        "public.oauth_key",
        &[
            (App, &[Select, Insert, Delete]),
            (Auditor, &[SelectOf(&["shard", "user_id", "scopes", "expires_at"])]),
            (Eraser, DELETE_OF_USER),
        ],
    ),
    (
        "public.refresh",
        &[
            (App, &[Select, Insert, UpdateOf(&["generation", "uses", "pin_guesses", "pin_since"])]),
            (Auditor, READ),
            (Eraser, DELETE_OF_USER),
        ],
    ),
    (
        "public.fingerprint",
        &[(App, ADD), (Auditor, &[SelectOf(&["shard", "user_id", "created_at"])]), (Eraser, DELETE_OF_USER)],
    ),
    ("public.refinery_schema_history", &[(App, READ), (Projector, READ), (Auditor, READ), (Eraser, READ)]),
    // A process that adds to the blind index locks a key meanwhile, so that it is not destroyed. The lock needs the
    // right to change a column.
    (
        "vault.subject_key",
        &[
            (App, &[Select, Insert, UpdateOf(&["created_at"])]),
            (Auditor, &[SelectOf(&["shard", "subject", "class", "created_at"])]),
            (Eraser, DELETE_OF_SUBJECT),
        ],
    ),
    (
        "vault.blind_index",
        &[
            (App, &[Select, Insert, Delete]),
            (Auditor, &[SelectOf(&["shard", "subject"])]),
            (Eraser, DELETE_OF_SUBJECT),
        ],
    ),
    ("vault.derived_key", &[(App, ADD)]),
];

const READ: &[Verb] = &[Select];
const ADD: &[Verb] = &[Select, Insert];
/// The columns are read to find the row before it is deleted. No other column is read.
const DELETE_OF_USER: &[Verb] = &[SelectOf(&["shard", "user_id"]), Delete];
const DELETE_OF_SUBJECT: &[Verb] = &[SelectOf(&["shard", "subject"]), Delete];
/// All columns but the hash of the secret.
const PLATFORM: &[&str] =
    &["platform", "shard", "short_id", "name", "client_id", "sandbox", "user_id", "reserve_id", "created_at"];

/// The schemas, and the roles that may use them.
pub(super) const SCHEMAS: [(&str, &[Role]); 2] =
    [("public", &[Role::Owner, App, Projector, Auditor, Eraser]), ("vault", &[App, Auditor, Eraser])];

/// All rights column by column, as parameters of statements: role, table, verb, column. The column is empty if the
/// right is to all of them.
#[derive(Default)]
pub(super) struct Expected {
    pub(super) roles: Vec<&'static str>,
    pub(super) tables: Vec<&'static str>,
    pub(super) verbs: Vec<&'static str>,
    pub(super) columns: Vec<&'static str>,
}

impl Expected {
    pub(super) fn all() -> Self {
        let mut all = Self::default();
        for (table, rights) in RIGHTS {
            for (role, verbs) in *rights {
                for (verb, columns) in verbs.iter().map(|verb| verb.parts()) {
                    let columns = if columns.is_empty() { &[""] } else { columns };
                    for column in columns {
                        all.roles.push(role.name());
                        all.tables.push(table);
                        all.verbs.push(verb);
                        all.columns.push(column);
                    }
                }
            }
        }
        all
    }
}
