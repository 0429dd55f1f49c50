//! Delivery: renders a cut file from recorded events and sends it to the bank.

use std::collections::HashMap;

use daybook_domain::calendar::{Day, ReturnCode, next_banking_day};
use daybook_domain::custody::cut::SendFile;
use daybook_domain::custody::{Authorizations, FileCut, Item};
use daybook_domain::posting::Rail;
use daybook_domain::transaction::withdraw::Withdraw;
use daybook_domain::transaction::{Direction, Status};
use daybook_domain::{Command, CustodyId, FileId, Key, PlatformId, Sealed, States, UserId};
use daybook_log::{Position, Shard};
use daybook_projector::{CutRow, Records};
use daybook_vault::{Class, SubjectKeys};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::outcome::{DeliveryError, ToDoError, submit};
use crate::contents::{NodeDetails, TransactionDetails};
use crate::engine::Engine;
use crate::ops::trace;
use crate::rails::ach::{EntryClass, Purpose, TOTAL_OF_CREDITS, TOTAL_OF_DEBITS};
use crate::rails::bank::{BankPort, File};
use crate::rails::{
    Destination, EntryDirection, Originator, OutgoingEntry, OutgoingFile, Unfit, ach, check, wire,
};
use crate::sealer::{SealError, open};

/// A file for a bank.
pub struct Delivery {
    /// Rail of the file.
    pub rail: Rail,
    /// Content of the file; empty if none of its entries could be written.
    pub text: String,
    /// Entries that are omitted, each with its return code. An entry is omitted if its data does not fit the format, if
    /// its owner was erased, or if the account accepts no such entry any longer. It stays open until it is returned.
    pub left_out: Vec<(Item, ReturnCode)>,
}

/// Delivers every unsent file of a bank account. A file that cannot be rendered does not block the others.
///
/// # Errors
///
/// The first problem that occurred.
pub(super) async fn deliver(engine: &Engine, shard: Shard, custody: CustodyId) -> Result<u64, ToDoError> {
    let found = engine.reads().aggregates().records(shard, &[custody.into()]).await?;
    let state = found.custody(custody).ok_or(ToDoError::MissingAggregate)?;
    let bank = engine.bank(state.platform).await?;
    let mut outcome = Ok(0);
    for file in state.unsent.iter().copied() {
        let sent = hand_over(engine, shard, (state.platform, custody, file), bank).await;
        outcome = match (outcome, sent) {
            (Ok(_), sent) => sent,
            (first, _) => first,
        };
        if matches!(outcome, Err(ToDoError::Bank(_))) {
            return outcome;
        }
    }
    outcome
}

async fn hand_over(
    engine: &Engine,
    shard: Shard,
    (platform, custody, file): (PlatformId, CustodyId, FileId),
    bank: &dyn BankPort,
) -> Result<u64, ToDoError> {
    // The file is rendered again as of this position, whatever is recorded while the bank accepts it.
    let as_of = engine.reads().aggregates().head(shard).await?;
    let moment = Moment::Unsent(as_of);
    let Delivery { rail, text, left_out } = engine.delivery(shard, platform, custody, file, moment).await?;
    for (Item { transaction: id, direction, .. }, code) in left_out {
        tracing::error!(%id, %file, %code, "left out of a file, and given back: {}", code.title());
        submit(engine, shard, Command::Withdraw(Withdraw { id, platform, direction, code })).await?;
    }
    // A file without any writable entry is not sent.
    if !text.is_empty() {
        bank.accept(File { id: file, rail, text: &text }).await?;
    }
    submit(engine, shard, Command::SendFile(SendFile { custody, file, as_of })).await
}

/// Returns the return code of an entry that cannot be written, because a field does not fit or has no value.
fn code_of(field: Option<&str>) -> Result<ReturnCode, DeliveryError> {
    let words = ["name", "bank_name", "address", "correspondent.bank_name", "correspondent.address"];
    match field {
        Some(field) if words.contains(&field) => Ok(ReturnCode::UNSUPPORTED_BY_FORMAT),
        Some("amount" | TOTAL_OF_DEBITS | TOTAL_OF_CREDITS) => Ok(ReturnCode::TOO_MUCH),
        _ => "R03".parse().map_err(|_| DeliveryError::Unknown),
    }
}

