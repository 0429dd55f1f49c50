//! A ledger with a journal, a transfer template, and accounts.

use std::sync::Arc;

use cala_ledger::account::NewAccount;
use cala_ledger::job::{JobSvcConfig, Jobs};
use cala_ledger::journal::NewJournal;
use cala_ledger::tx_template::{
    NewParamDefinition, NewTxTemplate, NewTxTemplateEntry, NewTxTemplateTransaction, ParamDataType,
};
use cala_ledger::{
    AccountId, CalaLedger, CalaLedgerConfig, Currency, DebitOrCredit, JournalId, TxTemplateId,
};
use rust_decimal::Decimal;
use sqlx::PgPool;

use super::transfers::{AMOUNT, Receiver, TEMPLATE, Transfers};
use crate::random::Random;
use crate::{Error, database};

const ACCOUNTS: usize = 1_000;

/// State of a load.
pub(super) struct Book {
    pool: PgPool,
    ledger: CalaLedger,
    journal: JournalId,
    accounts: Arc<[AccountId]>,
    /// The ledger requires it. It is not started, because only account sets need it.
    _jobs: Jobs,
}

impl Book {
    /// Creates the tables by the crate's own migrations, and everything else by its functions.
    pub(super) async fn open(pool: PgPool) -> Result<Self, Error> {
        let mut jobs = Jobs::init(JobSvcConfig::builder().pool(pool.clone()).build()?).await?;
        let config = CalaLedgerConfig::builder().pool(pool.clone()).exec_migrations(true).build()?;
        let ledger = CalaLedger::init(config, &mut jobs).await?;
        let journal = JournalId::new();
        ledger.journals().create(NewJournal::builder().id(journal).name("transfers").build()).await?;
        ledger.tx_templates().create(template(journal)?).await?;
        let accounts: Arc<[_]> = (0..ACCOUNTS).map(|_| AccountId::new()).collect();
        ledger.accounts().create_all(accounts.iter().copied().map(account).collect()).await?;
        Ok(Self { pool, ledger, journal, accounts, _jobs: jobs })
    }

    /// Returns the transfers of one task.
    pub(super) fn transfers(&self, task: usize, receiver: Receiver) -> Transfers {
        Transfers {
            ledger: self.ledger.clone(),
            accounts: Arc::clone(&self.accounts),
            receiver,
            random: Random::of(task),
        }
    }

    /// Fails unless every acknowledged transfer exists with two entries, and the balances contain it.
    pub(super) async fn must_hold(&self, acknowledged: u64) -> Result<(), Error> {
        database::must_hold(&self.pool, "cala_transactions", acknowledged).await?;
        database::must_hold(&self.pool, "cala_entries", 2 * acknowledged).await?;
        let ids: Vec<_> =
            self.accounts.iter().map(|account| (self.journal, *account, Currency::USD)).collect();
        let balances = self.ledger.balances().find_all(&ids).await?;
        let settled = || balances.values().map(|balance| &balance.details.settled);
        let debits: Decimal = settled().map(|amount| amount.dr_balance).sum();
        let credits: Decimal = settled().map(|amount| amount.cr_balance).sum();
        let moved = Decimal::from(acknowledged) * AMOUNT;
        database::must_be("debits", debits, moved)?;
        database::must_be("credits", credits, moved)
    }
}

fn account(id: AccountId) -> NewAccount {
    NewAccount::builder()
        .id(id)
        .name(format!("account {id}"))
        .code(id.to_string())
        .normal_balance_type(DebitOrCredit::Credit)
        .build()
}

/// Returns the template: a debit of the sender and a credit of the receiver.
fn template(journal: JournalId) -> Result<NewTxTemplate, Error> {
    let parameter = |name: &str, kind| NewParamDefinition::builder().name(name).r#type(kind).build();
    let entry = |direction: &str, account: &str| {
        NewTxTemplateEntry::builder()
            .entry_type(format!("'TRANSFER_{direction}'"))
            .account_id(account)
            .layer("SETTLED")
            .direction(direction)
            .units("params.amount")
            .currency("'USD'")
            .build()
    };
    let transaction = NewTxTemplateTransaction::builder()
        .effective("date()")
        .journal_id(format!("uuid('{journal}')"))
        .build()?;
    let template = NewTxTemplate::builder()
        .id(TxTemplateId::new())
        .code(TEMPLATE)
        .params(vec![
            parameter("sender", ParamDataType::Uuid)?,
            parameter("receiver", ParamDataType::Uuid)?,
            parameter("amount", ParamDataType::Decimal)?,
        ])
        .transaction(transaction)
        .entries(vec![entry("DEBIT", "params.sender")?, entry("CREDIT", "params.receiver")?])
        .build();
    Ok(template)
}
