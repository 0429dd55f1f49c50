//! What is asked: payments of a dollar between nodes, and looks at what is there.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use daybook_random::Random;

use super::client::Call;
use crate::stage::nodes::{Node, Nodes, User};

/// What every request of a load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// A transaction between any two nodes.
    Pay,
    /// A transaction in which one and the same node sends or receives.
    PayHot,
    /// So many transactions from one node to any others, in one call.
    PayMany(usize),
    /// A look at the transaction that funded a node.
    LookAtTransaction,
    /// A look at a node, with its balance.
    LookAtNode,
}

/// A request, and what is there more when it was carried out.
pub(super) struct Asked<'a> {
    pub(super) call: Call<'a>,
    /// Transactions in the log.
    pub(super) transactions: u64,
    /// Entries in the lists of all users together: a transaction between two users is in two lists.
    pub(super) listings: u64,
}

/// Requests about `nodes` to the service at `address`.
pub(crate) struct Traffic {
    pub(super) address: SocketAddr,
    nodes: Arc<Nodes>,
}

impl Traffic {
    /// Asks nothing yet.
    pub(crate) fn new(nodes: Arc<Nodes>, address: SocketAddr) -> Self {
        Self { address, nodes }
    }

    /// The next request; `key` has not been used before.
    pub(super) fn next<'a>(&'a self, ask: Ask, random: &mut Random, key: &'a str) -> Asked<'a> {
        let nodes = &self.nodes;
        let (from, to) = match ask {
            Ask::PayHot if random.bits() & 1 == 0 => (0, nodes.other(0, random)),
            Ask::PayHot => (nodes.other(0, random), 0),
            Ask::Pay | Ask::PayMany(_) | Ask::LookAtTransaction | Ask::LookAtNode => {
                let from = random.below(nodes.count());
                (from, nodes.other(from, random))
            }
        };
        let (owner, node) = nodes.get(from);
        match ask {
            Ask::Pay | Ask::PayHot => {
                let (receiver, to) = nodes.get(to);
                let call = post(owner, node, "trans", payment(to), key);
                Asked { call, transactions: 1, listings: lists(owner, receiver) }
            }
            Ask::PayMany(count) => {
                let (mut body, mut listings) = (r#"{"transactions":["#.to_owned(), 0);
                for number in 0..count {
                    let (receiver, to) = nodes.get(nodes.other(from, random));
                    listings += lists(owner, receiver);
                    body.push_str(if number == 0 { "" } else { "," });
                    body.push_str(&payment(to));
                }
                body.push_str("]}");
                let call = post(owner, node, "batch-trans", body, key);
                Asked { call, transactions: count as u64, listings }
            }
            Ask::LookAtTransaction => get(owner, node, &format!("/trans/{}", node.funding)),
            Ask::LookAtNode => get(owner, node, ""),
        }
    }
}

/// A payment is in the list of its sender and, unless that is the same user, of its receiver.
fn lists(sender: &User, receiver: &User) -> u64 {
    if sender.id == receiver.id { 1 } else { 2 }
}

fn payment(to: &Node) -> String {
    let mut body = String::with_capacity(160);
    // Writing to a String cannot fail.
    let _ = write!(
        body,
        r#"{{"to":{{"type":"DEPOSIT-US","id":"{}"}},"amount":{{"amount":1,"currency":"USD"}},"extra":{{"ip":"127.0.0.1","note":"Bench"}}}}"#,
        to.id
    );
    body
}

fn post<'a>(owner: &'a User, from: &Node, verb: &str, body: String, key: &'a str) -> Call<'a> {
    let path = format!("/v3.1/users/{}/nodes/{}/{verb}", owner.id, from.id);
    Call { idempotency_key: Some(key), ..Call::post(path, &owner.headers, body) }
}

fn get<'a>(owner: &'a User, node: &Node, below: &str) -> Asked<'a> {
    let path = format!("/v3.1/users/{}/nodes/{}{below}", owner.id, node.id);
    Asked { call: Call::get(path, &owner.headers), transactions: 0, listings: 0 }
}
