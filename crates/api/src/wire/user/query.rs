//! Query of a list of users.

use utoipa::IntoParams;

use crate::ApiError;
use crate::in_query::Parameters;
use crate::query::Query;
use crate::wire::text::Text;

/// Query of a list of users.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UserQuery {
    /// Returns only users with a login, or a word of a legal name, that begins with this text.
    #[param(inline, required = false, value_type = Text)]
    pub query: Option<String>,
}

impl Parameters for UserQuery {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        Ok(Self { query: query.text("query")?.filter(|text| !text.trim().is_empty()) })
    }
}
