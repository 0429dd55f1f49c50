//! The body that says something about a node.

use daybook_domain::Currency;
use daybook_domain::node::micro_deposits::MAX_MINOR;
use serde::Deserialize;

use crate::ApiError;
use crate::wire::amount::Digits;

/// The body.
#[derive(Clone, Debug, Deserialize)]
pub struct UpdateNode {
    micro: Option<Vec<Digits>>,
}

impl UpdateNode {
    /// The two micro-deposits that the owner tells, in minor units of USD.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] unless they are two amounts of 0.01 to 1.00.
    pub fn parse(self) -> Result<[i64; 2], ApiError> {
        let wrong = || ApiError::invalid("micro", "must be two amounts from 0.01 to 1.00");
        let micro = self.micro.ok_or_else(|| ApiError::missing("micro"))?;
        let minor = |digits: &Digits| Some(digits.parse("micro", Currency::USD).ok()?.minor);
        let amounts: Option<Vec<i64>> = micro.iter().map(minor).collect();
        let amounts = amounts.and_then(|amounts| <[i64; 2]>::try_from(amounts).ok()).ok_or_else(wrong)?;
        if amounts.iter().all(|minor| *minor <= MAX_MINOR) { Ok(amounts) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;

    fn parse(json: &str) -> Result<[i64; 2], ApiError> {
        let body = Body::from(actix_web::web::Bytes::from(json.to_owned()));
        body.json::<UpdateNode>().and_then(UpdateNode::parse)
    }

    #[test]
    fn two_amounts_are_read_exactly() {
        assert_eq!(parse(r#"{"micro": [0.1, 1.00]}"#).ok(), Some([10, 100]));
    }

    #[test]
    fn anything_else_is_no_guess() {
        let bad = [
            "{}",
            r#"{"micro": []}"#,
            r#"{"micro": [0.1]}"#,
            r#"{"micro": [0.1, 0.1, 0.1]}"#,
            r#"{"micro": [0, 0.1]}"#,
            r#"{"micro": [0.1, 1.01]}"#,
            r#"{"micro": [0.1, 0.001]}"#,
            r#"{"micro": ["0.1", "0.1"]}"#,
        ];
        for json in bad {
            assert!(matches!(parse(json), Err(ApiError::Invalid { .. })), "{json}");
        }
    }
}
