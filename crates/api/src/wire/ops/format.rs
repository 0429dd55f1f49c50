//! Format of a bank's file, as the caller names it.

use daybook_engine::statements::{OtherAccounts, StatementFormat};
use utoipa::IntoParams;

use crate::description::values::{BankFileFormat, OtherBankAccounts};
use crate::error::ApiError;
use crate::in_query::Parameters;
use crate::query::Query;

/// Name of the parameter.
const FORMAT: &str = "format";

/// Name of the parameter about other accounts.
const OTHER_ACCOUNTS: &str = "other_accounts";

/// Format of a file, and the treatment of statements about other accounts.
#[derive(Clone, Debug, Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FileFormat {
    /// Format of the file: `bai2`, `camt`, `mt940`, or `csv` for Daybook's own CSV. By default, the beginning of the file
    /// tells it.
    #[param(inline, required = false, value_type = BankFileFormat)]
    pub format: StatementFormat,
    /// Treatment of statements about accounts that are not the platform's: by default the file is refused; `skip` leaves
    /// them out, and the answer names the accounts.
    #[param(inline, required = false, value_type = OtherBankAccounts)]
    pub other_accounts: OtherAccounts,
}

impl Parameters for FileFormat {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        let name = query.text(FORMAT)?;
        let format = match name.as_deref() {
            None | Some("auto") => StatementFormat::Auto,
            Some("bai2") => StatementFormat::Bai2,
            Some("camt") => StatementFormat::Camt,
            Some("mt940") => StatementFormat::Mt940,
            Some("csv") => StatementFormat::Own,
            Some(_) => {
                return Err(ApiError::invalid(FORMAT, "must be one of auto, bai2, camt, mt940 and csv"));
            }
        };
        let other_accounts = match query.text(OTHER_ACCOUNTS)?.as_deref() {
            None | Some("refuse") => OtherAccounts::Refuse,
            Some("skip") => OtherAccounts::Skip,
            Some(_) => return Err(ApiError::invalid(OTHER_ACCOUNTS, "must be one of refuse and skip")),
        };
        Ok(Self { format, other_accounts })
    }
}
