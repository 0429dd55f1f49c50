//! `PATCH /v3.1/users/{user_id}`

use actix_web::web;
use daybook_domain::user::update::{NewProfile, Update};
use daybook_domain::user::{self, Document, Permission};
use daybook_domain::{Actor, Origin, Refusal};
use daybook_engine::access::RefreshTokenCheck;
use daybook_engine::{Profile, SubmitError, Submitted};
use daybook_vault::Class;

use super::attachments;
use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::render::{self, View};
use crate::search;
use crate::wire::user::{ProfileUpdate, UpdateUser, User, UserUpdate};

/// Maximum number of attempts if concurrent calls change the same user.
const MAX_ATTEMPTS: usize = 32;

/// Changes the profile, the documents or the permission of the user.
#[utoipa::path(
    patch, path = "/v3.1/users/{user_id}", operation_id = "users.update",
    params(DryRun),
    request_body = UpdateUser,
    responses((status = 200, body = Record<User>)),
)]
pub async fn update(
    app: web::Data<App>,
    caller: Caller<scopes::UserPatch>,
    body: Body,
) -> Result<WithPosition<Record<User>>, ApiError> {
    let (platform, id) = (&caller.platform, caller.user);
    check_token(&app, &caller, &body.json::<UpdateUser>()?.parse()?).await?;
    for _ in 0..MAX_ATTEMPTS {
        let Some(done) = attempt(&app, &caller, &body).await? else { continue };
        let view = View::after(&app, platform, &done).await?;
        return Ok(Record(render::user(&app, platform, view, id).await?).at(&done));
    }
    Err(ApiError::busy())
}

/// Checks the refresh token if the body contains one.
async fn check_token(
    app: &App,
    caller: &Caller<scopes::UserPatch>,
    new: &UserUpdate,
) -> Result<(), ApiError> {
    let Some(token) = &new.refresh_token else { return Ok(()) };
    match app.engine.access().check_refresh(&caller.platform, caller.user, token).await? {
        RefreshTokenCheck::Good => Ok(()),
        RefreshTokenCheck::Stale => Err(ApiError::stale_refresh_token()),
    }
}

/// Profile of a user before and after a change of its searchable fields.
struct Renamed {
    before: Profile,
    after: Profile,
}

/// Submits the change; returns `None` if a concurrent call changed the user. New search entries are added before the
/// commit; if the change is refused they are removed, otherwise the old entries are.
async fn attempt(
    app: &App,
    caller: &Caller<scopes::UserPatch>,
    body: &Body,
) -> Result<Option<Submitted>, ApiError> {
    let (platform, id) = (&caller.platform, caller.user);
    let (command, renamed) = draft(app, caller, body).await?;
    // A dry run does not change the search index.
    let renamed = renamed.filter(|_| !caller.dry_run);
    if let Some(Renamed { before, after }) = &renamed {
        search::add(app, platform, id, before, after).await?;
    }
    let outcome = app.engine.submit(caller.call(body), command).await;
    match (&outcome, &renamed) {
        (Ok(_), Some(Renamed { before, after })) => {
            search::take_out(app, platform, id, before, after).await;
        }
        // The outcome is unknown, so the entries stay.
        (Err(SubmitError::Unavailable | SubmitError::Failed), _) | (_, None) => {}
        (Err(_), Some(Renamed { before, after })) => {
            search::take_out(app, platform, id, after, before).await;
        }
    }
    match outcome {
        Ok(done) => Ok(Some(done)),
        Err(SubmitError::Refused(Refusal::User(user::Refusal::Stale))) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Makes the command from the user's current state.
async fn draft(
    app: &App,
    caller: &Caller<scopes::UserPatch>,
    body: &Body,
) -> Result<(Update, Option<Renamed>), ApiError> {
    let (platform, id) = (&caller.platform, caller.user);
    let mut new = body.json::<UpdateUser>()?.parse()?;
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    let user = render::user_of(&found, platform, id)?;
    let sealer = app.sealer(platform, id).await?;
    let opener = render::Opener::new(app, platform, &found, [id]).await?;

    let cip_tag = new.profile.as_ref().and_then(ProfileUpdate::cip_tag).unwrap_or(user.cip_tag);
    let before = Profile::clone(&*opener.profile(id)?);
    let update = new.profile.take();
    let after = update.map_or_else(|| Ok(before.clone()), |update| update.apply(before.clone()))?;
    let is_new = after != before || cip_tag != user.cip_tag;
    let profile = is_new.then(|| sealer.seal(Class::Profile, &after)).transpose()?;
    let profile = profile.map(|contents| NewProfile { cip_tag, contents });
    let open = |document: &Document| opener.contents(id, document);
    let drafts = new.documents(&user.documents, open, &mut app.ids())?;
    let (documents, attachments) = attachments::seal(drafts, &sealer)?;
    let goes_away = new.permission == Some(Permission::MakeItGoAway);
    let after = if goes_away { Profile::default() } else { after };
    let renamed = (after != before).then_some(Renamed { before, after });
    let update = Update {
        user: id,
        platform: platform.id,
        revision: user.revision,
        profile,
        documents,
        attachments,
        permission: new.permission,
        by_gateway: caller.by_gateway,
        origin: Origin::of(Actor::User(id)),
    };
    Ok((update, renamed))
}
