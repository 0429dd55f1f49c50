//! Desk: a sandbox platform of its own with two operators, who work on the statements of its bank while the services are
//! killed. Each has a service of their own.

mod acts;
pub mod file;
mod seat;
pub mod served;
mod step;
mod work;

use hyper::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use served::Served;
pub use step::{Step, Taken};
pub use work::work;

use crate::client::Client;
use crate::error::{Result, failed};
use crate::world::{Credentials, Maker, User};

/// Name of the workload in `--workload`.
pub const NAME: &str = "statements";
/// Number of operators.
pub const OPERATORS: usize = 2;
/// Initial balance of the node that pays and gets what no item explains, in minor units.
const FUNDS: i64 = 100_000_000;
/// Amounts of the sandbox's micro-deposits.
const MICRO_DEPOSITS: [f64; 2] = [0.1, 0.1];
/// Seconds of a day, and of its first half.
pub(crate) const DAY_S: i64 = 86_400;
const NOON_S: i64 = DAY_S / 2;

/// The platform, its operators, and the nodes of its own user.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Desk {
    /// Id of the platform.
    pub platform: String,
    /// Public half of the platform's credentials.
    pub client_id: String,
    /// Gateway credentials: `client_id|client_secret`.
    pub gateway: String,
    /// Credentials of the operators: `operator_id|operator_secret`.
    pub operators: Vec<String>,
    /// User with the node `house`.
    pub user: User,
    /// DEPOSIT-US node with much money.
    pub house: String,
    /// ACH-US node that pulls take money from.
    pub bank: String,
}

/// Credentials of an operator, as `daybook operator create --json` prints them.
#[derive(Clone, Debug, Deserialize)]
pub struct OperatorCredentials {
    operator_id: String,
    operator_secret: String,
}

impl Desk {
    /// Creates the nodes through `client`, and advances the platform's clock to noon, so that no day ends by itself.
    pub async fn make(
        client: &mut Client,
        of: &Credentials,
        operators: &[OperatorCredentials],
    ) -> Result<Self> {
        let mut maker = Maker::of(client, of);
        let mut user = maker.session(of.user_id()).await?;
        let house = maker.node(&user, "DEPOSIT-US").await?;
        maker.fund(&house, FUNDS).await?;
        user.nodes.push(house.clone());
        let bank = bank_node(&mut maker, &user).await?;
        to_noon(&mut maker).await?;
        let operators: Vec<String> =
            operators.iter().map(|it| format!("{}|{}", it.operator_id, it.operator_secret)).collect();
        let first = operators.first().ok_or_else(|| failed("there must be an operator"))?;
        let headers = vec![("x-sp-operator", first.clone())];
        let path = format!("/ops/platforms/{}/reconciliation", of.client_id());
        let tied = maker.call(Method::GET, &path, headers, Value::Null).await?;
        let platform = tied.text("/platform_id").to_owned();
        let (client_id, gateway) = (of.client_id().to_owned(), of.gateway());
        Ok(Self { platform, client_id, gateway, operators, user, house, bank })
    }
}

/// Creates an ACH-US node that can be debited.
async fn bank_node(maker: &mut Maker<'_>, user: &User) -> Result<String> {
    let info = json!({"nickname": "Bank", "account_num": "1232225674134", "routing_num": "021000021",
        "type": "PERSONAL", "class": "CHECKING"});
    let (path, body) = (format!("/users/{}/nodes", user.id), json!({"type": "ACH-US", "info": info}));
    let made = maker.call(Method::POST, &path, user.headers(), body).await?;
    let node = made.text("/nodes/0/_id").to_owned();
    let told = json!({"micro": MICRO_DEPOSITS});
    maker.call(Method::PATCH, &format!("{path}/{node}"), user.headers(), told).await?;
    Ok(node)
}

/// Advances the clock of the platform to noon of the next day.
async fn to_noon(maker: &mut Maker<'_>) -> Result<()> {
    let path = "/sandbox/clock/advance";
    let told = maker.platform(Method::POST, path, json!({"seconds": 1})).await?;
    let now_s = told.body["now"].as_i64().ok_or_else(|| failed("the platform has no clock"))? / 1_000;
    let seconds = DAY_S + NOON_S - now_s.rem_euclid(DAY_S);
    maker.platform(Method::POST, path, json!({"seconds": seconds})).await.map(drop)
}
