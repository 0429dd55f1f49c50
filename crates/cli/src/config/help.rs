//! Texts of `--help`: the options that each command uses, and examples.
//!
//! Commands also accept options of keys and of the bank that they do not use, so that an operator can pass the same
//! options to every command. The help hides unused options.

use clap::{Command, CommandFactory, FromArgMatches};

use super::Cli;

/// Options of keys that seal personal data.
const MASTER: &[&str] = &["master_key", "other_master_key"];
/// Options of keys that sign the log.
const SIGNING: &[&str] = &["signing_key", "former_signing_key"];
/// Options of the bank.
const BANK: &[&str] =
    &["bank_folder", "bank_name", "bank_routing_num", "company_id", "bank_account_num", "cut_off"];
/// Commands, and the options that they accept but do not use.
const UNUSED_OPTIONS: &[(&str, &[&str])] = &[
    ("daybook client list", MASTER),
    ("daybook client list", SIGNING),
    ("daybook client revoke", MASTER),
    ("daybook client revoke", SIGNING),
    ("daybook client rotate", SIGNING),
    ("daybook ledger", MASTER),
    ("daybook ledger", SIGNING),
    ("daybook log tail", MASTER),
    ("daybook log tail", SIGNING),
    ("daybook log stats", MASTER),
    ("daybook log stats", SIGNING),
    ("daybook log export", MASTER),
    ("daybook log export", SIGNING),
    ("daybook migrate", MASTER),
    ("daybook migrate", SIGNING),
    ("daybook operator", SIGNING),
    ("daybook operator list", MASTER),
    ("daybook operator revoke", MASTER),
    ("daybook ops approve", BANK),
    ("daybook ops decline", BANK),
    ("daybook ops open-items", BANK),
    ("daybook ops operate", BANK),
    ("daybook ops operations", BANK),
    ("daybook ops queued", BANK),
    ("daybook ops returned", BANK),
    ("daybook projection", MASTER),
    ("daybook projection", SIGNING),
    ("daybook psql", MASTER),
    ("daybook psql", SIGNING),
    ("daybook psql", &["database_url"]),
    ("daybook reconcile", MASTER),
    ("daybook reconcile", SIGNING),
    ("daybook replay", MASTER),
    ("daybook replay", SIGNING),
    ("daybook shard check", MASTER),
    ("daybook shard check", SIGNING),
    ("daybook shard close", MASTER),
    ("daybook shard close", SIGNING),
    ("daybook shard list", MASTER),
    ("daybook shard list", SIGNING),
    ("daybook shard open", MASTER),
    ("daybook shard open", SIGNING),
    ("daybook subject erase", BANK),
    ("daybook subject export", BANK),
    ("daybook subject export", &["json"]),
    ("daybook subject hold", BANK),
    ("daybook subject retain", BANK),
    ("daybook subject verify-erased", SIGNING),
    ("daybook vault", SIGNING),
];

/// End of `daybook --help`.
pub(super) const ROOT: &str = "\
Examples:
  daybook                                        a sandbox at http://127.0.0.1:8080, with a database in .daybook
  daybook dev --listen 127.0.0.1:9090            the same on another port; daybook dev --help shows its options
  daybook ledger trial-balance                   the trial balance of that ledger, also while the sandbox runs
  daybook serve --database-url postgres://ledger_serve@db/ledger --master-key master.key

Options of the service and the database can also be set by environment variables DAYBOOK_…; docs/OPERATIONS.md lists
them, and the exit codes.";

/// End of `daybook dev --help`.
pub(super) const DEV: &str = "\
Examples:
  daybook dev                                    on http://127.0.0.1:8080, with a database in .daybook
  daybook dev --settle-after 3s --data-dir /tmp/ledger --listen 127.0.0.1:0
  daybook psql                                   opens psql on the database, also while the sandbox runs";

