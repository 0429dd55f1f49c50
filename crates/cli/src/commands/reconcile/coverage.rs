//! Coverage: what verifies each table of the database that is no read model, and what no log can tell about it.
//!
//! Read models are all folded anew and compared. A test lists the tables of a database and fails if one is not here.

/// A table beside the read models.
pub struct Table {
    /// Its name, with its schema if that is not `public`.
    pub name: &'static str,
    /// What is checked about it here.
    pub checks: &'static [Check],
    /// What else verifies it.
    pub elsewhere: Option<&'static str>,
    /// What of it cannot be derived from the log, and so is verified by nothing.
    pub underivable: Option<&'static str>,
}

/// A statement that finds rows which contradict the log, or are missing.
pub struct Check {
    /// What holds if it finds none.
    pub says: &'static str,
    /// The statement; its only parameter is the shard.
    pub sql: &'static str,
    /// Whether a row that it finds is a difference; else it can be what a refused or broken-off call left, and is a
    /// remark.
    pub is_strict: bool,
}

const LOG_VERIFY: Option<&str> = Some("daybook log verify");

/// Every table of a migrated database that is no read model.
pub const TABLES: [Table; 26] = [
    Table { elsewhere: LOG_VERIFY, ..table("event", &[]) },
    Table { elsewhere: LOG_VERIFY, ..table("commit", &[]) },
    Table { elsewhere: LOG_VERIFY, ..table("tile", &[]) },
    Table { elsewhere: LOG_VERIFY, ..table("last_tree", &[]) },
    Table { elsewhere: LOG_VERIFY, ..table("last_part", &[]) },
    Table {
        elsewhere: LOG_VERIFY,
        underivable: Some("made_at; checkpoints that were deleted, which anchors still have"),
        ..table("checkpoint", &[])
    },
    Table {
        elsewhere: Some("every start compares the keys of the first and the newest commit with it"),
        underivable: Some("since; keys that were deleted"),
        ..table("signing_key", &[])
    },
    Table {
        underivable: Some("log_id, which tells one log from another"),
        ..table("shard", &[strict("the shard of the log, and no other", include_str!("sql/shard.sql"))])
    },
    Table {
        elsewhere: LOG_VERIFY,
        ..table("cursor", &[strict("it stands where a commit ends", include_str!("sql/cursor.sql"))])
    },
    table("duty", &[strict("those that are done by one at a time", include_str!("sql/duty.sql"))]),
    Table {
        elsewhere: Some("the tables of each version exist, and no others; one version is read"),
        underivable: Some("stage, fold and comparison of versions that are not read"),
        ..table("projection", &[])
    },
    Table {
        underivable: Some("which processes read, and since when"),
        ..table("reader", &[strict("no change that there never was", include_str!("sql/reader.sql"))])
    },
    Table {
        underivable: Some("client_id, short_id, secret_hash, created_at"),
        ..table(
            "platform",
            &[strict(
                "the platforms of the log, their own users and reserves",
                include_str!("sql/platform.sql"),
            )],
        )
    },
    Table {
        underivable: Some("hashes, created_at, good_until, revoked_at"),
        ..table(
            "client_secret",
            &[strict("secrets of platforms, the first of each", include_str!("sql/client_secret.sql"))],
        )
    },
    Table {
        underivable: Some("name, secret_hash, created_at, revoked_at; operators who did nothing yet"),
        ..table("operator", &[strict("everybody who did an operation", include_str!("sql/operator.sql"))])
    },
    Table {
        underivable: Some("what waits and since when: what receivers took, no log can tell"),
        ..table("webhook_lane", &[strict("records of the log", include_str!("sql/webhook_lane.sql"))])
    },
    Table {
        underivable: Some("who is behind: what receivers took, no log can tell"),
        ..table(
            "webhook_backlog",
            &[strict("subscriptions and positions of the log", include_str!("sql/webhook_backlog.sql"))],
        )
    },
    Table {
        underivable: Some("what receivers answered; attempts that were deleted"),
        ..table("webhook_attempt", &[strict("events of the log", include_str!("sql/webhook_attempt.sql"))])
    },
    Table {
        underivable: Some("the key and the fingerprint; keys that were deleted"),
        ..table(
            "idempotency",
            &[strict("used by a commit, for what the log has", include_str!("sql/idempotency.sql"))],
        )
    },
    Table {
        underivable: Some("key_hash, scopes, expires_at, secret_no; keys that were deleted"),
        ..table("oauth_key", &[strict("users of the log", include_str!("sql/oauth_key.sql"))])
    },
    Table {
        underivable: Some("generation and uses; rows that were deleted"),
        ..table("refresh", &[strict("users of the log", include_str!("sql/refresh.sql"))])
    },
    Table {
        underivable: Some("the fingerprints; rows that were deleted"),
        ..table("fingerprint", &[strict("users of the log", include_str!("sql/fingerprint.sql"))])
    },
    Table {
        underivable: Some("whether a key opens its person's boxes: that takes the master key"),
        ..table(
            "vault.subject_key",
            &[
                strict(
                    "every user of the log has its keys but for the erased",
                    include_str!("sql/subject_key.sql"),
                ),
                strict("nobody who was erased", include_str!("sql/subject_key_of_erased.sql")),
                Check {
                    is_strict: false,
                    ..strict("nobody else", include_str!("sql/subject_key_of_nobody.sql"))
                },
            ],
        )
    },
    Table {
        underivable: Some("the tokens: they take the master key and the boxes; rows that were deleted"),
        ..table(
            "vault.blind_index",
            &[
                strict("nobody who was erased", include_str!("sql/blind_index_of_erased.sql")),
                Check { is_strict: false, ..strict("users of the log", include_str!("sql/blind_index.sql")) },
            ],
        )
    },
    Table {
        elsewhere: Some("every start opens the keys in it"),
        underivable: Some("all of it"),
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
    Check { says, sql, is_strict: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_said_of_each_table_and_each_check_is_about_its_own() {
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
