//! Actors of a generated history: sandbox platforms with verified users, and their nodes with money.
//!
//! Ids depend on the seed. So a continued run finds the actors that exist, and creates the missing ones.

use daybook_domain::node::micro_deposits::{MAX_MINOR, MicroDeposits};
use daybook_domain::node::verify::VerifyMicroDeposits;
use daybook_domain::node::{self, NodeKind};
use daybook_domain::posting::Rail;
use daybook_domain::user::document::{
    Document, SubDocument, SubDocumentGroup, SubDocumentId, SubDocumentStatus,
};
use daybook_domain::user::verify::Verify;
use daybook_domain::{Bank, Command, CustodyId, Key, NodeId, PlatformId, State, TransactionId, UserId, user};
use daybook_engine::{
    Call, DocumentContents, Engine, Login, NewPlatform, NodeDetails, PayeeAddress, Profile, SHARD, Sealer,
    TransactionDetails,
};
use daybook_projector::Records;
use daybook_random::Random;
use daybook_vault::{Class, SubjectKeys};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::error::Error;
use crate::load::client::failed;
use crate::receipt::receipt;

/// Number of nodes of a person.
pub(super) const NODES_EACH: usize = 4;

/// Amount that each held node receives in each run, in minor units: a million dollars.
const FUNDS_MINOR: i64 = 100_000_000;

/// Timestamp in the chosen ids: 2026-01-01.
const BORN_MS: u128 = 1_767_225_600_000;

/// Maximum number of persons that are created at the same time: each one waits for a dozen commits, which are shared.
const MAX_CONCURRENT_CALLS: usize = 256;

/// A platform and its people.
pub(super) struct Town {
    pub(super) platform: PlatformId,
    pub(super) custody: CustodyId,
    /// Node for fees.
    pub(super) fees: NodeId,
    /// At least two persons.
    pub(super) people: Vec<Person>,
}

/// A verified user with two held nodes, a verified bank account, and an external node to send to.
pub(super) struct Person {
    number: u64,
    pub(super) id: UserId,
    pub(super) keys: SubjectKeys,
    pub(super) held: [(NodeId, NodeKind); 2],
    pub(super) bank: NodeId,
    pub(super) outside: (NodeId, NodeKind),
}

/// Returns the client id of platform number `number`.
pub(super) fn client_id(number: u16) -> String {
    format!("client_id_load_{number}")
}

impl Town {
    /// Finds or creates platform number `number`, with people for `nodes` nodes.
    pub(super) async fn settle(engine: &Engine, seed: u64, number: u16, nodes: usize) -> Result<Self, Error> {
        // The secret is not shown. A caller of the API needs a platform of its own.
        let secret = Uuid::from_bytes(engine.entropy().bytes()).to_string();
        let new = NewPlatform {
            name: &format!("Load {number}"),
            client_id: &client_id(number),
            client_secret: &secret,
            shard: None,
            sandbox: true,
            time_zone: None,
        };
        let platform = engine.ensure_platform(new).await?;
        let maker = |person: usize| Maker {
            engine: engine.clone(),
            platform: platform.id,
            seed: [seed, u64::from(number), person as u64],
        };
        let (mut people, mut making) = (vec![], JoinSet::new());
        for person in 0..nodes / NODES_EACH {
            if making.len() == MAX_CONCURRENT_CALLS {
                people.extend(making.join_next().await.transpose().map_err(failed)?.transpose()?);
            }
            making.spawn(maker(person).person());
        }
        while let Some(made) = making.join_next().await {
            people.push(made.map_err(failed)??);
        }
        // Persons are created in random order.
        people.sort_unstable_by_key(|person| person.number);
        let first = people.first().ok_or_else(|| failed("there must be at least one person"))?;
        let fees = maker(usize::MAX).fee_node(first).await?;
        let custody = CustodyId::of(platform.id, Bank::SANDBOX);
        Ok(Self { platform: platform.id, custody, fees, people })
    }
}

/// Creates one person.
struct Maker {
    engine: Engine,
    platform: PlatformId,
    seed: [u64; 3],
}

