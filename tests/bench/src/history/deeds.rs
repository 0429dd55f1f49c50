//! Actions of a generated history: transactions that settle, wait, are canceled, come back, or leave over a rail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use daybook_domain::calendar::ReturnCode;
use daybook_domain::custody::cut::{CutFile, SendFile};
use daybook_domain::node::NodeKind;
use daybook_domain::posting::Rail;
use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::transaction::cancel::Cancel;
use daybook_domain::transaction::comment::Comment as Remark;
use daybook_domain::transaction::create::Create;
use daybook_domain::transaction::queue::{Queue, Release};
use daybook_domain::transaction::returns::ReturnTransaction;
use daybook_domain::transaction::{CancelReason, Direction, Fee, QueueReason};
use daybook_domain::{Actor, Command, Currency, FileId, Money, NodeId, Origin, Sealed, TransactionId};
use daybook_engine::{Call, Comment, Engine, SHARD, Sealer, SubmitError, TransactionDetails};
use daybook_random::Random;
use daybook_vault::Class;
use serde::Serialize;
use tokio::time::sleep;

use super::cast::{Person, Town};

/// Maximum number of consecutive retries of a producer when the engine is busy or the log unavailable, and the pause
/// before each.
const MAX_FAILURES_IN_A_ROW: u32 = 30;
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum number of entries in a file.
const ENTRIES: usize = 8;

/// A producer, which creates one transaction after the other.
pub(super) struct Producer {
    pub(super) engine: Engine,
    pub(super) town: Arc<Town>,
    pub(super) random: Random,
    /// Last log position that any producer knows.
    pub(super) position: Arc<AtomicU64>,
}

/// A created transaction, with its sender.
#[derive(Clone, Copy)]
struct Payment {
    id: TransactionId,
    person: usize,
    from: NodeId,
}

