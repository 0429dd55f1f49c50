//! Open a platform: the platform, a user of its own who may send and receive, and that user's reserve, in one commit.

use super::event::Opened;
use crate::aggregate::{Fact, Key};
use crate::command::Refusal;
use crate::id::PlatformId;
use crate::node::{self, Allowed, Node};
use crate::state::States;
use crate::time::Timestamp;
use crate::transaction::receive::Receive;
use crate::user::{self, Permission, Verified};

/// Asks for a new platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The id that it shall have.
    pub id: PlatformId,
    /// The company's name.
    pub name: String,
    /// Whether banks and identity checks are simulated.
    pub sandbox: bool,
    /// Its own user.
    pub user: user::create::Create,
    /// That user's reserve.
    pub reserve: node::create::Create,
    /// What the reserve starts with, if it starts with something.
    pub credit: Option<Receive>,
}

impl Open {
    /// The states that the decision looks at.
    #[must_use]
    pub fn needs(&self) -> Vec<Key> {
        let credit = self.credit.iter().flat_map(Receive::needs);
        std::iter::once(self.id.into()).chain(credit).collect()
    }

    /// Decides. The same command again changes nothing.
    pub fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, Refusal> {
        if states.platform(self.id).is_some() {
            return Ok(vec![]);
        }
        let opened = Opened {
            name: self.name.clone(),
            sandbox: self.sandbox,
            user: self.user.id,
            reserve: self.reserve.id,
        };
        let mut facts = vec![Fact::new(self.id, opened)];
        facts.extend(self.user.decide(states)?);
        // The platform itself was identified by contract, not by documents.
        let verified = Verified { findings: vec![], permission: Permission::SendAndReceive };
        facts.push(Fact::new(self.user.id, verified));
        facts.push(Fact::new(self.reserve.id, self.reserve.created()));
        if let Some(credit) = &self.credit {
            facts.extend(credit.onto(&self.reserve_node(at), states, at)?);
        }
        Ok(facts)
    }

    fn reserve_node(&self, at: Timestamp) -> Node {
        Node {
            platform: self.id,
            user: self.user.id,
            kind: self.reserve.kind,
            allowed: Allowed::Credit,
            is_active: true,
            gateway_restricted: false,
            details: None,
            created_at: at,
        }
    }
}
