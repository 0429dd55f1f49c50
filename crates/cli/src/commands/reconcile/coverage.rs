//! Coverage of a reconciliation: the checks of each table that is not a read model, and the columns that cannot be
//! derived from the log.
//!
//! Read models are all folded again and compared. A test lists the tables of a database and fails if one is missing
//! here.

/// A table that is not a read model.
pub struct Table {
    /// Name of the table, with its schema if that is not `public`.
    pub name: &'static str,
    /// Checks of the table.
    pub checks: &'static [Check],
    /// Another verification of the table.
    pub elsewhere: Option<&'static str>,
    /// Columns or rows that cannot be derived from the log. Nothing verifies them.
    pub underivable: Option<&'static str>,
}

/// A statement that finds missing rows, or rows that contradict the log.
pub struct Check {
    /// Property that holds if the statement finds no rows.
    pub says: &'static str,
    /// SQL statement. Its first parameter is the shard.
    pub sql: &'static str,
    /// True if each row found is a difference. Otherwise a row may be a leftover of a refused or interrupted call, and
    /// is reported as a remark.
    pub is_strict: bool,
    /// Tables that the statement reads.
    pub reads: Tables,
}

/// Tables that a check reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Tables of the shard, on its server.
    OfShard,
    /// Tables that are not of one shard, at home.
    AtHome,
    /// Tables of both kinds, which may be on two servers. The statement runs on the server of the shard; its second
    /// parameter is a JSON array of the rows that this statement finds at home.
    OfBoth(&'static str),
}

const LOG_VERIFY: Option<&str> = Some("daybook log verify");

