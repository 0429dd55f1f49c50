//! `daybook dev`: a sandbox with fixed credentials, on loopback only.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use daybook_api::Hosts;
use daybook_domain::id::OperatorId;
use daybook_engine::access::{Access, OperatorRecord, PlatformRecord, operator_id_text};
use daybook_engine::{Clock, Engine, NewPlatform};

use crate::config::Dev;
use crate::database::{Database, unless_stopped};
use crate::error::Error;
use crate::ingress::Ingress;
use crate::keys::Keys;
use crate::out;
use crate::service::{Listeners, Service, client};

/// Publicly known credentials. Because of them, `dev` listens on loopback only.
const CLIENT_ID: &str = "client_id_dev";
const CLIENT_SECRET: &str = "client_secret_dev";

/// Two operators, so that one can approve an operation of the other: id, name and secret.
const OPERATORS: [(OperatorId, &str, &str); 2] = [
    (OperatorId::from_u128(1), "First operator", "operator_secret_dev_1"),
    (OperatorId::from_u128(2), "Second operator", "operator_secret_dev_2"),
];

/// Serves until the process is told to stop.
///
/// # Errors
///
/// Fails if the database cannot be started or the address cannot be listened on.
pub async fn run(options: Dev) -> Result<(), Error> {
    if !options.service.listen.ip().is_loopback() {
        let text =
            "dev has publicly known credentials and listens on loopback only; use serve for other addresses";
        return Err(Error::Usage(text.into()));
    }
    // The addresses are bound first: no database is created for a service that cannot serve.
    let listeners = Listeners::bind(&options.service, true)?;
    let ingress = Ingress::open(&options.service.http_limits)?;
    let database = Database::make(&options.database).await?;
    let served = Box::pin(serve(options, listeners, ingress, &database)).await;
    database.stop().await?;
    served
}

async fn serve(
    options: Dev,
    listeners: Listeners,
    ingress: Ingress,
    database: &Database,
) -> Result<(), Error> {
    let (service, platform) = Box::pin(unless_stopped(start(&options, ingress, database))).await?;
    let mut options = options.service;
    // No load balancer needs time to notice that the sandbox stops.
    options.drain.get_or_insert_default();
    let ready = |base: &str| Ok(crate::say!("{}", welcome(base, &platform))?);
    // Ends the service when the reader of its output is gone.
    let alone = async {
        out::unread().await;
        io::Error::from(ErrorKind::BrokenPipe).into()
    };
    let served = service.serve(&options, listeners, ready, alone).await;
    service.stop().await;
    served
}

/// Starts everything except HTTP, with the sandbox platform and its publicly known credentials.
async fn start(
    options: &Dev,
    ingress: Ingress,
    database: &Database,
) -> Result<(Service, Arc<PlatformRecord>), Error> {
    let keys = Keys::of(&options.database, &database.pg).await?;
    let settings = options.service.settings();
    let mut service = Service::start_with(database.pg.clone(), keys, settings, &options.bank).await?;
    service.client = client(true)?;
    service.watch(&options.service);
    // The credentials are publicly known: web pages of other origins in a local browser must not be able to use them.
    let hosts = Hosts::of(options.service.listen.ip(), &options.service.http_limits.allow_host);
    service.ingress = ingress.called(hosts);
    let new = NewPlatform {
        name: "Sandbox",
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        sandbox: true,
        shard: None,
        time_zone: None,
    };
    let platform = service.engine.ensure_platform(new).await?;
    make_operators(&service.engine).await?;
    if !opens_platform(service.engine.access()).await? {
        tracing::warn!(
            "the secret of {CLIENT_ID} was rotated or revoked: the secret that is shown here is not valid"
        );
    }
    Ok((service, platform))
}

/// Returns true if the credentials of the sandbox platform are valid. Like all others, they can be rotated and revoked.
async fn opens_platform(access: &Access) -> Result<bool, Error> {
    let judged = access.authenticate(CLIENT_ID, CLIENT_SECRET, Clock.now()).await?;
    Ok(judged.right().is_some())
}

/// Refuses to serve if credentials of `dev` are valid in the database.
///
/// # Errors
///
/// [`Error::DevCredentials`] with the ids of the credentials; or if the database is unavailable.
pub(super) async fn refuse_credentials(access: &Access) -> Result<(), Error> {
    let mut found = vec![];
    if opens_platform(access).await? {
        found.push(CLIENT_ID.to_owned());
    }
    for (id, _, secret) in OPERATORS {
        let text = operator_id_text(id);
        if access.authenticate_operator(&text, secret).await?.is_some() {
            found.push(text);
        }
    }
    if found.is_empty() { Ok(()) } else { Err(Error::DevCredentials(found.join(", "))) }
}

async fn make_operators(engine: &Engine) -> Result<(), Error> {
    for (id, name, secret) in OPERATORS {
        let operator = OperatorRecord { id, name: name.to_owned(), created_at: engine.clock().now() };
        engine.access().store_operator(&operator, secret).await?;
    }
    Ok(())
}

/// First steps that are printed when the sandbox is ready.
fn welcome(base: &str, platform: &PlatformRecord) -> String {
    let [(operator, _, operator_secret), _] = OPERATORS;
    let operator = operator_id_text(operator);
    let gateway = format!("-H 'X-SP-GATEWAY: {CLIENT_ID}|{CLIENT_SECRET}'");
    let json = "-H 'Content-Type: application/json'";
    let user = r#"{"logins": [{"email": "ada@example.com"}], "phone_numbers": ["555-0100"], "legal_names": ["Ada Lovelace"]}"#;
    let credit = r#"{"amount": {"amount": 100.00, "currency": "USD"}}"#;
    format!(
        "Daybook is ready at {base}\n\n\
         Try it in a browser: {base}/docs\n\n\
         client_id      {CLIENT_ID}\n\
         client_secret  {CLIENT_SECRET}\n\
         user_id        {user_id}   (the platform's own user)\n\
         operator       -H 'X-SP-OPERATOR: {operator}|{operator_secret}'\n\n\
         Create a user, look at the platform's own, put money onto its reserve:\n\n\
         curl -s -X POST {base}/v3.1/users {gateway} -H 'X-SP-USER: |device-1' {json} -d '{user}'\n\n\
         curl -s {base}/v3.1/users/{user_id} {gateway}\n\n\
         curl -s -X POST {base}/v3.1/sandbox/nodes/{reserve}/credit {gateway} {json} -d '{credit}'\n",
        user_id = platform.user,
        reserve = platform.reserve,
    )
}