impl Maker {
    async fn person(self) -> Result<Person, Error> {
        let (engine, now) = (&self.engine, self.engine.clock().now());
        let user = UserId::from_u128(self.id(0));
        let (entropy, subject) = (engine.entropy(), Uuid::from(user));
        let fill = move |bytes: &mut [u8]| entropy.fill(bytes);
        let keys = engine.vault().create(SHARD, subject, now.ms(), &fill).await?;
        let sealer = Sealer::new(keys.clone(), now, entropy);
        let is_even = self.seed[2].is_multiple_of(2);
        let [first, second, bank, outside] = [1, 2, 3, 4].map(|thing| NodeId::from_u128(self.id(thing)));
        let nodes = [
            (first, NodeKind::DepositUs),
            (second, if is_even { NodeKind::SubaccountUs } else { NodeKind::ClearingUs }),
            (bank, NodeKind::AchUs),
            (outside, if is_even { NodeKind::WireUs } else { NodeKind::CheckUs }),
        ];
        let keys_of_all = nodes.iter().map(|(id, _)| Key::from(*id)).chain([user.into()]);
        let found = engine.reads().aggregates().records(SHARD, &keys_of_all.collect::<Vec<_>>()).await?;
        self.user(user, &sealer, &found).await?;
        for (id, kind) in nodes {
            self.node(user, id, kind, &sealer, &found).await?;
        }
        for (id, _) in &nodes[..2] {
            self.fund(*id, &sealer).await?;
        }
        let number = self.seed[2];
        Ok(Person { number, id: user, keys, held: [nodes[0], nodes[1]], bank, outside: nodes[3] })
    }

    async fn user(&self, id: UserId, sealer: &Sealer, found: &Records) -> Result<(), Error> {
        let part = self.part();
        if found.get(id).is_none() {
            let create = self.application(id, sealer)?;
            self.submit(Command::CreateUser(Box::new(create))).await?;
        }
        let record = self.engine.reads().aggregates().record(SHARD, id.into()).await?;
        let Some(State::User(user)) = record.map(|found| found.state) else {
            return Err(failed("a created user is missing"));
        };
        let findings = vec![(part, SubDocumentStatus::Valid)];
        self.submit(Command::VerifyUser(Verify { user: id, revision: user.revision, findings })).await
    }

    fn application(&self, id: UserId, sealer: &Sealer) -> Result<user::create::Create, Error> {
        let [_, town, number] = self.seed;
        let name = format!("Resident {number}");
        let email = format!("resident{number}@town{town}.example");
        let profile = Profile {
            logins: vec![Login { email: email.clone(), scope: "READ_AND_WRITE".into() }],
            phone_numbers: vec!["555-0100".into()],
            legal_names: vec![name.clone()],
            supp_id: Some(format!("resident-{number}")),
        };
        let contents = DocumentContents {
            email: Some(email),
            name: Some(name),
            entity_type: Some("NOT_KNOWN".into()),
            year: Some(1989),
            address_city: Some("San Francisco".into()),
            address_country_code: Some("US".into()),
            values: vec![(self.part().as_str().to_owned(), "2222".into())],
            ..DocumentContents::default()
        };
        let part = SubDocument {
            id: self.part(),
            group: SubDocumentGroup::Virtual,
            document_type: "SSN".into(),
            status: SubDocumentStatus::Reviewing,
            updated_at: self.engine.clock().now(),
            image: None,
        };
        let contents = Some(sealer.seal(Class::Document, &contents).map_err(failed)?);
        Ok(user::create::Create {
            id,
            platform: self.platform,
            is_business: false,
            cip_tag: 1,
            profile: sealer.seal(Class::Profile, &profile).map_err(failed)?,
            documents: vec![Document { id: self.sub_document(1), parts: vec![part], contents }],
            attachments: vec![],
        })
    }