/// End of `daybook serve --help`.
pub(super) const SERVE: &str = "\
Examples:
  daybook migrate --database-url postgres://ledger_migrate@db/ledger
  daybook serve --database-url 'postgres://ledger_serve@db1,db2/ledger?sslmode=verify-full' --master-key master.key \\
    --listen 0.0.0.0:8443 --tls-certificate cert.pem --tls-key key.pem --anchor /mnt/elsewhere/anchor";

/// End of `daybook migrate --help`.
pub(super) const MIGRATE: &str = "\
Example:
  daybook migrate --database-url postgres://ledger_migrate@db/ledger";

/// End of `daybook psql --help`.
pub(super) const PSQL: &str = "\
Examples:
  daybook psql
  daybook psql -- -c 'select count(*) from event'";

/// End of `daybook client --help`.
pub(super) const CLIENT: &str = "\
Examples:
  daybook client create 'Acme' --sandbox --json
  daybook client rotate client_id_51dc9c87 --overlap 24h
  daybook client revoke client_id_51dc9c87 --secret 1";

/// End of `daybook shard --help`.
pub(super) const SHARD: &str = "\
Examples:
  daybook shard add --count 3
  daybook shard list
  daybook shard close 1";

/// End of `daybook operator --help`.
pub(super) const OPERATOR: &str = "\
Examples:
  daybook operator create --name 'Ada Lovelace'
  daybook operator list --json";

/// End of `daybook key --help`.
pub(super) const KEY: &str = "\
Examples:
  daybook key create --origin ledger.example/1 signing.key > signing.pub
  daybook key show signing.key";

/// End of `daybook ops --help`.
pub(super) const OPS: &str = "\
Examples, with the secret in DAYBOOK_OPERATOR_SECRET:
  daybook ops queued --platform client_id_dev --operator operator_id_00000000000000000000000001
  daybook ops operations --waiting --platform client_id_dev --operator operator_id_00000000000000000000000001 --json
  daybook ops statement 2026-03-02.camt053 --platform client_id_dev --operator operator_id_00000000000000000000000001";

/// End of `daybook ledger --help`.
pub(super) const LEDGER: &str = "\
Examples:
  daybook ledger trial-balance --platform client_id_dev
  daybook ledger custody --at 2026-03-01 --json
  daybook ledger export --format hledger -o ledger.journal";

/// End of `daybook log --help`.
pub(super) const LOG: &str = "\
Examples:
  daybook log tail --follow
  daybook log verify --key signing.pub --anchor /mnt/elsewhere/anchor
  daybook log export -o bundle";

/// End of `daybook projection --help`.
pub(super) const PROJECTION: &str = "\
Examples, in the order of a rebuild:
  daybook projection list
  daybook projection rebuild users
  daybook projection diff users
  daybook projection switch users
  daybook projection drop users";

/// End of `daybook reconcile --help`.
pub(super) const RECONCILE: &str = "\
Examples:
  daybook reconcile replay
  daybook reconcile replay --at 2026-03-01T12:00:00Z --model balances --json
  daybook reconcile bank --platform client_id_dev --from 2026-03-01 --to 2026-03-31 -o march";

/// End of `daybook vault --help`.
pub(super) const VAULT: &str = "\
Example:
  daybook vault rotate --master-key master.key --new-master-key new.key";

/// End of `daybook webhook --help`.
pub(super) const WEBHOOK: &str = "\
Example:
  daybook webhook replay 01M7ZJR9TPBAA8V6R1J8GGKRBH --from 1200";

/// End of `daybook subject --help`.
pub(super) const SUBJECT: &str = "\
Examples, with the secret in DAYBOOK_OPERATOR_SECRET:
  daybook subject export 01M7ZZ6PZ190BGGZEGZ2M6RJBA --output maria.ndjson \\
    --platform client_id_dev --operator operator_id_00000000000000000000000001
  daybook subject verify-erased 01M7ZZ6PZ190BGGZEGZ2M6RJBA";

