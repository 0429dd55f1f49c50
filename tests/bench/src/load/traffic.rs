//! Requests of a load: payments of one dollar between nodes, and reads.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use daybook_random::Random;

use super::client::Call;
use crate::stage::nodes::{Node, Nodes, User};

/// Kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// A transaction between two random nodes.
    Pay,
    /// A transaction from or to one hot node.
    PayHot,
    /// This number of transactions from one node to random others, in one call.
    PayMany(usize),
    /// A read of the transaction that funded a node.
    LookAtTransaction,
    /// A read of a node with its balance.
    LookAtNode,
}

/// A request, with its effects.
pub(super) struct Asked<'a> {
    pub(super) call: Call<'a>,
    /// Number of new transactions in the log.
    pub(super) transactions: u64,
    /// Number of new entries in the lists of all users together: a transaction between two users is in two lists.
    pub(super) listings: u64,
}

/// Generator of requests about `nodes` to the service at `address`.
pub(crate) struct Traffic {
    pub(super) address: SocketAddr,
    nodes: Arc<Nodes>,
}

impl Traffic {
    /// Creates the generator.
    pub(crate) fn new(nodes: Arc<Nodes>, address: SocketAddr) -> Self {
        Self { address, nodes }
    }

    /// Returns the next request; `key` must be new.
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

/// Returns the number of lists that contain a payment: the sender's, and the receiver's unless it is the same user.
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
