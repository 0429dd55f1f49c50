//! `POST /v3.1/users`

use std::collections::HashMap;

use actix_web::web;
use daybook_domain::{Command, Timestamp, UserId, user};
use daybook_engine::{Profile, Sealer, SubmitError};
use daybook_vault::{Class, SubjectKeys};
use uuid::Uuid;

use super::attachments;
use crate::app::App;
use crate::auth::{Gateway, PlatformOrPublicKey, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::render::Opener;
use crate::search;
use crate::wire::user::{CreateUser, NewUser, User};

/// Creates a user with documents. Their verification runs afterwards.
#[utoipa::path(
    post, path = "/v3.1/users", operation_id = "users.create",
    params(DryRun),
    request_body = CreateUser,
    responses((status = 200, body = Record<User>)),
)]
pub async fn create(
    app: web::Data<App>,
    gateway: PlatformOrPublicKey<scopes::UsersPost>,
    body: Body,
) -> Result<WithPosition<Record<User>>, ApiError> {
    let new = body.json::<CreateUser>()?.parse(&mut app.ids())?;
    let id = UserId::from_u128(app.new_id());
    let now = app.engine.clock().now();
    let platform = &gateway.platform;
    let keys = keys(&app, &gateway, id, now).await?;
    let profile = new.profile.clone();
    let sealer = Sealer::new(keys.clone(), now, app.engine.entropy());
    let command = Command::CreateUser(Box::new(command(id, platform.id, new, &sealer)?));
    if gateway.dry_run {
        let done = app.engine.submit(gateway.call(&body), command).await?;
        let opener = Opener::holding(&app, platform, &done, HashMap::from([(keys.subject(), keys)]));
        // The user does not exist, so there is no token.
        return Ok(Record(opener.user(id, "")?).at(&done));
    }
    // Registered before the user exists: if this failed afterwards, calls from any device would be accepted.
    if let Some(fingerprint) = &gateway.fingerprint {
        app.engine.access().register_fingerprint(platform, id, fingerprint, now).await?;
    }
    let nobody = Profile::default();
    search::add(&app, platform, id, &nobody, &profile).await?;
    let done = match app.engine.submit(gateway.call(&body), command).await {
        Ok(done) => done,
        Err(error) => {
            // The command was refused, so the index must not contain the user. After other errors the outcome is
            // unknown, and the entries stay.
            if matches!(error, SubmitError::Refused(_) | SubmitError::KeyUsed { .. } | SubmitError::Busy) {
                search::take_out(&app, platform, id, &profile, &nobody).await;
            }
            return Err(error.into());
        }
    };
    let token = app.engine.access().first_refresh_token(platform, id);
    let user = Opener::new(&app, platform, &done, [id]).await?.user(id, &token)?;
    Ok(Record(user).at(&done))
}

/// Creates the keys that seal all data of the user. Keys of a dry run are not stored.
async fn keys(app: &App, gateway: &Gateway, id: UserId, now: Timestamp) -> Result<SubjectKeys, ApiError> {
    let (entropy, shard) = (app.engine.entropy(), gateway.platform.shard);
    let fill = move |bytes: &mut [u8]| entropy.fill(bytes);
    let subject = Uuid::from(id);
    if gateway.dry_run {
        return Ok(app.engine.vault().passing(shard, subject, &fill)?);
    }
    Ok(app.engine.vault().create(shard, subject, now.ms(), &fill).await?)
}

fn command(
    id: UserId,
    platform: daybook_domain::PlatformId,
    new: NewUser,
    sealer: &Sealer,
) -> Result<user::create::Create, ApiError> {
    let NewUser { is_business, cip_tag, profile, documents } = new;
    let sealed = documents.into_iter().map(|document| attachments::seal_one(document, sealer));
    let (documents, images): (_, Vec<_>) = sealed.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let profile = sealer.seal(Class::Profile, &profile)?;
    let attachments = images.into_iter().flatten().collect();
    Ok(user::create::Create { id, platform, is_business, cip_tag, profile, documents, attachments })
}
