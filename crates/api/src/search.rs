//! Search of users by name or login, and their lists. New search entries go into the blind index before the user
//! changes; outdated ones are removed after it.

use crate::error::Chain;
use daybook_domain::{Key, States, UserId};
use daybook_engine::Profile;
use daybook_engine::access::PlatformRecord;
use daybook_projector::Listed;
use daybook_vault::blind_index::{MAX_CHARS, Tenant, is_found};
use uuid::Uuid;

use crate::app::App;
use crate::error::ApiError;
use crate::page::Page;
use crate::render::Opener;

/// Number of users that are checked at a time, and maximum number in total, if a query is longer than the prefixes in
/// the index.
const CANDIDATES_PER_PAGE: usize = 200;
const MAX_CANDIDATES: i64 = 2_000;

fn tenant(platform: &PlatformRecord) -> Tenant {
    Tenant { shard: platform.shard, id: Uuid::from(platform.id) }
}

/// Returns the texts by which a user is found: legal names and e-mail addresses.
fn texts(profile: &Profile) -> Vec<&str> {
    let logins = profile.logins.iter().map(|login| login.email.as_str());
    profile.legal_names.iter().map(String::as_str).chain(logins).collect()
}

/// Adds the texts in `after` that are not in `before` to the user's search entries.
pub(crate) async fn add(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
    before: &Profile,
    after: &Profile,
) -> Result<(), ApiError> {
    let subject = Uuid::from(user);
    Ok(app.engine.vault().index(tenant(platform), subject, &texts(after), &texts(before)).await?)
}

/// Removes the texts in `gone` that are not in `kept` from the user's search entries.
///
/// A concurrent change may have added a text that this removes. Therefore the user's current texts are added once more,
/// by each of the two calls. If this fails, outdated entries remain; they are harmless, because each hit is confirmed
/// against the opened profile.
pub(crate) async fn take_out(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
    gone: &Profile,
    kept: &Profile,
) {
    let subject = Uuid::from(user);
    let gone = app.engine.vault().unindex(tenant(platform), subject, &texts(gone), &texts(kept)).await;
    let outcome = match gone {
        Ok(()) => add_newest(app, platform, user, kept).await,
        Err(error) => Err(error.into()),
    };
    if let Err(error) = outcome {
        tracing::warn!(error = %Chain(&error), "the blind index lags behind a user's profile");
    }
}

async fn add_newest(
    app: &App,
    platform: &PlatformRecord,
    id: UserId,
    kept: &Profile,
) -> Result<(), ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    if found.user(id).is_none_or(|user| !user.is_listed()) {
        return Ok(());
    }
    let opener = Opener::new(app, platform, &found, [id]).await?;
    add(app, platform, id, kept, &*opener.profile(id)?).await
}

/// Returns a page of the platform's users, the oldest first: all, or those that match `question`. The platform's own
/// user is left out if it is `hidden`.
pub(crate) async fn list(
    app: &App,
    platform: &PlatformRecord,
    question: Option<&str>,
    page: Page,
    hidden: Option<UserId>,
) -> Result<Listed<UserId>, ApiError> {
    let of = async |page: Page| {
        if let Some(question) = question {
            return find(app, platform, question, page).await;
        }
        Ok(app.reads.lists().users_of_platform(platform.shard, platform.id, page.into()).await?)
    };
    let Some(hidden) = hidden else { return of(page).await };
    // The hidden user is the platform's oldest, so it is the first match or none; without it each page begins one user
    // later.
    let first = of(Page { number: 1, per_page: 1 }).await?;
    let is_found = first.items.contains(&hidden);
    let mut listed = of(page).await?;
    let next = match page.number.checked_add(1).filter(|_| is_found) {
        Some(number) => of(Page { number, ..page }).await?.items.into_iter().next(),
        None => None,
    };
    let skipped = usize::from(is_found && page.number > 1);
    listed.items =
        listed.items.into_iter().skip(skipped).chain(next).filter(|user| *user != hidden).collect();
    listed.total = listed.total.saturating_sub(u64::from(is_found));
    Ok(listed)
}

/// Returns a page of the users that match `question`, the oldest first.
async fn find(
    app: &App,
    platform: &PlatformRecord,
    question: &str,
    page: Page,
) -> Result<Listed<UserId>, ApiError> {
    let position = app.reads.store().position(platform.shard).await?;
    let page = daybook_projector::Page::from(page);
    if question.trim().chars().count() <= MAX_CHARS {
        let found = app.engine.vault().find(tenant(platform), question, page.offset(), page.limit()).await?;
        let items = confirmed(app, platform, question, &found.subjects).await?;
        return Ok(Listed { items, total: found.total, position });
    }
    let all = all(app, platform, question).await?;
    let (offset, limit) = (usize::try_from(page.offset()), usize::try_from(page.limit()));
    let on_page = all.iter().skip(offset.unwrap_or(usize::MAX)).take(limit.unwrap_or_default());
    Ok(Listed { items: on_page.copied().collect(), total: all.len() as u64, position })
}

/// Returns all matches among the first candidates (at most [`MAX_CANDIDATES`]), because the index contains only a
/// prefix of the query.
async fn all(app: &App, platform: &PlatformRecord, question: &str) -> Result<Vec<UserId>, ApiError> {
    let found = app.engine.vault().find(tenant(platform), question, 0, MAX_CANDIDATES).await?;
    let mut all = vec![];
    for subjects in found.subjects.chunks(CANDIDATES_PER_PAGE) {
        all.extend(confirmed(app, platform, question, subjects).await?);
    }
    Ok(all)
}

/// Returns the users among `subjects` that match the whole query.
async fn confirmed(
    app: &App,
    platform: &PlatformRecord,
    question: &str,
    subjects: &[Uuid],
) -> Result<Vec<UserId>, ApiError> {
    let ids: Vec<UserId> = subjects.iter().map(|subject| UserId::from(*subject)).collect();
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let found = app.reads.aggregates().records(platform.shard, &keys).await?;
    let opener = Opener::new(app, platform, &found, ids.iter().copied()).await?;
    let mut confirmed = Vec::with_capacity(ids.len());
    for id in ids {
        let is_listed = found.user(id).is_some_and(|user| user.platform == platform.id && user.is_listed());
        if is_listed && is_found(&texts(&*opener.profile(id)?), question) {
            confirmed.push(id);
        }
    }
    Ok(confirmed)
}