/// All tables of a migrated database that are not read models.
pub const TABLES: [Table; 27] = [
    Table { elsewhere: LOG_VERIFY, ..table("event", &[]) },
    Table { elsewhere: LOG_VERIFY, ..table("commit", &[]) },
    Table { elsewhere: LOG_VERIFY, ..table("tile", &[]) },
    Table { elsewhere: LOG_VERIFY, ..table("last_tree", &[]) },
    Table { elsewhere: LOG_VERIFY, ..table("last_part", &[]) },
    Table {
        elsewhere: LOG_VERIFY,
        underivable: Some("made_at; deleted checkpoints, which anchors still have"),
        ..table("checkpoint", &[])
    },
    Table {
        elsewhere: Some("every start compares the keys of the first and the newest commit with it"),
        underivable: Some("since; deleted keys"),
        ..table("signing_key", &[])
    },
    Table {
        elsewhere: Some("every command finds platforms whose shard is not there"),
        underivable: Some("log_id, which identifies the log"),
        ..table(
            "shard",
            &[strict(
                "contains the shard and every other one that a cursor names",
                include_str!("sql/shard.sql"),
            )],
        )
    },
    Table {
        elsewhere: Some("daybook shard check finds states of shards that are not there"),
        underivable: Some("is_open, which an operator chooses"),
        ..table("shard_state", &[])
    },
    Table {
        elsewhere: LOG_VERIFY,
        ..table(
            "cursor",
            &[strict(
                "every cursor is known and stands at the end of a commit",
                include_str!("sql/cursor.sql"),
            )],
        )
    },
    table("duty", &[strict("contains exactly the singleton processes", include_str!("sql/duty.sql"))]),
    Table {
        elsewhere: Some("exactly the tables of the versions exist; one version of each read model is active"),
        underivable: Some("stage, fold and comparison of versions that are not read"),
        ..table("projection", &[])
    },
    Table {
        underivable: Some("the processes that read, and the time since which they read"),
        ..table(
            "reader",
            &[strict(
                "no process is at a later change of versions than the newest",
                include_str!("sql/reader.sql"),
            )],
        )
    },
    Table {
        underivable: Some("client_id, short_id, secret_hash, created_at"),
        ..table(
            "platform",
            &[Check {
                reads: Tables::OfBoth(include_str!("sql/platform_at_home.sql")),
                ..strict(
                    "contains exactly the platforms of the log, with their own users and reserves",
                    include_str!("sql/platform.sql"),
                )
            }],
        )
    },
    Table {
        underivable: Some("hashes, created_at, good_until, revoked_at"),
        ..table(
            "client_secret",
            &[Check {
                reads: Tables::AtHome,
                ..strict(
                    "every secret belongs to a platform, and every platform has a first secret",
                    include_str!("sql/client_secret.sql"),
                )
            }],
        )
    },
    Table {
        underivable: Some("name, secret_hash, created_at, revoked_at; operators without an operation"),
        ..table(
            "operator",
            &[Check {
                reads: Tables::OfBoth(include_str!("sql/operator_at_home.sql")),
                ..strict(
                    "contains every operator who performed an operation",
                    include_str!("sql/operator.sql"),
                )
            }],
        )
    },
    Table {
        underivable: Some("pending events and their due times: the log does not record deliveries"),
        ..table(
            "webhook_lane",
            &[strict(
                "every row names a subscription and a record of the log",
                include_str!("sql/webhook_lane.sql"),
            )],
        )
    },
    Table {
        underivable: Some("which subscriptions are behind: the log does not record deliveries"),
        ..table(
            "webhook_backlog",
            &[strict(
                "every row names a subscription and a position of the log",
                include_str!("sql/webhook_backlog.sql"),
            )],
        )
    },
    Table {
        underivable: Some("answers of receivers; deleted attempts"),
        ..table(
            "webhook_attempt",
            &[strict(
                "every row names a subscription and an event of the log",
                include_str!("sql/webhook_attempt.sql"),
            )],
        )
    },
    Table {
        underivable: Some("the key and the fingerprint; deleted keys"),
        ..table(
            "idempotency",
            &[strict(
                "every key was used by a commit, for an object of the log",
                include_str!("sql/idempotency.sql"),
            )],
        )
    },
    Table {
        underivable: Some("key_hash, scopes, expires_at, secret_no; deleted keys"),
        ..table(
            "oauth_key",
            &[strict("every row belongs to a user of the log", include_str!("sql/oauth_key.sql"))],
        )
    },
    Table {
        underivable: Some("generation and uses; deleted rows"),
        ..table(
            "refresh",
            &[strict("every row belongs to a user of the log", include_str!("sql/refresh.sql"))],
        )
    },
    Table {
        underivable: Some("the fingerprints; deleted rows"),
        ..table(
            "fingerprint",
            &[strict("every row belongs to a user of the log", include_str!("sql/fingerprint.sql"))],
        )
    },
    Table {
        underivable: Some("that a key opens its subject's boxes: this takes the master key"),
        ..table(
            "vault.subject_key",
            &[
                strict(
                    "every user of the log has a key of each class, except erased users",
                    include_str!("sql/subject_key.sql"),
                ),
                strict("no erased user has a key", include_str!("sql/subject_key_of_erased.sql")),
                Check {
                    is_strict: false,
                    ..strict(
                        "every key belongs to a user of the log",
                        include_str!("sql/subject_key_of_nobody.sql"),
                    )
                },
            ],
        )
    },
    Table {
        underivable: Some("the tokens: computing them takes the master key and the boxes; deleted rows"),
        ..table(
            "vault.blind_index",
            &[
                strict("no erased user has a row", include_str!("sql/blind_index_of_erased.sql")),
                Check {
                    is_strict: false,
                    ..strict("every row belongs to a user of the log", include_str!("sql/blind_index.sql"))
                },
            ],
        )
    },
    Table {
        elsewhere: Some("every start opens the keys in it"),
        underivable: Some("all columns"),
        ..table("vault.derived_key", &[])
    },
    Table {
        elsewhere: Some("every start compares it with the migrations in the binary"),
        ..table("refinery_schema_history", &[])
    },
];

const fn table(name: &'static str, checks: &'static [Check]) -> Table {
    Table { name, checks, elsewhere: None, underivable: None }
}

const fn strict(says: &'static str, sql: &'static str) -> Check {
    Check { says, sql, is_strict: true, reads: Tables::OfShard }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_its_own_checks() {
        for table in &TABLES {
            assert!(!table.checks.is_empty() || table.elsewhere.is_some(), "{}", table.name);
            for check in table.checks {
                assert!(check.sql.starts_with("-- reconcile/"), "{}", table.name);
                assert!(check.sql.contains(table.name), "{}", table.name);
                assert!(check.sql.contains("$1"), "{}", table.name);
            }
        }
    }
}
