//! Record of a file for a bank.

use daybook_domain::custody::FileCut;
use daybook_domain::posting::Rail;
use daybook_domain::{PlatformId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::operation::path;
use crate::description::values::RailName;
use crate::wire::Listed;
use crate::wire::record::Links;

/// A file for a bank.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct File {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    cut_on: i64,
    entries: usize,
    number: u64,
    #[schema(value_type = RailName)]
    rail: Rail,
}

impl Listed for File {
    const KEYS: (&'static str, &'static str) = ("files", "file_count");
}

/// Renders the record of a file of `platform` that was cut at `cut_at`.
#[must_use]
pub fn render(platform: PlatformId, cut: &FileCut, cut_at: Timestamp, base_url: &str) -> File {
    File {
        id: cut.file.to_string(),
        links: Links::to(base_url, path(platform, format_args!("files/{}", cut.file))),
        cut_on: cut_at.ms(),
        entries: cut.items.len(),
        number: cut.number,
        rail: cut.rail,
    }
}
