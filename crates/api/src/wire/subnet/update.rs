//! Body of a request that changes a subnet. Absent and null fields stay unchanged.

use daybook_domain::subnet::Allowed;
use daybook_engine::SubnetDetails;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::description::values::SubnetAllowed;
use crate::wire::required;
use crate::wire::text::{SaidName, Text};

/// Request to change a subnet. Absent and null fields stay unchanged.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateSubnet {
    nickname: Option<SaidName>,
    #[schema(value_type = Option<SubnetAllowed>)]
    allowed: Option<Text>,
}

/// A valid change.
#[derive(Clone, PartialEq, Eq)]
pub struct SubnetUpdate {
    /// New directions in which money may move.
    pub allowed: Option<Allowed>,
    /// New details, to be sealed with class profile.
    pub details: Option<SubnetDetails>,
}

impl UpdateSubnet {
    /// Parses the change.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self) -> Result<SubnetUpdate, ApiError> {
        let must = || {
            let names = Allowed::ALL.map(Allowed::as_str).join(", ");
            ApiError::invalid("allowed", format!("must be one of {names}"))
        };
        let allowed = self.allowed.map(|name| Allowed::parse(name.as_str()).ok_or_else(must));
        let nickname = self.nickname.map(|nickname| required("nickname", Some(nickname)));
        let details = nickname.transpose()?.map(|nickname| SubnetDetails { nickname });
        Ok(SubnetUpdate { allowed: allowed.transpose()?, details })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;

    fn parse(json: &str) -> Result<(Option<Allowed>, Option<String>), String> {
        let body = Body::from(actix_web::web::Bytes::from(json.to_owned()));
        let update = body.json::<UpdateSubnet>().and_then(UpdateSubnet::parse);
        let told = |update: SubnetUpdate| (update.allowed, update.details.map(|details| details.nickname));
        update.map(told).map_err(|error| error.to_string())
    }

    #[test]
    fn absent_fields_stay_unchanged() {
        assert_eq!(parse("{}"), Ok((None, None)));
        assert_eq!(parse(r#"{"allowed": null, "nickname": null}"#), Ok((None, None)));
        assert_eq!(parse(r#"{"nickname": "Rent"}"#), Ok((None, Some("Rent".to_owned()))));
        for allowed in Allowed::ALL {
            let json = format!(r#"{{"allowed": "{}"}}"#, allowed.as_str());
            assert_eq!(parse(&json), Ok((Some(allowed), None)));
        }
    }

    #[test]
    fn invalid_field_is_named() {
        let allowed = "allowed must be one of CREDIT-AND-DEBIT, CREDIT, DEBIT, INACTIVE, LOCKED.";
        let table = [
            (r#"{"allowed": "OPEN"}"#, allowed),
            (r#"{"allowed": "locked"}"#, allowed),
            (r#"{"nickname": ""}"#, "nickname is required."),
        ];
        for (json, text) in table {
            assert_eq!(parse(json), Err(text.to_owned()), "{json}");
        }
    }
}