impl Engine {
    /// Renders a file from recorded events. Once the bank has accepted it, the bytes are the same every time, unless a
    /// user in it is erased.
    ///
    /// # Errors
    ///
    /// [`DeliveryError`] if there is no such file, or if its data is unavailable.
    pub async fn file(
        &self,
        shard: Shard,
        platform: PlatformId,
        custody: CustodyId,
        file: FileId,
    ) -> Result<Delivery, DeliveryError> {
        let found = self.reads().aggregates().records(shard, &[custody.into()]).await?;
        let is_unsent = found.custody(custody).is_some_and(|custody| custody.unsent.contains(&file));
        let moment = if is_unsent {
            Moment::Unsent(self.reads().aggregates().head(shard).await?)
        } else {
            Moment::Sent
        };
        self.delivery(shard, platform, custody, file, moment).await
    }

    async fn delivery(
        &self,
        shard: Shard,
        platform: PlatformId,
        custody: CustodyId,
        file: FileId,
        moment: Moment,
    ) -> Result<Delivery, DeliveryError> {
        let row = self.reads().lists().file(shard, custody, file).await?.ok_or(DeliveryError::Unknown)?;
        let as_of = match moment {
            Moment::Unsent(as_of) => as_of,
            Moment::Sent => {
                let sent = self.reads().lists().file_sent(shard, custody, &row).await?;
                sent.ok_or(DeliveryError::Unknown)?
            }
        };
        let CutRow { cut, cut_at, .. } = row;
        let record = self.access().platform(platform).await?.ok_or(DeliveryError::Unknown)?;
        let originator = trace::originator(self, &record, custody).await?;
        let contents = Contents::of(self, shard, &cut, (as_of, moment != Moment::Sent)).await?;
        let (mut entries, mut left_out) = (vec![], vec![]);
        for item in &cut.items {
            match contents.entry(item)? {
                FileContents::Entry(entry) => entries.push(*entry),
                FileContents::Nothing => left_out.push((item.clone(), code_of(None)?)),
                FileContents::Closed => left_out.push((item.clone(), ReturnCode::CLOSED)),
            }
        }
        // The value is below 36, so the lowest byte holds it.
        let [of_day, ..] = (cut.number % 36).to_le_bytes();
        let outgoing = OutgoingFile {
            id: file,
            rail: cut.rail,
            cut_at,
            of_day,
            effective: effective(cut.rail, cut.cut_off.map_or(Day::of(cut_at), |cut_off| cut_off.day)),
            entries,
        };
        fit(outgoing, &originator, &cut.items, left_out)
    }
}

/// Renders the file with as many of its entries as fit its format.
fn fit(
    mut file: OutgoingFile,
    originator: &Originator,
    items: &[Item],
    mut left_out: Vec<(Item, ReturnCode)>,
) -> Result<Delivery, DeliveryError> {
    while !file.entries.is_empty() {
        match render(&file, originator) {
            Ok(text) => return Ok(Delivery { rail: file.rail, text, left_out }),
            Err(Unfit { transaction: Some(id), field }) => {
                file.entries.retain(|entry| entry.transaction != id);
                let code = code_of(Some(field))?;
                let unfit = items.iter().filter(|item| item.transaction == id);
                left_out.extend(unfit.map(|item| (item.clone(), code)));
            }
            Err(unfit) => return Err(unfit.into()),
        }
    }
    Ok(Delivery { rail: file.rail, text: String::new(), left_out })
}

fn render(file: &OutgoingFile, originator: &Originator) -> Result<String, Unfit> {
    match file.rail {
        Rail::Ach => ach::render(file, originator),
        Rail::Wire => wire::render(file, originator),
        Rail::Check => check::render(file),
    }
}

/// ACH settles on the next banking day. A wire and a check are effective at once.
fn effective(rail: Rail, day: Day) -> Day {
    match rail {
        Rail::Ach => next_banking_day(day),
        Rail::Wire | Rail::Check => day,
    }
}

/// State of a file when it is rendered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// No bank has it. It is rendered as of this position.
    Unsent(Position),
    /// A bank has it. It is rendered as it was then.
    Sent,
}

/// Data from which the entries of a file are rendered.
struct Contents {
    transactions: Records,
    /// The nodes as they were when the file was rendered for the bank: a bank's correction concerns later files only.
    nodes: Records,
    keys: HashMap<Uuid, SubjectKeys>,
    /// Consumers' way of authorizing pulls, if the file records it.
    authorizations: Option<Authorizations>,
    /// True if no bank has received the file yet.
    is_unsent: bool,
}

