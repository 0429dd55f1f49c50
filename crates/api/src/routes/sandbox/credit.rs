//! `POST /v3.1/sandbox/nodes/{node_id}/credit`

use actix_web::{HttpRequest, web};
use daybook_domain::posting::Rail;
use daybook_domain::{Command, NodeId, TransactionId, transaction};
use daybook_engine::TransactionDetails;
use daybook_vault::Class;

use crate::app::App;
use crate::auth::Gateway;
use crate::body::Body;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::path;
use crate::render;
use crate::wire::transaction::{Credit, Transaction};

/// Simulates money from outside onto a held node, settled at once. Outside the sandbox there is no such address.
pub async fn credit(
    app: web::Data<App>,
    gateway: Gateway,
    request: HttpRequest,
    body: Body,
) -> Result<At<Record<Transaction>>, ApiError> {
    let platform = &gateway.platform;
    let to: NodeId = path::id(&request, "node_id")?;
    if !platform.sandbox {
        return Err(ApiError::NotFound);
    }
    let credit = body.json::<Credit>()?.parse()?;
    let owner = render::owner(&app, platform, to).await?;
    let sealer = app.sealer(platform, owner).await?;
    let details = TransactionDetails { note: credit.note, ..TransactionDetails::default() };
    let id = TransactionId::from_u128(app.new_id());
    let command = transaction::receive::Receive {
        id,
        platform: platform.id,
        to,
        amount: credit.amount,
        rail: Rail::Ach,
        simulated: true,
        details: sealer.seal(Class::Profile, &details)?,
    };
    let done = app.engine.submit(gateway.call(&body), Command::Receive(Box::new(command))).await?;
    Ok(Record(render::made(&app, platform, &done, id, &done.events).await?).at(done.position))
}
