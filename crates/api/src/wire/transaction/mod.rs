//! Transactions: what creates one, brings money in or out, moves one on or says something about one, and how one is
//! shown.

mod attachment;
mod batch;
mod create;
mod note;
mod receive;
mod render;
mod simulate;
mod timeline;

pub use attachment::{Attachment, AttachmentView, attachment};
pub use batch::{CreateTransactions, Idempotency, Outcome};
pub use create::{CreateTransaction, NOTE_MAX_CHARS, NewTransaction};
pub use receive::{NewReceive, Receive};
pub use render::{Names, Transaction, TransactionView, render};
use serde::Deserialize;
pub use simulate::{Queue, Return};
use utoipa::ToSchema;

use super::required;
use super::text::SaidText;
use crate::ApiError;

/// The body that comments on a transaction.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct Comment {
    #[schema(value_type = SaidText)]
    comment: Option<SaidText>,
}

impl Comment {
    /// Checks that it says something.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if it does not.
    pub fn parse(self) -> Result<daybook_engine::Comment, ApiError> {
        Ok(daybook_engine::Comment { text: required("comment", self.comment)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_says_something() {
        let parse = |json: &str| {
            let body = crate::body::Body::from(actix_web::web::Bytes::from(json.to_owned()));
            body.json::<Comment>().and_then(Comment::parse)
        };
        assert_eq!(parse(r#"{"comment": "Pizza"}"#).ok().unwrap().text, "Pizza");
        for json in ["{}", r#"{"comment": null}"#, r#"{"comment": " "}"#] {
            assert_eq!(parse(json).err(), Some(ApiError::missing("comment")), "{json}");
        }
    }
}