impl Producer {
    /// Acts until the log has reached `end`.
    pub(super) async fn work(mut self, end: u64) -> Result<(), SubmitError> {
        let mut patience = MAX_FAILURES_IN_A_ROW;
        while self.position.load(Ordering::Relaxed) < end {
            match self.act().await {
                Ok(()) => patience = MAX_FAILURES_IN_A_ROW,
                // An incomplete transaction stays as it is.
                Err(SubmitError::Busy | SubmitError::Unavailable) if patience > 0 => {
                    patience -= 1;
                    sleep(RETRY_INTERVAL).await;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn act(&mut self) -> Result<(), SubmitError> {
        match self.random.below(100) {
            0..64 => self.settled().await.map(|_| ()),
            64..72 => self.canceled().await,
            72..79 => self.released().await,
            79..81 => self.queued().await.map(|_| ()),
            81..87 => self.returned().await,
            87..94 => self.pulled().await,
            _ => self.pushed().await,
        }
    }

    async fn settled(&mut self) -> Result<Payment, SubmitError> {
        let payment = self.pay().await?;
        self.steps(payment.id, &[Step::Debit, Step::Credit, Step::Settle]).await?;
        if self.random.below(6) == 0 {
            self.comment(payment).await?;
        }
        Ok(payment)
    }

    async fn canceled(&mut self) -> Result<(), SubmitError> {
        let payment = self.pay().await?;
        let user = self.person(payment.person)?.id;
        self.submit(Command::Cancel(Cancel {
            id: payment.id,
            platform: self.town.platform,
            sender: Some((user, payment.from)),
            reason: CancelReason::Requested,
            origin: Origin::of(Actor::User(user)),
        }))
        .await
    }

    async fn queued(&mut self) -> Result<Payment, SubmitError> {
        let payment = self.pay().await?;
        let (platform, origin) = (self.town.platform, Origin::simulated());
        self.submit(Command::Queue(Queue { id: payment.id, platform, reason: QueueReason::Risk, origin }))
            .await?;
        Ok(payment)
    }

    async fn released(&mut self) -> Result<(), SubmitError> {
        let id = self.queued().await?.id;
        let platform = Some(self.town.platform);
        self.submit(Command::Release(Release { id, platform, origin: Origin::simulated() })).await?;
        self.steps(id, &[Step::Debit, Step::Credit, Step::Settle]).await
    }

    async fn returned(&mut self) -> Result<(), SubmitError> {
        let payment = self.settled().await?;
        self.send_back(payment.id).await
    }

    /// Pulls money from bank accounts through a file; some of it is returned.
    async fn pulled(&mut self) -> Result<(), SubmitError> {
        let mut ids = vec![];
        for _ in 0..=self.random.below(ENTRIES) {
            let person = self.anybody();
            let Person { bank, held, .. } = *self.person(person)?;
            ids.push(self.create(person, bank, held[0], vec![]).await?.id);
        }
        self.all(&ids, Step::Debit).await?;
        self.file(Rail::Ach, Direction::Pull, &ids).await?;
        self.all(&ids, Step::Credit).await?;
        self.all(&ids, Step::Settle).await?;
        if self.random.below(3) == 0 {
            self.send_back(ids[0]).await?;
        }
        Ok(())
    }

    /// Pushes money to external nodes through a file.
    async fn pushed(&mut self) -> Result<(), SubmitError> {
        let by_ach = self.random.below(3) > 0;
        let first = self.anybody();
        let (mut rail, mut ids) = (Rail::Ach, vec![]);
        for _ in 0..=self.random.below(ENTRIES) {
            // Every second person has an external node of the same kind.
            let count = self.town.people.len();
            let person = (first + 2 * self.random.below(count / 2)) % count;
            let Person { bank, held, outside, .. } = *self.person(person)?;
            let to = if by_ach { (bank, NodeKind::AchUs) } else { outside };
            if ids.is_empty() {
                rail = to.1.rail().unwrap_or(Rail::Ach);
            }
            if to.1.rail() == Some(rail) {
                ids.push(self.create(person, held[0].0, to, vec![]).await?.id);
            }
        }
        self.all(&ids, Step::Debit).await?;
        self.all(&ids, Step::Credit).await?;
        self.file(rail, Direction::Push, &ids).await?;
        self.all(&ids, Step::Settle).await
    }

    /// Creates a payment between nodes of two persons, sometimes with a fee.
    async fn pay(&mut self) -> Result<Payment, SubmitError> {
        let count = self.town.people.len();
        let from = self.anybody();
        let to = (from + 1 + self.random.below(count - 1)) % count;
        let (source, target) = (self.random.below(2), self.random.below(2));
        let (from_node, _) = self.person(from)?.held[source];
        let to_node = self.person(to)?.held[target];
        let fee = Fee { minor: self.random.between(5, 50), to: self.town.fees };
        let fees = if self.random.below(3) == 0 { vec![fee] } else { vec![] };
        self.create(from, from_node, to_node, fees).await
    }

    async fn create(
        &mut self,
        person: usize,
        from: NodeId,
        (to, to_kind): (NodeId, NodeKind),
        fees: Vec<Fee>,
    ) -> Result<Payment, SubmitError> {
        let details = TransactionDetails {
            note: Some("Invoice".into()),
            ip: Some("127.0.0.1".into()),
            fee_notes: fees.iter().map(|_| None).collect(),
            supp_id: None,
        };
        let create = Create {
            id: TransactionId::from_u128(self.new_id()),
            platform: self.town.platform,
            by: self.person(person)?.id,
            from,
            to,
            to_kind,
            amount: Money::new(self.random.between(100, 20_000), Currency::USD),
            fees,
            in_days: 0,
            pace_ms: 0,
            by_gateway: false,
            attachments: vec![],
            details: self.seal(person, &details)?,
        };
        let id = create.id;
        self.submit(Command::CreateTransaction(Box::new(create))).await?;
        Ok(Payment { id, person, from })
    }

    async fn comment(&self, payment: Payment) -> Result<(), SubmitError> {
        let comment = self.seal(payment.person, &Comment { text: "Thank you".into() })?;
        let (platform, by) = (self.town.platform, self.person(payment.person)?.id);
        self.submit(Command::Comment(Remark { id: payment.id, platform, by, node: payment.from, comment }))
            .await
    }

    async fn send_back(&self, id: TransactionId) -> Result<(), SubmitError> {
        let code: ReturnCode = "R01".parse().map_err(|_| SubmitError::Failed)?;
        let (platform, origin) = (self.town.platform, Origin::simulated());
        self.submit(Command::ReturnTransaction(ReturnTransaction { id, platform, code, leg: None, origin }))
            .await
    }

    /// Cuts a file of `direction` legs and sends it to the bank.
    async fn file(&self, rail: Rail, direction: Direction, ids: &[TransactionId]) -> Result<(), SubmitError> {
        let (custody, file) = (self.town.custody, FileId::from_u128(self.new_id()));
        let items = ids.iter().map(|id| (*id, direction)).collect();
        self.submit(Command::CutFile(CutFile { custody, file, rail, items, cut_off: None })).await?;
        self.submit(Command::SendFile(SendFile { custody, file, as_of: 0 })).await
    }

    async fn all(&self, ids: &[TransactionId], step: Step) -> Result<(), SubmitError> {
        for id in ids {
            self.steps(*id, &[step]).await?;
        }
        Ok(())
    }

    async fn steps(&self, id: TransactionId, steps: &[Step]) -> Result<(), SubmitError> {
        for &step in steps {
            self.submit(Command::Advance(Advance {
                id,
                step,
                waits_for_bank: false,
                origin: Origin::PROCESS,
            }))
            .await?;
        }
        Ok(())
    }

    async fn submit(&self, command: Command) -> Result<(), SubmitError> {
        let done = self.engine.submit(Call::of(SHARD), command).await?;
        self.position.fetch_max(done.position, Ordering::Relaxed);
        Ok(())
    }

    fn anybody(&mut self) -> usize {
        self.random.below(self.town.people.len())
    }

    fn person(&self, number: usize) -> Result<&Person, SubmitError> {
        self.town.people.get(number).ok_or(SubmitError::Failed)
    }

    fn seal(&self, person: usize, contents: &impl Serialize) -> Result<Sealed, SubmitError> {
        let (keys, now) = (self.person(person)?.keys.clone(), self.engine.clock().now());
        let sealed = Sealer::new(keys, now, self.engine.entropy()).seal(Class::Profile, contents);
        sealed.map_err(|_| SubmitError::Failed)
    }

    fn new_id(&self) -> u128 {
        self.engine.entropy().ulid(self.engine.clock().now())
    }
}
