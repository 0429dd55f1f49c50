//! State of the roles: the roles that a login may act as in this database, and errors in their rights.

use tokio_postgres::GenericClient;

use super::rights::{Expected, MODEL, RIGHTS, SCHEMAS};
use super::{Role, names};
use crate::Error;

/// State of a login, of the roles and of their rights.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// Name of the login.
    pub(super) login: String,
    /// True if the login may create roles.
    pub(super) makes_roles: bool,
    /// Roles that exist in the cluster.
    pub(super) existing: Vec<Role>,
    /// Roles that the login may act as.
    assumable: Vec<Role>,
    /// True if this database uses the roles.
    pub(super) is_set_up: bool,
    /// Differences between the rights and those expected.
    pub(super) differences: Vec<Difference>,
}

/// A right that a role lacks or should not have.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    is_missing: bool,
    role: String,
    /// The right and its object.
    right: String,
}

impl Standing {
    /// Queries the state from the database.
    pub(crate) async fn of(client: &impl GenericClient) -> Result<Self, Error> {
        let sql = include_str!("sql/standing.sql");
        let row = client.query_one(sql, &[&names().as_slice(), &Role::Owner.name()]).await?;
        let roles = |column| {
            let found: Vec<String> = row.try_get(column)?;
            let known = Role::ALL.into_iter().filter(|role| found.iter().any(|name| name == role.name()));
            Ok::<Vec<Role>, tokio_postgres::Error>(known.collect())
        };
        Ok(Self {
            login: row.try_get("login")?,
            makes_roles: row.try_get("makes_roles")?,
            existing: roles("existing")?,
            assumable: roles("assumable")?,
            is_set_up: row.try_get("is_set_up")?,
            differences: differences(client).await?,
        })
    }

    /// Returns true if the login may act as `role`.
    pub(super) fn may_act_as(&self, role: Role) -> bool {
        self.assumable.contains(&role)
    }

    /// Returns the first role that the login may act as in this database. A login that inherits no rights sees nothing
    /// without a role.
    pub(crate) fn first(&self) -> Option<Role> {
        self.assumable.first().copied().filter(|_| self.is_set_up)
    }

    /// Returns the statements that an administrator has to run before the roles can be set up here; `None` if they are
    /// set up.
    fn missing(&self) -> Option<String> {
        if self.is_set_up {
            return None;
        }
        let makes = Role::ALL.iter().filter(|role| !self.existing.contains(role));
        let mut statements: Vec<_> = makes.map(|role| format!("create role {role} nologin")).collect();
        let lacks: Vec<_> =
            Role::ALL.iter().filter(|role| !self.may_act_as(**role)).map(|role| role.name()).collect();
        if !lacks.is_empty() {
            statements.push(format!("grant {} to \"{}\"", lacks.join(", "), self.login.replace('"', "\"\"")));
        }
        Some(statements.join("; "))
    }

    /// Checks that connections act as roles.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] with the commands to run, if connections have all rights of the login.
    pub(crate) fn requires_roles(&self) -> Result<(), Error> {
        let Some(statements) = self.missing() else { return Ok(()) };
        let first = if statements.is_empty() {
            String::new()
        } else {
            format!("have a superuser run \"{statements};\", ")
        };
        Err(Error::Denied(format!(
            "the roles of the database are not set up, so every connection would have all rights of the login {:?}: {first}\
             run daybook migrate, and start again; where nobody may make roles, start with --strict-roles false",
            self.login
        )))
    }

    /// Returns true if connections act as `role`. Returns false if they have the rights of the login, because this
    /// database has no roles.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] if the login may not act as the role, or the role lacks a right.
    pub(crate) fn check(&self, role: Role) -> Result<bool, Error> {
        if !self.is_set_up {
            return Ok(false);
        }
        let login = &self.login;
        if !self.may_act_as(role) {
            let text = format!("the login {login:?} may not act as {role}: grant {role} to {login:?}");
            return Err(Error::Denied(text));
        }
        let mut missing = self.differences.iter().filter(|found| found.is_missing);
        match missing.find(|found| found.role == role.name()) {
            None => Ok(true),
            Some(Difference { right, .. }) => {
                let text =
                    format!("{role} lacks {right}: run daybook migrate as a login that may act as all roles");
                Err(Error::Denied(text))
            }
        }
    }
}

/// Verb in the result of `differs.sql` for a table with the wrong owner.
const OWNERSHIP: &str = "ownership";

async fn differences(client: &impl GenericClient) -> Result<Vec<Difference>, Error> {
    let Expected { roles, tables, verbs, columns } = Expected::all();
    let (mut model_roles, mut model_verbs) = (vec![], vec![]);
    for (role, verbs) in MODEL {
        for verb in *verbs {
            model_roles.push(role.name());
            model_verbs.push(verb.parts().0);
        }
    }
    let (mut schemas, mut users, mut uses) = (vec![], vec![], vec![]);
    let using =
        SCHEMAS.iter().flat_map(|(name, roles)| roles.iter().map(move |role| (*name, *role, "USAGE")));
    for (schema, role, verb) in using.chain([("public", Role::Owner, "CREATE")]) {
        schemas.push(schema);
        users.push(role.name());
        uses.push(verb);
    }
    let owner = Role::Owner.name();
    let rows = client
        .query(
            include_str!("sql/differs.sql"),
            &[
                &names().as_slice(),
                &roles,
                &tables,
                &verbs,
                &columns,
                &model_roles,
                &model_verbs,
                &owner,
                &schemas,
                &users,
                &uses,
            ],
        )
        .await?;
    let difference = |row: &tokio_postgres::Row| {
        let [role, verb, name, column]: [&str; 4] =
            [row.try_get(1)?, row.try_get(2)?, row.try_get(3)?, row.try_get(4)?];
        let of = if column.is_empty() { String::new() } else { format!(" ({column})") };
        let on = if verb == OWNERSHIP { "of" } else { "on" };
        let right = format!("{verb}{of} {on} {name}");
        Ok(Difference { is_missing: row.try_get(0)?, role: role.to_owned(), right })
    };
    rows.iter().map(difference).collect()
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { is_missing, role, right } = self;
        write!(f, "{role} {} {right}", if *is_missing { "lacks" } else { "has" })
    }
}

/// Returns the names of the tables of the migrations.
pub(super) fn tables() -> Vec<&'static str> {
    RIGHTS.iter().map(|(table, _)| *table).collect()
}
