//! Bodies of requests that simulate decisions about a transaction: an operator queues it, or the bank returns it.

use daybook_domain::calendar::ReturnCode;
use daybook_domain::transaction::{Direction, QueueReason};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::description::values::{HeldReason, Leg, ReturnReason};
use crate::wire::required;
use crate::wire::text::Text;

/// Request to queue a transaction.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = QueueTransaction)]
pub struct Queue {
    /// Reason; defaults to `Q10`.
    #[schema(value_type = Option<HeldReason>)]
    code: Option<Text>,
}

impl Queue {
    /// Parses the reason; risk (`Q10`) by default.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if the reason cannot be given by hand.
    pub fn parse(self) -> Result<QueueReason, ApiError> {
        let Some(code) = self.code else { return Ok(QueueReason::Risk) };
        let must =
            || ApiError::invalid("code", "must be Q10, Q46 or Q47: the others are found by the ledger");
        QueueReason::parse(code.as_str()).ok_or_else(must)
    }
}

/// Request to simulate a return.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = ReturnTransaction)]
pub struct Return {
    #[schema(value_type = ReturnReason)]
    code: Option<Text>,
    #[schema(value_type = Option<Leg>)]
    leg: Option<Text>,
}

impl Return {
    /// Parses the return code, and the leg if it is named.
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

    fn parse_return(body: &str) -> Result<(ReturnCode, Option<Direction>), ApiError> {
        serde_json::from_str::<Return>(body).unwrap().parse()
    }

    fn field<T>(parsed: Result<T, ApiError>) -> String {
        match parsed {
            Err(ApiError::Invalid { field, .. }) => field.into_owned(),
            _ => String::new(),
        }
    }

    #[test]
    fn only_manual_queue_reasons_are_accepted() {
        assert_eq!(queue("{}"), Ok(QueueReason::Risk));
        assert_eq!(queue(r#"{"code": "Q10"}"#), Ok(QueueReason::Risk));
        assert_eq!(queue(r#"{"code": "Q46"}"#), Ok(QueueReason::SenderNotAuthorised));
        assert_eq!(queue(r#"{"code": "Q47"}"#), Ok(QueueReason::ReceiverNotAuthorised));
        for code in ["Q06", "Q08", "R01", ""] {
            assert_eq!(field(queue(&format!(r#"{{"code": "{code}"}}"#))), "code", "{code}");
        }
    }

    #[test]
    fn return_has_code_and_optional_leg() {
        let code: ReturnCode = "R01".parse().unwrap();
        assert_eq!(parse_return(r#"{"code": "R01"}"#), Ok((code, None)));
        assert_eq!(parse_return(r#"{"code": "R01", "leg": "pull"}"#), Ok((code, Some(Direction::Pull))));
        assert_eq!(parse_return(r#"{"code": "R01", "leg": "push"}"#), Ok((code, Some(Direction::Push))));
        for (body, wrong) in
            [("{}", "code"), (r#"{"code": "R99"}"#, "code"), (r#"{"code": "R01", "leg": "refund"}"#, "leg")]
        {
            assert_eq!(field(parse_return(body)), wrong, "{body}");
        }
    }
}
