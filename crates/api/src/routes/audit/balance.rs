//! `GET /audit/nodes/{node_id}/balance`

use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::{AccountId, NodeId, States};
use daybook_engine::BalanceError;

use crate::app::App;
use crate::auth::Gateway;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::wire::amount::OfCurrency;
use crate::wire::audit::balance::BalanceProof;
use crate::wire::moment::{self, AsOf};

/// Returns the balance of a node of the platform with its proof, current or at an earlier moment.
#[utoipa::path(
    get, path = "/audit/nodes/{node_id}/balance", operation_id = "audit.balance",
    responses((status = 200, body = BalanceProof)),
)]
pub async fn balance(
    app: web::Data<App>,
    gateway: Gateway,
    path: InPath<NodeId>,
    as_of: InQuery<AsOf>,
    currency: InQuery<OfCurrency>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let _place = app.resource_limits.prove(&request).await?;
    let platform = &gateway.platform;
    let OfCurrency { currency } = currency.values()?;
    let until = as_of.values()?.until(app.engine.clock().now())?;
    let node = path.ids()?;
    let found = app.engine.reads().aggregates().records(platform.shard, &[node.into()]).await?;
    found.node(node).filter(|node| node.platform == platform.id).ok_or(ApiError::NotFound)?;
    let account = AccountId::of(node, currency);
    let audit = app.audit.of(platform.shard).map_err(BalanceError::from)?;
    let proved = audit.balance(app.engine.reads(), platform.id, account, until).await?;
    Ok(HttpResponse::Ok().json(BalanceProof::from(&proved)))
}

impl From<BalanceError> for ApiError {
    fn from(error: BalanceError) -> Self {
        match error {
            BalanceError::Beyond => moment::beyond(),
            BalanceError::NoEntry => {
                Self::Unsupported("no_entries", "The node has no entries in this currency.".into())
            }
            BalanceError::NotAttested(up_to) => {
                let text =
                    format!("The newest entry can be proved up to position {up_to} so far; try again later.");
                Self::Unsupported("not_attested", text.into())
            }
            BalanceError::Failed(error) => error.into(),
        }
    }
}
