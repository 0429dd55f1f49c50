//! Body of a request that creates a subnet.

use daybook_domain::subnet::AccountClass;
use daybook_engine::SubnetDetails;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::description::values::SubnetClass;
use crate::wire::required;
use crate::wire::text::{SaidName, Text};

/// Request to create a subnet.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateSubnet {
    #[schema(value_type = SaidName)]
    nickname: Option<SaidName>,
    #[schema(value_type = Option<SubnetClass>)]
    account_class: Option<Text>,
}

/// A valid subnet.
#[derive(Clone, PartialEq, Eq)]
pub struct NewSubnet {
    /// Account class that others see.
    pub class: AccountClass,
    /// Details, to be sealed with class profile.
    pub details: SubnetDetails,
}

impl CreateSubnet {
    /// Parses the subnet.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self) -> Result<NewSubnet, ApiError> {
        let nickname = required("nickname", self.nickname)?;
        let must = || ApiError::invalid("account_class", "must be CHECKING or SAVINGS");
        let class = self.account_class.map(|class| AccountClass::parse(class.as_str()).ok_or_else(must));
        Ok(NewSubnet { class: class.transpose()?.unwrap_or_default(), details: SubnetDetails { nickname } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;

    fn parse(json: &str) -> Result<(AccountClass, String), String> {
        let body = Body::from(actix_web::web::Bytes::from(json.to_owned()));
        let new = body.json::<CreateSubnet>().and_then(CreateSubnet::parse);
        new.map(|new| (new.class, new.details.nickname)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_nickname_is_enough() {
        for json in [r#"{"nickname": "Rent"}"#, r#"{"nickname": "Rent", "account_class": null, "x": 1}"#] {
            assert_eq!(parse(json), Ok((AccountClass::Checking, "Rent".to_owned())), "{json}");
        }
        let savings = parse(r#"{"nickname": "Rent", "account_class": "SAVINGS"}"#);
        assert_eq!(savings, Ok((AccountClass::Savings, "Rent".to_owned())));
    }

    #[test]
    fn invalid_field_is_named() {
        let class = "account_class must be CHECKING or SAVINGS.";
        let table = [
            ("{}", "nickname is required."),
            (r#"{"nickname": " "}"#, "nickname is required."),
            (r#"{"nickname": "Rent", "account_class": "CARD"}"#, class),
            (r#"{"nickname": "Rent", "account_class": "checking"}"#, class),
        ];
        for (json, text) in table {
            assert_eq!(parse(json), Err(text.to_owned()), "{json}");
        }
        for json in
            [r#"{"nickname": 5}"#, r#"{"nickname": "a\u0000"}"#, r#"{"nickname": "a", "account_class": 1}"#]
        {
            assert!(parse(json).is_err(), "{json}");
        }
    }
}
