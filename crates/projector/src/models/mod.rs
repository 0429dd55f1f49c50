//! The registry of all read models: one line for each. The folder of a read model declares it.

pub(crate) mod balances;
pub(crate) mod breaks;
pub(crate) mod custodies;
pub(crate) mod daily;
pub(crate) mod entries;
pub(crate) mod evidence;
pub(crate) mod files;
pub(crate) mod ledger;
pub(crate) mod members;
pub(crate) mod nodes;
pub(crate) mod open_items;
pub(crate) mod operations;
pub(crate) mod parties;
pub(crate) mod platforms;
pub(crate) mod projection;
pub(crate) mod queued;
pub(crate) mod record;
pub(crate) mod roles;
mod set;
pub(crate) mod statements;
pub(crate) mod subnets;
pub(crate) mod subscriptions;
pub(crate) mod to_dos;
pub(crate) mod transactions;
pub(crate) mod users;
pub(crate) mod waiting;

use daybook_domain::{Key, State};
use daybook_log::Shard;
use daybook_pg::GenericClient;
use futures::try_join;
pub(crate) use set::Models;

use self::projection::{ChangedRecord, DerivedRows, Projection};
use self::record::Row;
use crate::error::Error;
pub(crate) use crate::store::Model;
use crate::store::model::Definition;
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::Target;
use crate::store::version::Tables;

/// Generates the code that is needed for each read model. `USERS => users::Users` says that the folder `users` declares
/// [`Model::USERS`] in its constant `MODEL`, and that the projection `Users` fills it.
macro_rules! read_models {
    ($($(#[$doc:meta])* $model:ident => $folder:ident::$projection:ident,)*) => {
        /// The read models in the order of the table.
        enum Number {
            $($projection,)*
        }

        impl Model {
            $($(#[$doc])* pub const $model: Self = Self::numbered(Number::$projection as u8);)*

            /// Every read model.
            pub const ALL: [Self; DEFINITIONS.len()] = [$(Self::$model),*];

            /// Returns the declaration in its folder.
            pub(crate) const fn definition(self) -> &'static Definition {
                DEFINITIONS[self.number()]
            }
        }

        /// The declaration of each read model.
        const DEFINITIONS: &[&Definition] = &[$(&$folder::MODEL),*];

        /// The changes that a page of the log makes, by read model.
        #[derive(Default)]
        pub(crate) struct Changes {
            $(pub(crate) $folder: $folder::$projection,)*
        }

        /// The values that each projection keeps from page to page.
        #[derive(Default)]
        pub(crate) struct Carry {
            $($folder: <$folder::$projection as Projection>::Carry,)*
        }

        impl Changes {
            /// Folds one event. Only `models` take it: a rebuild of one read model needs no changes of the others.
            pub(crate) fn event(&mut self, models: Models, happened: &RecordedEvent) {
                $(if models.has(Model::$model) {
                    self.$folder.event(happened);
                })*
            }

            /// Folds one event of a record, with the state after it.
            pub(crate) fn state(&mut self, models: Models, happened: &RecordedEvent, state: &State) {
                $(if models.has(Model::$model) {
                    self.$folder.state(happened, state);
                })*
            }

            /// Folds one record that the page changed, with the values that are derived from its new state.
            pub(crate) fn record(&mut self, models: Models, changed: &ChangedRecord, after: &DerivedRows) {
                $(if models.has(Model::$model) {
                    self.$folder.record(changed, after);
                })*
            }

            /// Writes all rows of `models`; the statements are pipelined.
            pub(crate) async fn save(
                &self,
                models: Models,
                to: &Target<'_, '_>,
                changed: &[ChangedRecord],
                kept: &mut Carry,
            ) -> Result<(), Error> {
                try_join!($(async {
                    if models.has(Model::$model) {
                        self.$folder.save(to, changed, &mut kept.$folder).await?;
                    }
                    Ok::<_, Error>(())
                }),*)?;
                Ok(())
            }
        }

        /// Reads the rows of the records `keys`, with one statement for each kind; the statements are pipelined.
        pub(crate) async fn load(
            db: &impl GenericClient,
            tables: &Tables,
            shard: Shard,
            keys: &[Key],
        ) -> Result<Vec<(Key, Row)>, Error> {
            let ($($folder,)*) = try_join!($($folder::$projection::load(db, tables, shard, keys)),*)?;
            Ok([$($folder),*].into_iter().flatten().collect())
        }
    };
}

read_models! {
    /// Platforms by id.
    PLATFORMS => platforms::Platforms,
    /// Users by id.
    USERS => users::Users,
    /// Nodes by id, and those of a user.
    NODES => nodes::Nodes,
    /// Transactions by their status.
    TRANSACTIONS => transactions::Transactions,
    /// Index of the entries of every account.
    ENTRIES => entries::Entries,
    /// Newest numbers of every account.
    BALANCES => balances::Balances,
    /// Entries whose effective day is not the day of their recording.
    DAILY => daily::Daily,
    /// To-dos of the processes.
    TO_DOS => to_dos::ToDos,
    /// Members of lists, and the totals of lists.
    MEMBERS => members::Members,
    /// Parties of transactions, and with them the lists of transactions.
    PARTIES => parties::Parties,
    /// Accounts of platforms at banks.
    CUSTODIES => custodies::Custodies,
    /// Operations that operators requested.
    OPERATIONS => operations::Operations,
    /// Debits and credits of every ledger account.
    LEDGER => ledger::Ledger,
    /// Open items at banks.
    OPEN_ITEMS => open_items::OpenItems,
    /// Transactions that are queued.
    QUEUED => queued::Queued,
    /// Users and nodes that queued transactions wait for.
    WAITING => waiting::Waiting,
    /// Files that were cut for banks.
    FILES => files::Files,
    /// Subnets by id.
    SUBNETS => subnets::Subnets,
    /// Subscriptions by id.
    SUBSCRIPTIONS => subscriptions::Subscriptions,
    /// Statements of banks by id.
    STATEMENTS => statements::Statements,
    /// Evidence of months by id.
    EVIDENCE => evidence::EvidenceRecords,
    /// Roles of all operators.
    ROLES => roles::RolesRecords,
    /// Lines of statements in suspense, by id and by platform.
    BREAKS => breaks::Breaks,
}
