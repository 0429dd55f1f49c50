//! Rights of each role on each table. Written by hand from the needs of each task; the code has a separate list.

use daybook_pg::Role;

/// `S` select, `I` insert, `U` update, `D` delete, `T` truncate. Columns in parentheses limit the right to them.
const MATRIX: &str = "
table                        | owner | app                                      | projector                 | auditor | eraser
public.shard                 | SIUDT | S U(shard)                               | S                         | S       |
public.shard_state           | SIUDT | S                                        |                           | S       |
public.event                 | SIUDT | S I                                      | S                         | S       |
public.commit                | SIUDT | S I U(root,signature,frontier)           | S                         | S       |
public.tile                  | SIUDT | S I U(hashes)                            |                           | S       |
public.last_tree             | SIUDT | S                                        | S I U(attested) D         | S       |
public.last_part             | SIUDT | S                                        | S I D                     | S       |
public.webhook_lane          | SIUDT |                                          | S I U(version,last,attempts,due_at) D | S |
public.webhook_backlog       | SIUDT |                                          | S I U(position) D         | S       |
public.webhook_attempt       | SIUDT | S I D                                    |                           | S       |
public.signing_key           | SIUDT | S I                                      |                           | S       |
public.checkpoint            | SIUDT | S I                                      |                           | S       |
public.idempotency           | SIUDT | S I U(recorded_at,fingerprint,object) D  |                           | S       |
public.cursor                | SIUDT | S                                        | S I U(position,commit_no,at) D | S  |
public.duty                  | SIUDT |                                          | S U(process)              | S       |
public.projection            | SIUDT | S                                        | S I U                     | S       |
public.reader                | SIUDT |                                          | S I U D                   | S       |
public.platform              | SIUDT | S I                                      |                           | S(platform,shard,short_id,name,client_id,sandbox,user_id,reserve_id,created_at) |
public.client_secret         | SIUDT | S I U(good_until,revoked_at)             |                           | S(platform,secret_no,created_at,good_until,revoked_at) |
public.operator              | SIUDT | S I U(revoked_at)                        |                           | S(operator,name,created_at,revoked_at) |
public.oauth_key             | SIUDT | S I D                                    |                           | S(shard,user_id,scopes,expires_at) | S(shard,user_id) D
public.refresh                | SIUDT | S I U(generation,uses,pin_guesses,pin_since) |                           | S       | S(shard,user_id) D
public.fingerprint           | SIUDT | S I                                      |                           | S(shard,user_id,created_at) | S(shard,user_id) D
public.refinery_schema_history | SIUDT | S                                      | S                         | S       | S
vault.subject_key            | SIUDT | S I U(created_at)                        |                           | S(shard,subject,class,created_at) | S(shard,subject) D
vault.blind_index            | SIUDT | S I D                                    |                           | S(shard,subject) | S(shard,subject) D
vault.derived_key            | SIUDT | S I                                      |                           |         |
a read model                 | SIUDT | S                                        | SIUD                      | S       |
";

/// `U` is the right to use the schema, `C` the right to create tables in it.
const SCHEMAS: &str = "
schema | owner | app | projector | auditor | eraser
public | UC    | U   | U         | U       | U
vault  | UC    | U   |           | U       | U
";

/// Privileges of PostgreSQL and their letters in the matrix.
pub(super) const VERBS: [(&str, char); 5] =
    [("SELECT", 'S'), ("INSERT", 'I'), ("UPDATE", 'U'), ("DELETE", 'D'), ("TRUNCATE", 'T')];

/// Extent of a right on a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TableBounds {
    Nothing,
    Columns(Vec<String>),
    All,
}

impl TableBounds {
    pub(super) fn has(&self, column: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::Columns(columns) => columns.iter().any(|one| one == column),
            Self::All => true,
        }
    }
}

/// Returns the cell of `role` in the line that begins with `name`, or none if there is no such line.
fn cell(table: &'static str, name: &str, role: Role) -> Option<&'static str> {
    let cells = |line: &'static str| line.split('|').map(str::trim).collect::<Vec<_>>();
    let line = table.lines().map(cells).find(|cells| cells[0] == name)?;
    let column = Role::ALL.iter().position(|one| *one == role).expect("a role");
    Some(line[column + 1])
}

/// Returns the extent of the right of `role` to do `verb` on `table`.
pub(super) fn right(table: &str, role: Role, verb: char) -> TableBounds {
    let is_model = table.rsplit_once("_v").is_some_and(|(_, number)| number.parse::<u16>().is_ok());
    let name = if is_model { "a read model" } else { table };
    let cell = cell(MATRIX, name, role).unwrap_or_else(|| panic!("{table} is not in the matrix"));
    let mut found = TableBounds::Nothing;
    for word in cell.split_whitespace() {
        let (verbs, columns) = word.split_once('(').unwrap_or((word, ""));
        if verbs.contains(verb) {
            let columns: Vec<_> = columns.trim_end_matches(')').split(',').map(str::to_owned).collect();
            found = if word.contains('(') { TableBounds::Columns(columns) } else { TableBounds::All };
        }
    }
    found
}

/// Returns true if `role` may use `schema`, or with `C` may create tables in it.
pub(super) fn may(schema: &str, role: Role, verb: char) -> bool {
    cell(SCHEMAS, schema, role).unwrap_or_else(|| panic!("{schema} is not in the matrix")).contains(verb)
}

/// Returns the tables of the matrix without read models.
pub(super) fn tables() -> Vec<&'static str> {
    let names = MATRIX.lines().filter_map(|line| line.split('|').next()).map(str::trim);
    names.filter(|name| name.contains('.')).collect()
}
