//! `POST /v3.1/users`

use actix_web::web;
use daybook_domain::{Command, UserId, user};
use daybook_engine::{Profile, Sealer, SubmitError};
use daybook_vault::Class;
use uuid::Uuid;

use super::papers;
use crate::app::App;
use crate::auth::Gateway;
use crate::body::Body;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::wire::user::{CreateUser, NewUser, User};
use crate::{render, search};

/// Creates a user with its documents; their verification runs afterwards.
pub async fn create(app: web::Data<App>, gateway: Gateway, body: Body) -> Result<At<Record<User>>, ApiError> {
    let entropy = app.engine.entropy();
    let new = body.json::<CreateUser>()?.parse(&mut app.ids())?;
    let id = UserId::from_u128(app.new_id());
    let now = app.engine.clock().now();
    let platform = &gateway.platform;
    let fill = move |bytes: &mut [u8]| entropy.fill(bytes);
    let keys =
        app.engine.vault().create(platform.shard, Uuid::from_u128(id.as_u128()), now.ms(), &fill).await?;
    let profile = new.profile.clone();
    let command = command(id, platform.id, new, &Sealer::new(keys, now, entropy))?;
    // Before the user exists: afterwards it could be left out, and a user without a device may call from any.
    if let Some(fingerprint) = &gateway.fingerprint {
        app.engine.access().register_fingerprint(platform, id, fingerprint, now).await?;
    }
    let nobody = Profile::default();
    search::add(&app, platform, id, &nobody, &profile).await?;
    let done = match app.engine.submit(gateway.call(&body), Command::CreateUser(Box::new(command))).await {
        Ok(done) => done,
        Err(error) => {
            // Whoever was not made shall not be counted. Nobody knows what became of it if the log is away.
            if matches!(error, SubmitError::Refused(_) | SubmitError::KeyUsed { .. } | SubmitError::Busy) {
                search::take_out(&app, platform, id, &profile, &nobody).await;
            }
            return Err(error.into());
        }
    };
    let token = app.engine.access().first_refresh_token(platform, id);
    let user = render::Opener::new(&app, platform, &done, [id]).await?.user(id, &token)?;
    Ok(Record(user).at(done.position))
}

fn command(
    id: UserId,
    platform: daybook_domain::PlatformId,
    new: NewUser,
    sealer: &Sealer,
) -> Result<user::create::Create, ApiError> {
    let NewUser { is_business, cip_tag, profile, documents } = new;
    let sealed = documents.into_iter().map(|document| papers::seal_one(document, sealer));
    let (documents, images): (_, Vec<_>) = sealed.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let profile = sealer.seal(Class::Profile, &profile)?;
    let attachments = images.into_iter().flatten().collect();
    Ok(user::create::Create { id, platform, is_business, cip_tag, profile, documents, attachments })
}
