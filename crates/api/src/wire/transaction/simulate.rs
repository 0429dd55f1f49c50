//! Bodies that simulate what happens to a transaction: somebody holds it back, or the bank sends it back.

use daybook_domain::calendar::ReturnCode;
use daybook_domain::transaction::{Direction, QueueReason};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::description::values::{HeldReason, Leg, ReturnReason};
use crate::wire::required;
use crate::wire::text::Text;

/// The body that holds a transaction back.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = QueueTransaction)]
pub struct Queue {
    /// Q10, unless it is said.
    #[schema(value_type = Option<HeldReason>)]
    code: Option<Text>,
}

impl Queue {
    /// The reason; risk, if none is named.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if it is none that somebody may give.
    pub fn parse(self) -> Result<QueueReason, ApiError> {
        let Some(code) = self.code else { return Ok(QueueReason::Risk) };
        let must =
            || ApiError::invalid("code", "must be Q10, Q46 or Q47: the others are found by the ledger");
        QueueReason::parse(code.as_str()).ok_or_else(must)
    }
}

/// The body that sends a transaction back.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = ReturnTransaction)]
pub struct Return {
    #[schema(value_type = ReturnReason)]
    code: Option<Text>,
    #[schema(value_type = Option<Leg>)]
    leg: Option<Text>,
}

impl Return {
    /// The code, and the leg if it is named.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self) -> Result<(ReturnCode, Option<Direction>), ApiError> {
        let code = required("code", self.code)?;
        let code =
            code.parse().map_err(|_| ApiError::invalid("code", "must be a return code such as R01"))?;
        let leg = self.leg.map(|leg| match leg.as_str() {
            "pull" => Ok(Direction::Pull),
            "push" => Ok(Direction::Push),
            _ => Err(ApiError::invalid("leg", "must be pull or push")),
        });
        Ok((code, leg.transpose()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(body: &str) -> Result<QueueReason, ApiError> {
        serde_json::from_str::<Queue>(body).unwrap().parse()
    }

    fn send_back(body: &str) -> Result<(ReturnCode, Option<Direction>), ApiError> {
        serde_json::from_str::<Return>(body).unwrap().parse()
    }

    fn field<T>(parsed: Result<T, ApiError>) -> String {
        match parsed {
            Err(ApiError::Invalid { field, .. }) => field.into_owned(),
            _ => String::new(),
        }
    }

    #[test]
    fn a_reason_is_one_that_somebody_may_give() {
        assert_eq!(queue("{}"), Ok(QueueReason::Risk));
        assert_eq!(queue(r#"{"code": "Q10"}"#), Ok(QueueReason::Risk));
        assert_eq!(queue(r#"{"code": "Q46"}"#), Ok(QueueReason::SenderNotAuthorised));
        assert_eq!(queue(r#"{"code": "Q47"}"#), Ok(QueueReason::ReceiverNotAuthorised));
        for code in ["Q06", "Q08", "R01", ""] {
            assert_eq!(field(queue(&format!(r#"{{"code": "{code}"}}"#))), "code", "{code}");
        }
    }

    #[test]
    fn a_return_has_a_code_and_may_name_its_leg() {
        let code: ReturnCode = "R01".parse().unwrap();
        assert_eq!(send_back(r#"{"code": "R01"}"#), Ok((code, None)));
        assert_eq!(send_back(r#"{"code": "R01", "leg": "pull"}"#), Ok((code, Some(Direction::Pull))));
        assert_eq!(send_back(r#"{"code": "R01", "leg": "push"}"#), Ok((code, Some(Direction::Push))));
        for (body, wrong) in
            [("{}", "code"), (r#"{"code": "R99"}"#, "code"), (r#"{"code": "R01", "leg": "refund"}"#, "leg")]
        {
            assert_eq!(field(send_back(body)), wrong, "{body}");
        }
    }
}
