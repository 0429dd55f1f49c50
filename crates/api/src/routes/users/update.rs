//! `PATCH /v3.1/users/{user_id}`

use actix_web::web;
use daybook_domain::user::update::{NewProfile, Update};
use daybook_domain::user::{self, Permission};
use daybook_domain::{Actor, Command, Origin, Refusal};
use daybook_engine::access::Refreshed;
use daybook_engine::{Profile, SubmitError, Submitted};
use daybook_vault::Class;

use super::papers;
use crate::app::App;
use crate::auth::{Caller, needs};
use crate::body::Body;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::wire::user::{UpdateUser, User, UserUpdate};
use crate::{render, search};

/// How often a change is made anew because the user changed meanwhile.
const ATTEMPTS: usize = 8;

/// Changes what the user is known by, its documents, or what it may do.
pub async fn update(
    app: web::Data<App>,
    caller: Caller<needs::UserPatch>,
    body: Body,
) -> Result<At<Record<User>>, ApiError> {
    let (platform, id) = (&caller.platform, caller.user);
    check_token(&app, &caller, &body.json::<UpdateUser>()?.parse()?).await?;
    for _ in 0..ATTEMPTS {
        let Some((done, profile)) = attempt(&app, &caller, &body).await? else { continue };
        if let Some(profile) = profile {
            search::keep(&app, platform, id, profile.as_ref()).await;
        }
        return Ok(Record(render::user(&app, platform, id).await?).at(done.position));
    }
    Err(ApiError::busy())
}

/// A token need not come, but one that comes must be good.
async fn check_token(app: &App, caller: &Caller<needs::UserPatch>, new: &UserUpdate) -> Result<(), ApiError> {
    let Some(token) = &new.refresh_token else { return Ok(()) };
    match app.engine.access().check_refresh(&caller.platform, caller.user, token).await? {
        Refreshed::Good => Ok(()),
        Refreshed::Stale => Err(ApiError::stale_refresh_token()),
    }
}

/// What the user is found by from now on, if that changes: by nothing if it went away.
type Findable = Option<Option<Profile>>;

/// Makes the change from what the user is now; nothing if that was something else when it was to be recorded.
async fn attempt(
    app: &App,
    caller: &Caller<needs::UserPatch>,
    body: &Body,
) -> Result<Option<(Submitted, Findable)>, ApiError> {
    let (platform, id) = (&caller.platform, caller.user);
    let mut new = body.json::<UpdateUser>()?.parse()?;
    let found = app.engine.reads().records(platform.shard, &[id.into()]).await?;
    let user = render::user_of(&found, platform, id)?;
    let sealer = app.sealer(platform, id).await?;
    let opener = render::Opener::new(app, platform, &found, [id]).await?;

    let cip_tag = new.profile.as_ref().and_then(|update| update.cip_tag).unwrap_or(user.cip_tag);
    let update = new.profile.take();
    let profile = update.map(|update| update.apply(opener.profile(id)?)).transpose()?;
    if let Some(profile) = &profile {
        search::add(app, platform, id, profile).await?;
    }
    let seal = |profile: &Profile| {
        Ok::<_, ApiError>(NewProfile { cip_tag, contents: sealer.seal(Class::Profile, profile)? })
    };
    let (documents, attachments) = papers::seal(
        new.documents(&user.documents, |document| opener.contents(id, document), &mut app.ids())?,
        &sealer,
    )?;
    let command = Update {
        user: id,
        platform: platform.id,
        revision: user.revision,
        profile: profile.as_ref().map(seal).transpose()?,
        documents,
        attachments,
        permission: new.permission,
        by_gateway: caller.by_gateway,
        origin: Origin::of(Actor::User(id)),
    };
    let goes_away = new.permission == Some(Permission::MakeItGoAway);
    let findable = if goes_away { Some(None) } else { profile.map(Some) };
    match app.engine.submit(caller.call(body), Command::UpdateUser(Box::new(command))).await {
        Ok(done) => Ok(Some((done, findable))),
        Err(SubmitError::Refused(Refusal::User(user::Refusal::Stale))) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
