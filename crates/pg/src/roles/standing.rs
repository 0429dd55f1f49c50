//! Standing: what a login may become in this database, and what is wrong with the rights there.

use tokio_postgres::GenericClient;

use super::rights::{Expected, MODEL, RIGHTS, SCHEMAS};
use super::{Role, names};
use crate::Error;

/// What is known of a login, of the roles and of their rights.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// Who logs in.
    pub(super) login: String,
    /// Whether it may make roles.
    pub(super) makes_roles: bool,
    /// The roles that there are in the cluster.
    pub(super) existing: Vec<Role>,
    /// As which of them it may act.
    assumable: Vec<Role>,
    /// Whether this database uses them.
    pub(super) is_set_up: bool,
    /// How the rights differ from what they should be.
    pub(super) differences: Vec<Difference>,
}

/// A right that a role should have or should not have.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    is_missing: bool,
    role: String,
    /// The right and what it is about.
    right: String,
}

impl Standing {
    /// Asks the database.
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

    /// Whether the login may act as `role`.
    pub(super) fn may_act_as(&self, role: Role) -> bool {
        self.assumable.contains(&role)
    }

    /// The first role that the login may act as in this database: a login that inherits nothing sees nothing without.
    pub(crate) fn first(&self) -> Option<Role> {
        self.assumable.first().copied().filter(|_| self.is_set_up)
    }

    /// The statements that somebody else has to run before the roles can be set up here; none if they are.
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

    /// Whether connections act as roles at all.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] with what has to be run, if they have all rights of the login.
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

    /// Whether connections act as `role`; else they have the rights of the login, because this database has no roles.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] if the login may not, or the role lacks a right.
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

/// What `differs.sql` calls it if a table has another owner.
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

/// The tables of the migrations.
pub(super) fn tables() -> Vec<&'static str> {
    RIGHTS.iter().map(|(table, _)| *table).collect()
}