/// Result of rendering an item of a file.
enum FileContents {
    /// An entry for the bank.
    Entry(Box<OutgoingEntry>),
    /// The item cannot be rendered: its data is erased or incomplete, or it was returned before.
    Nothing,
    /// The account accepts no such entry, because of an earlier return. No bank has received this entry yet.
    Closed,
}

impl Contents {
    async fn of(
        engine: &Engine,
        shard: Shard,
        cut: &FileCut,
        (as_of, is_unsent): (Position, bool),
    ) -> Result<Self, DeliveryError> {
        let ids: Vec<Key> = cut.items.iter().map(|item| item.transaction.into()).collect();
        let transactions = engine.reads().aggregates().records(shard, &ids).await?;
        let of_item = |item: &Item| {
            let transaction = transactions.transaction(item.transaction)?;
            let party = transaction.party(item.direction);
            Some((party.node()?, party.user()?, transaction.subject))
        };
        let parties: Vec<_> = cut.items.iter().filter_map(of_item).collect();
        let nodes: Vec<Key> = parties.iter().map(|(node, _, _)| Key::from(*node)).collect();
        let nodes = engine.reads().aggregates().records_at(shard, &nodes, as_of).await?;
        let mut subjects: Vec<Uuid> =
            parties.iter().flat_map(|(_, user, subject)| [uuid(*user), uuid(*subject)]).collect();
        subjects.sort_unstable();
        subjects.dedup();
        let keys = engine.vault().keys_of(shard, &subjects).await?;
        Ok(Self { transactions, nodes, keys, authorizations: cut.authorizations, is_unsent })
    }

    /// Renders `item` for a bank.
    fn entry(&self, item: &Item) -> Result<FileContents, DeliveryError> {
        let Some(transaction) = self.transactions.transaction(item.transaction) else {
            return Ok(FileContents::Nothing);
        };
        // An entry that was withdrawn before stays out, even if its node has changed since. An entry that was returned
        // before any bank received it must not be sent.
        let came_back = transaction.status == Status::Returned && item.direction != Direction::Refund;
        if !transaction.submitted.contains(&item.direction) || (self.is_unsent && came_back) {
            return Ok(FileContents::Nothing);
        }
        let party = transaction.party(item.direction);
        let (Some(node), Some(user)) = (party.node(), party.user()) else { return Ok(FileContents::Nothing) };
        let Some(state) = self.nodes.node(node) else { return Ok(FileContents::Nothing) };
        let is_pull = item.direction == Direction::Pull;
        if self.is_unsent && (state.locked_for.is_some() || (is_pull && !state.permitted.debit())) {
            return Ok(FileContents::Closed);
        }
        let node: NodeDetails = self.open(user, state.details.as_ref())?;
        let details: TransactionDetails = self.open(transaction.subject, transaction.details.as_ref())?;
        // Only names of the node: a user's names may change between two renderings.
        let name = node.payee_name.clone().or_else(|| node.name_on_account.clone());
        let direction = if is_pull { EntryDirection::Pull } else { EntryDirection::Push };
        let is_business = node.account_type.as_deref() == Some("BUSINESS");
        let purpose = match (transaction.is_micro_deposit, transaction.again) {
            (true, _) if self.authorizations.is_some() => Purpose::AccountCheck,
            (_, 1..) if is_pull => Purpose::Again,
            _ => Purpose::Payment,
        };
        let Some(destination) = Destination::of(node) else { return Ok(FileContents::Nothing) };
        Ok(FileContents::Entry(Box::new(OutgoingEntry {
            transaction: item.transaction,
            direction,
            amount_minor: item.amount,
            sequence: item.trace,
            destination,
            name: name.unwrap_or_default(),
            addendum: details.note,
            class: EntryClass::of(direction, is_business, self.authorizations),
            purpose,
        })))
    }

    /// Opens a box about `subject`. Returns the default if the user was erased.
    fn open<T: DeserializeOwned + Default>(
        &self,
        subject: UserId,
        sealed: Option<&Sealed>,
    ) -> Result<T, SealError> {
        match (self.keys.get(&uuid(subject)), sealed) {
            (Some(keys), Some(sealed)) => open(keys, Class::Profile, sealed),
            _ => Ok(T::default()),
        }
    }
}

fn uuid(user: UserId) -> Uuid {
    Uuid::from(user)
}
