//! A bank login behind `POST /v3.1/users/{user_id}/nodes`: challenges until the bank shows accounts, then their nodes.

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
use crate::auth::{Caller, dry_run, needs};
use crate::envelope::Accepted;
use crate::error::ApiError;
use crate::render::{self, Opener, View};
use crate::wire::node::{BankCall, Challenge};

/// Nodes, or what is asked before there are any.
pub(super) type Linked = Either<Nodes, Accepted<Challenge>>;

/// Takes a login one step further. A key that was used is told before a bank is asked.
pub(super) async fn link(
    app: &App,
    caller: &Caller<needs::NodesPost>,
    asked: BankCall,
) -> Result<Linked, ApiError> {
    dry_run::refuse(caller.dry_run, "a bank login: the bank would be told")?;
    let (platform, user) = (&caller.platform, caller.user);
    let call = caller.call_telling(asked.told());
    app.engine.refuse_used_key(platform.shard, &call).await?;
    let found =
        app.engine.reads().aggregates().records(platform.shard, &[platform.id.into(), user.into()]).await?;
    if found.user(user).is_some_and(|user| user.permitted.is_closed()) {
        // Before a bank is told anything.
        return Err(user::Refusal::Closed.into());
    }
    let now = found.now_of(Some(platform.id), app.engine.clock().now());
    let login = app.engine.bank_login(Customer { platform: platform.id, user }, now).await?;
    let progress = match asked {
        BankCall::Begin(credentials) => login.begin(NodeId::from_u128(app.new_id()), &credentials).await?,
        BankCall::Answer { access_token, mfa_answer } => {
            let waiting = login.waiting(access_token)?;
            if is_linked(app, caller, waiting.first()).await? {
                // Whoever lost the last answer gets it again. The bank waits for nobody by now.
                return nodes(app, caller, call, waiting.first(), vec![]).await.map(Either::Left);
            }
            login.go_on(&waiting, &mfa_answer).await?
        }
    };
    match progress {
        Progress::Asked(asked) => Ok(Either::Right(Accepted(asked.into()))),
        Progress::Shown { first, accounts } => {
            let accounts = sealed(app, caller, &found, accounts).await?;
            nodes(app, caller, call, first, accounts).await.map(Either::Left)
        }
    }
}

/// Whether the login that began with this id has ended.
async fn is_linked(app: &App, caller: &Caller<needs::NodesPost>, first: NodeId) -> Result<bool, ApiError> {
    let found = app.engine.reads().aggregates().records(caller.platform.shard, &[first.into()]).await?;
    Ok(found.node(first).is_some())
}

/// What the bank shows, compared with what the user told, in boxes.
async fn sealed(
    app: &App,
    caller: &Caller<needs::NodesPost>,
    found: &Records,
    accounts: Vec<LinkedAccount>,
) -> Result<Vec<Sealed>, ApiError> {
    let (platform, user) = (&caller.platform, caller.user);
    let profile = Opener::new(app, platform, found, [user]).await?.profile(user)?;
    let sealer = app.sealer(platform, user).await?;
    let seal = |account: LinkedAccount| sealer.seal(Class::Profile, &account.details(&profile));
    Ok(accounts.into_iter().map(seal).collect::<Result<_, _>>()?)
}

/// Makes the nodes of a login, unless they are there, and answers them.
async fn nodes(
    app: &App,
    caller: &Caller<needs::NodesPost>,
    call: Call,
    first: NodeId,
    accounts: Vec<Sealed>,
) -> Result<Nodes, ApiError> {
    let (platform, user) = (&caller.platform, caller.user);
    let command = Link { first, platform: platform.id, user, accounts };
    let done = app.engine.submit(call, command).await?;
    let view = View::now(app, platform).await?;
    let records = render::nodes(app, platform, view, Some(user), &link::ids(first)).await?;
    Ok(made(records, done.position))
}
