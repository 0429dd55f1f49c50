//! Intake of a file that names its platforms itself, by the accounts that it states.

use std::sync::Arc;

use super::intake::{TakenFile, aside};
use super::read::{self, OtherAccounts, Refused, StatementFormat};
use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::engine::Engine;
use crate::ops::OpsError;

/// Part of a file that is about one platform.
#[derive(Clone, Debug)]
pub struct PlatformFile {
    /// The platform.
    pub platform: Arc<PlatformRecord>,
    /// Result of the intake.
    pub taken: TakenFile,
}

impl Engine {
    /// Takes a file of the bank for every platform whose account it states.
    ///
    /// # Errors
    ///
    /// [`OpsError::Statement`] if the file is invalid, or one of its accounts is not that of exactly one platform; the
    /// refusal of a platform's statements. Nothing is accepted then, for no platform. If the service fails in the
    /// middle, the same file has to be taken again.
    pub async fn take_bank_file(
        &self,
        bytes: Arc<Vec<u8>>,
        format: &StatementFormat,
    ) -> Result<Vec<PlatformFile>, OpsError> {
        let platforms = self.platforms_in(Arc::clone(&bytes), format.clone()).await?;
        if platforms.len() > 1 {
            for platform in &platforms {
                let call = Call { dry_run: true, ..Call::of(platform.shard) };
                self.take_part(platform, call, &bytes, format).await?;
            }
        }
        let mut parts: Vec<PlatformFile> = vec![];
        for platform in platforms {
            let taken = self.take_part(&platform, Call::of(platform.shard), &bytes, format).await;
            if let (Err(error), false) = (&taken, parts.is_empty()) {
                let error = daybook_pg::Causes(error).to_string();
                tracing::error!(platform = %platform.id, error, "a file was accepted for other platforms, not for this one");
            }
            parts.push(PlatformFile { taken: taken?, platform });
        }
        Ok(parts)
    }

    async fn take_part(
        &self,
        platform: &PlatformRecord,
        call: Call,
        bytes: &Arc<Vec<u8>>,
        format: &StatementFormat,
    ) -> Result<TakenFile, OpsError> {
        let file = (bytes.to_vec(), format.clone(), OtherAccounts::Skip);
        self.take_statement(platform, call, file).await
    }

    /// Returns the platforms whose accounts a file states. A file that states no account belongs to the only platform.
    async fn platforms_in(
        &self,
        bytes: Arc<Vec<u8>>,
        format: StatementFormat,
    ) -> Result<Vec<Arc<PlatformRecord>>, OpsError> {
        let stated = aside(move || read::accounts(&bytes, &format)).await??;
        let Some(accounts) = stated else {
            return match <[_; 1]>::try_from(self.access().platforms().await?) {
                Ok(only) => Ok(only.into()),
                Err(_) => Err(Refused::NoAccount.into()),
            };
        };
        let mut platforms = self.platforms_of_accounts(&accounts).await?;
        platforms.sort_by_key(|platform| platform.id);
        platforms.dedup_by_key(|platform| platform.id);
        Ok(platforms)
    }
}
