//! `GET /v3.1/events`

use actix_web::web;
use daybook_engine::access::PlatformRecord;
use daybook_engine::feed::{FeedPage, FeedQuery};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::value::RawValue;

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::webhook;
use crate::wire::event::{After, AskedEvents, Cursor, EventList};

/// Maximum number of records that are read concurrently for one answer.
const MAX_CONCURRENT_READS: usize = 4;

/// Lists the events of the platform's records in order, in the form in which webhooks deliver them. With `wait`, a call
/// at the end of the feed waits for the next event.
#[utoipa::path(
    get, path = "/v3.1/events", operation_id = "events.feed",
    responses((status = 200, body = Record<EventList>)),
)]
pub async fn list(
    app: web::Data<App>,
    gateway: Gateway,
    events: InQuery<AskedEvents>,
) -> Result<web::Json<Record<EventList>>, ApiError> {
    let platform = &gateway.platform;
    let AskedEvents { after, scopes, limit, wait } = events.values()?;
    let after = position(&app, platform, after).await?;
    let asked =
        FeedQuery { platform: platform.id, scopes, limit: usize::try_from(limit).unwrap_or(usize::MAX) };
    let fed = app.feed.after(platform.shard, after, &asked, wait).await?;
    let cursor = cursor(&app, platform, fed.up_to).await?.text();
    let events = told(&app, platform, &fed).await?;
    let (events_count, has_more) = (events.len(), fed.is_behind);
    Ok(web::Json(Record(EventList { cursor, events, events_count, has_more, limit, success: true })))
}

/// Returns the position after which the caller wants to read.
async fn position(app: &App, platform: &PlatformRecord, after: After) -> Result<u64, ApiError> {
    match after {
        After::Beginning => Ok(0),
        After::End => Ok(app.feed.end(platform.shard).await?),
        After::Cursor(known) if known == cursor(app, platform, known.position).await? => Ok(known.position),
        After::Cursor(_) => {
            let text = "The cursor belongs to another log, or to this log before it was restored.";
            Err(ApiError::Unsupported("cursor_of_another_log", text.into()))
        }
    }
}

/// Returns the cursor of a reader that has read up to `position`.
async fn cursor(app: &App, platform: &PlatformRecord, position: u64) -> Result<Cursor, ApiError> {
    let last = app.reads.aggregates().event_at(platform.shard, position).await?;
    Ok(Cursor::behind(platform.id, position, last.map_or(0, |last| last.event_id)))
}

/// Renders each event in the form in which a webhook delivers it.
async fn told(app: &App, platform: &PlatformRecord, fed: &FeedPage) -> Result<Vec<Box<RawValue>>, ApiError> {
    let bodies = fed.events.iter().map(|(happened, notice, scope)| {
        let body = webhook::body(app, platform, happened, *notice, *scope);
        async move {
            let text = String::from_utf8(body.await?).map_err(|error| ApiError::internal(&error))?;
            RawValue::from_string(text).map_err(|error| ApiError::internal(&error))
        }
    });
    stream::iter(bodies).buffered(MAX_CONCURRENT_READS).try_collect().await
}