/// End of `daybook replay --help`.
pub(super) const REPLAY: &str = "\
Examples:
  daybook replay --transaction 01M7ZJR9TPBAA8V6R1J8GGKRBH --events
  daybook replay --node 01M7YHYBJKR318GVX63J037REQ --until 2026-03-01T12:00:00Z --json";

/// Parses the command line of this process. Ends the process if the command line is not valid, or asks for help.
#[must_use]
pub fn read() -> Cli {
    let mut command = command();
    let read = command.try_get_matches_from_mut(std::env::args_os());
    read.and_then(|matches| Cli::from_arg_matches(&matches))
        .unwrap_or_else(|error| error.format(&mut command).exit())
}

/// Returns the command line, in which each command hides its unused options.
#[must_use]
pub fn command() -> Command {
    // Without a command, `dev` runs. Its options are shown by its own help.
    let root = Cli::command().mut_args(|arg| arg.hide(true));
    narrow(root, "daybook")
}

fn narrow(command: Command, path: &str) -> Command {
    let is_here = |of: &str| path == of || path.strip_prefix(of).is_some_and(|rest| rest.starts_with(' '));
    let unused: Vec<&str> =
        UNUSED_OPTIONS.iter().filter(|(of, _)| is_here(of)).flat_map(|(_, ids)| *ids).copied().collect();
    let command = command.mut_args(|arg| {
        let is_unused = unused.contains(&arg.get_id().as_str());
        if is_unused { arg.hide(true) } else { arg }
    });
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        narrow(below, &path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of `daybook <args> --help`.
    fn help(args: &str) -> String {
        let args = format!("daybook {args} --help");
        let said = command().try_get_matches_from(args.split_whitespace()).expect_err("it is help");
        said.render().to_string()
    }

    #[test]
    fn first_page_is_short() {
        let said = help("");
        assert!(
            !said.contains("--settle-after") && said.contains("reconcile") && said.contains("Examples:"),
            "{said}"
        );
        assert!(said.lines().count() < 45, "{said}");
    }

    #[test]
    fn options_stand_under_headings() {
        let said = help("serve");
        for heading in [
            "Database:",
            "Keys:",
            "Rates and connections:",
            "Anchors:",
            "Observability:",
            "Bank:",
            "Options:",
        ] {
            assert!(said.lines().any(|line| line == heading), "{heading} in {said}");
        }
    }

    #[test]
    fn command_shows_only_options_it_uses() {
        for (args, shown, hidden) in [
            ("ledger trial-balance", "--data-dir", "--master-key"),
            ("subject export", "--master-key", "--bank-name"),
            ("subject verify-erased", "--master-key", "--signing-key"),
            ("ops files", "--bank-name", "--listen"),
            ("log tail", "--follow", "--signing-key"),
            ("log verify", "--signing-key", "--listen"),
            ("operator list", "--json", "--master-key"),
            ("operator create", "--master-key", "--signing-key"),
        ] {
            let said = help(args);
            assert!(said.contains(shown) && !said.contains(hidden), "{args}: {said}");
        }
    }

    #[test]
    fn every_command_has_an_example() {
        for command in command().get_subcommands() {
            let name = command.get_name();
            assert!(help(name).contains(&format!("\n  daybook {name}")), "{name}");
        }
    }

    #[test]
    fn hidden_options_belong_to_their_command() {
        for (of, ids) in UNUSED_OPTIONS {
            let mut found = Cli::command();
            for name in of.split(' ').skip(1) {
                found = found.find_subcommand(name).unwrap_or_else(|| panic!("{of} is no command")).clone();
            }
            let below = found.get_subcommands().next().cloned();
            let found = below.unwrap_or(found);
            for id in *ids {
                assert!(found.get_arguments().any(|arg| arg.get_id() == id), "{of} has no {id}");
            }
        }
    }

    #[test]
    fn unused_option_is_accepted() {
        let line = "daybook ledger trial-balance --master-key m --signing-key s --json";
        assert!(command().try_get_matches_from(line.split(' ')).is_ok());
    }
}
