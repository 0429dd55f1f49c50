//! Transactions: bodies that create, simulate, advance or comment one, and records that show one.

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
pub use create::{CreateTransaction, MAX_NOTE_CHARS, NewTransaction};
pub use receive::{NewReceive, Receive};
pub use render::{Names, Transaction, TransactionView, render};
use serde::Deserialize;
pub use simulate::{Queue, Return};
use utoipa::ToSchema;

use super::required;
use super::text::SaidText;
use crate::ApiError;

/// Request to comment on a transaction.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct Comment {
    #[schema(value_type = SaidText)]
    comment: Option<SaidText>,
}

impl Comment {
    /// Parses the comment.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if it is missing or blank.
    pub fn parse(self) -> Result<daybook_engine::Comment, ApiError> {
        Ok(daybook_engine::Comment { text: required("comment", self.comment)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_comment_is_refused() {
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
