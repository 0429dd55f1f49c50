//! `PATCH /v3.1/users/{user_id}`

use actix_web::web;
use daybook_domain::user::update::{NewProfile, Update};
use daybook_domain::user::{self, Document, Permission};
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
        let Some((done, renamed)) = attempt(&app, &caller, &body).await? else { continue };
        if let Some(Renamed { before, after }) = renamed {
            search::take_out(&app, platform, id, &before, after.as_ref()).await;
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

/// What a user was found by, and is from now on: by nothing if it went away.
struct Renamed {
    before: Profile,
    after: Option<Profile>,
}

/// Makes the change; nothing if the user was something else when it was to be recorded.
async fn attempt(
    app: &App,
    caller: &Caller<needs::UserPatch>,
    body: &Body,
) -> Result<Option<(Submitted, Option<Renamed>)>, ApiError> {
    let (command, renamed) = draft(app, caller, body).await?;
    match app.engine.submit(caller.call(body), Command::UpdateUser(Box::new(command))).await {
        Ok(done) => Ok(Some((done, renamed))),
        Err(SubmitError::Refused(Refusal::User(user::Refusal::Stale))) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The change, made from what the user is now. What it will be found by is looked for from here on.
async fn draft(
    app: &App,
    caller: &Caller<needs::UserPatch>,
    body: &Body,
) -> Result<(Update, Option<Renamed>), ApiError> {
    let (platform, id) = (&caller.platform, caller.user);
    let mut new = body.json::<UpdateUser>()?.parse()?;
    let found = app.engine.reads().records(platform.shard, &[id.into()]).await?;
    let user = render::user_of(&found, platform, id)?;
    let sealer = app.sealer(platform, id).await?;
    let opener = render::Opener::new(app, platform, &found, [id]).await?;

    let cip_tag = new.profile.as_ref().and_then(|update| update.cip_tag).unwrap_or(user.cip_tag);
    let before = opener.profile(id)?;
    let profile = new.profile.take().map(|update| update.apply(before.clone())).transpose()?;
    let mut sealed = None;
    if let Some(profile) = &profile {
        search::add(app, platform, id, profile).await?;
        sealed = Some(NewProfile { cip_tag, contents: sealer.seal(Class::Profile, profile)? });
    }
    let open = |document: &Document| opener.contents(id, document);
    let papers = new.documents(&user.documents, open, &mut app.ids())?;
    let (documents, attachments) = papers::seal(papers, &sealer)?;
    let goes_away = new.permission == Some(Permission::MakeItGoAway);
    let is_renamed = goes_away || profile.is_some();
    let renamed = is_renamed.then_some(Renamed { before, after: profile.filter(|_| !goes_away) });
    let update = Update {
        user: id,
        platform: platform.id,
        revision: user.revision,
        profile: sealed,
        documents,
        attachments,
        permission: new.permission,
        by_gateway: caller.by_gateway,
        origin: Origin::of(Actor::User(id)),
    };
    Ok((update, renamed))
}
