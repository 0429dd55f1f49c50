//! File of a bank: sent as the body itself, or as the text of a JSON field.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use daybook_engine::rails::incoming::text_of;
use daybook_engine::statements::{Mapping, OtherAccounts, StatementFormat};
use futures::future::LocalBoxFuture;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Body, BodyPermit, essence, is_json, is_plain, read_whole};
use crate::ApiError;
use crate::wire::ops::format::FileFormat;
use crate::wire::required;
use crate::wire::text::{LongText, SaidText};

/// Media types of a file that is the body itself.
const MEDIA_TYPES: [&str; 3] = ["text/plain", "text/csv", "application/octet-stream"];

/// Text of a file.
#[derive(Clone, Debug)]
pub struct Upload {
    body: Body,
    is_json: bool,
}

/// A file as the text of a field.
#[derive(Deserialize, ToSchema)]
pub struct BankFile {
    /// Lines of the file, separated by line feeds.
    file: LongText,
}

/// A file with statements as the text of a field, with the mapping of its columns if it is a bank's own CSV.
#[derive(Deserialize, ToSchema)]
pub struct StatementUpload {
    /// Lines of the file, separated by line feeds.
    file: LongText,
    /// Mapping of a bank's CSV; the reference describes it.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    mapping: Option<Box<Mapping>>,
    /// Reason for which days are accepted that the bank states anew: their lines are taken back, and those of the file are
    /// booked instead.
    #[schema(value_type = Option<SaidText>)]
    restate: Option<SaidText>,
}

/// A file with statements.
pub(crate) struct StatementFile {
    /// The file.
    pub(crate) bytes: Vec<u8>,
    /// Its format.
    pub(crate) format: StatementFormat,
    /// Treatment of statements about other accounts.
    pub(crate) other_accounts: OtherAccounts,
    /// Reason for which days are stated anew.
    pub(crate) restate: Option<String>,
    /// Share of the memory budget, held until the file is taken.
    pub(crate) held: HeldBody,
}

/// Share of the memory budget that a body has.
pub(crate) struct HeldBody {
    _permit: Option<Arc<BodyPermit>>,
}

impl Upload {
    /// Returns a file with statements. Its format is `asked`, or that of the mapping in the body.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if the file is missing, or the mapping is not valid.
    pub(crate) fn statement(self, asked: FileFormat) -> Result<StatementFile, ApiError> {
        let FileFormat { format, other_accounts } = asked;
        let (bytes, format, restate) = if self.is_json {
            let StatementUpload { file, mapping, restate } = self.body.json()?;
            let restate = restate.map(|reason| required("restate", Some(reason))).transpose()?;
            (String::from(file).into_bytes(), mapping.map_or(format, StatementFormat::Csv), restate)
        } else if self.body.bytes.is_empty() {
            return Err(ApiError::missing("file"));
        } else {
            // Copies nothing: the body has no other owner.
            (self.body.bytes.into(), format, None)
        };
        let held = HeldBody { _permit: self.body.held };
        Ok(StatementFile { bytes, format, other_accounts, restate, held })
    }

    /// Returns the text. Bytes that are not UTF-8 are read as ISO 8859-1, which banks use for names in files.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if the file is missing.
    pub fn text(&self) -> Result<String, ApiError> {
        if self.is_json {
            return Ok(self.body.json::<BankFile>()?.file.into());
        }
        if self.body.bytes.is_empty() {
            return Err(ApiError::missing("file"));
        }
        Ok(text_of(self.body.bytes.to_vec()))
    }
}

impl FromRequest for Upload {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let headers = request.headers();
        let is_json = is_json(headers);
        let is_text = MEDIA_TYPES.iter().any(|text| essence(headers).eq_ignore_ascii_case(text));
        let is_known = is_json || (is_text && is_plain(headers));
        let body = read_whole(request, payload);
        Box::pin(async move {
            let body = body.await?;
            if is_known { Ok(Self { body, is_json }) } else { Err(ApiError::MediaType) }
        })
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header;
    use actix_web::test::TestRequest;

    use super::*;

    async fn text(media_type: &str, body: &str) -> Result<String, ApiError> {
        let request = TestRequest::default().insert_header((header::CONTENT_TYPE, media_type));
        let (request, mut payload) = request.set_payload(body.to_owned()).to_http_parts();
        Upload::from_request(&request, &mut payload).await?.text()
    }

    #[actix_web::test]
    async fn bank_file_arrives_as_text_or_json() {
        assert_eq!(text("text/plain; charset=utf-8", "a\nb").await, Ok("a\nb".to_owned()));
        assert_eq!(text("text/csv", "a,b").await, Ok("a,b".to_owned()));
        assert_eq!(text("application/json", r#"{"file": "a\nb"}"#).await, Ok("a\nb".to_owned()));
        assert_eq!(text("text/html", "a").await, Err(ApiError::MediaType));
        assert_eq!(text("text/plain", "").await, Err(ApiError::missing("file")));
        assert_eq!(text("application/json", "{}").await, Err(ApiError::missing("file")));
    }
}
