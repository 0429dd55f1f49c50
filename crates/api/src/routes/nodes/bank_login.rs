//! Bank login through `POST /v3.1/users/{user_id}/nodes`: challenges until the bank shows accounts, then one node per
//! account.

use actix_web::Either;
use daybook_domain::node::link::{self, Link};
use daybook_domain::{NodeId, Sealed, States, user};
use daybook_engine::Call;
use daybook_engine::bank_login::{Customer, Progress};
use daybook_engine::rails::bank_link::LinkedAccount;
use daybook_projector::Records;
use daybook_vault::Class;

use super::answer::{Nodes, made};
use crate::app::App;
use crate::auth::{Caller, dry_run, scopes};
use crate::envelope::Accepted;
use crate::error::ApiError;
use crate::render::{self, Opener, View};
use crate::wire::node::{BankCall, Challenge};

/// Answer with the new nodes, or with the next challenge.
pub(super) type Linked = Either<Nodes, Accepted<Challenge>>;

/// Advances a bank login by one step. A used idempotency key is refused before the bank is called.
pub(super) async fn link(
    app: &App,
    caller: &Caller<scopes::NodesPost>,
    asked: BankCall,
) -> Result<Linked, ApiError> {
    dry_run::refuse(caller.dry_run, "a bank login: the bank would be called")?;
    let (platform, user) = (&caller.platform, caller.user);
    let call = caller.call_without_secrets(asked.told());
    app.engine.refuse_used_key(&call).await?;
    let found =
        app.engine.reads().aggregates().records(platform.shard, &[platform.id.into(), user.into()]).await?;
    if found.user(user).is_some_and(|user| user.permitted.is_closed()) {
        // Checked before the bank is called.
        return Err(user::Refusal::Closed.into());
    }
    let now = found.now_of(Some(platform.id), app.engine.clock().now());
    let login = app.engine.bank_login(Customer { platform: platform.id, user }, now).await?;
    let progress = match asked {
        BankCall::Begin(credentials) => login.begin(NodeId::from_u128(app.new_id()), &credentials).await?,
        BankCall::Answer { access_token, mfa_answer } => {
            let waiting = login.waiting(access_token)?;
            if is_linked(app, caller, waiting.first()).await? {
                // A client that lost the last answer gets it again. The bank's session has already ended.
                return nodes(app, caller, call, waiting.first(), vec![]).await.map(Either::Left);
            }
            login.go_on(&waiting, &mfa_answer).await?
        }
    };
    match progress {
        Progress::Challenged(asked) => Ok(Either::Right(Accepted(asked.into()))),
        Progress::Shown { first, accounts } => {
            let accounts = sealed(app, caller, &found, accounts).await?;
            nodes(app, caller, call, first, accounts).await.map(Either::Left)
        }
    }
}

/// Returns true if the login with this first node has already created its nodes.
async fn is_linked(app: &App, caller: &Caller<scopes::NodesPost>, first: NodeId) -> Result<bool, ApiError> {
    let found = app.engine.reads().aggregates().records(caller.platform.shard, &[first.into()]).await?;
    Ok(found.node(first).is_some())
}

/// Seals the accounts that the bank shows, after comparing each with the user's profile.
async fn sealed(
    app: &App,
    caller: &Caller<scopes::NodesPost>,
    found: &Records,
    accounts: Vec<LinkedAccount>,
) -> Result<Vec<Sealed>, ApiError> {
    let (platform, user) = (&caller.platform, caller.user);
    let profile = Opener::new(app, platform, found, [user]).await?.profile(user)?;
    let sealer = app.sealer(platform, user).await?;
    let seal = |account: LinkedAccount| sealer.seal(Class::Profile, &account.details(&profile));
    Ok(accounts.into_iter().map(seal).collect::<Result<_, _>>()?)
}

/// Creates the nodes of a login unless they exist, and returns them.
async fn nodes(
    app: &App,
    caller: &Caller<scopes::NodesPost>,
    call: Call,
    first: NodeId,
    accounts: Vec<Sealed>,
) -> Result<Nodes, ApiError> {
    let (platform, user) = (&caller.platform, caller.user);
    let command = Link { first, platform: platform.id, user, accounts };
    let done = app.engine.submit(call, command).await?;
    let view = View::unchanged(app, platform).await?;
    let records = render::nodes(app, platform, view, Some(user), &link::ids(first)).await?;
    Ok(made(records, done.position))
}