    async fn node(
        &self,
        user: UserId,
        id: NodeId,
        kind: NodeKind,
        sealer: &Sealer,
        found: &Records,
    ) -> Result<(), Error> {
        let mut random = self.random(id.as_u128());
        let amounts = [random.between(1, MAX_MINOR - 1), random.between(1, MAX_MINOR - 1)];
        let micro_deposits = (kind == NodeKind::AchUs).then(|| MicroDeposits {
            amounts,
            transactions: [6, 7].map(|thing| TransactionId::from_u128(self.id(thing))),
        });
        let is_known = found.get(id).map(|found| &found.state);
        if is_known.is_none() {
            let details = sealer.seal(Class::Profile, &details(kind)).map_err(failed)?;
            self.submit(Command::CreateNode(node::create::Create {
                id,
                platform: self.platform,
                user,
                kind,
                is_active: true,
                gateway_restricted: false,
                micro_deposits,
                details,
            }))
            .await?;
        }
        let is_verified = matches!(is_known, Some(State::Node(node)) if node.permitted.debit());
        if micro_deposits.is_none() || is_verified {
            return Ok(());
        }
        let verify = |amounts| VerifyMicroDeposits { node: id, platform: self.platform, by: user, amounts };
        if is_known.is_none() && random.below(4) == 0 {
            self.submit(Command::VerifyMicroDeposits(verify([MAX_MINOR, MAX_MINOR]))).await?;
        }
        self.submit(Command::VerifyMicroDeposits(verify(amounts))).await
    }

    async fn fund(&self, node: NodeId, sealer: &Sealer) -> Result<(), Error> {
        let details = TransactionDetails { note: Some("Salary".into()), ..TransactionDetails::default() };
        let (entropy, now) = (self.engine.entropy(), self.engine.clock().now());
        let id = TransactionId::from_u128(entropy.ulid(now));
        self.submit(receipt(self.platform, node, id, FUNDS_MINOR, (sealer, &details))?).await
    }

    /// Returns the platform's node for fees, which belongs to `owner`.
    async fn fee_node(&self, owner: &Person) -> Result<NodeId, Error> {
        let id = NodeId::from_u128(self.id(0));
        let found = self.engine.reads().aggregates().records(SHARD, &[id.into()]).await?;
        let sealer = Sealer::new(owner.keys.clone(), self.engine.clock().now(), self.engine.entropy());
        self.node(owner.id, id, NodeKind::LedgerUs, &sealer, &found).await?;
        Ok(id)
    }

    async fn submit(&self, command: Command) -> Result<(), Error> {
        self.engine.submit(Call::of(SHARD), command).await.map(|_| ()).map_err(failed)
    }

    /// Returns the id of the only part of the person's identity document.
    fn part(&self) -> SubDocumentId {
        self.sub_document(2)
    }

    fn sub_document(&self, thing: u128) -> SubDocumentId {
        let mut random = self.random(thing);
        let mut bits = [0; 32];
        bits.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&random.bits().to_be_bytes()));
        SubDocumentId::new(bits)
    }

    /// Returns the id of an object of this person.
    fn id(&self, thing: u128) -> u128 {
        let mut random = self.random(thing);
        BORN_MS << 80 | u128::from(random.bits() & 0xffff) << 64 | u128::from(random.bits())
    }

    fn random(&self, thing: u128) -> Random {
        let [seed, town, person] = self.seed;
        Random::of(&[seed, town, person, u64::try_from(thing >> 64).unwrap_or_default(), low(thing)])
    }
}

/// Returns the lower half of a number.
#[allow(clippy::cast_possible_truncation, reason = "that is what it is for")]
fn low(number: u128) -> u64 {
    number as u64
}

fn details(kind: NodeKind) -> NodeDetails {
    let named = NodeDetails { nickname: format!("My {}", kind.as_str()), ..NodeDetails::default() };
    match kind.rail() {
        None => named,
        Some(Rail::Check) => NodeDetails {
            payee_name: Some("Grace Hopper".into()),
            payee_address: Some(PayeeAddress {
                address_street: "1 Market St.".into(),
                address_city: "San Francisco".into(),
                address_subdivision: "CA".into(),
                address_country_code: "US".into(),
                address_postal_code: "94105".into(),
            }),
            ..named
        },
        Some(Rail::Ach | Rail::Wire) => NodeDetails {
            account_num: Some("1232225674134".into()),
            routing_num: Some("051000017".into()),
            bank_name: Some("Bank of America".into()),
            name_on_account: Some("Grace Hopper".into()),
            class: Some("CHECKING".into()),
            account_type: Some("PERSONAL".into()),
            ..named
        },
    }
}
