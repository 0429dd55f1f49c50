//! Format of a bank's file, as the caller names it.

use daybook_engine::statements::StatementFormat;
use utoipa::IntoParams;

use crate::description::values::BankFileFormat;
use crate::error::ApiError;
use crate::in_query::Parameters;
use crate::query::Query;

/// Name of the parameter.
const FORMAT: &str = "format";

/// Format of a file.
#[derive(Clone, Debug, Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FileFormat {
    /// Format of the file: `bai2`, `camt`, `mt940`, or `csv` for Daybook's own CSV. By default, the beginning of the file
    /// tells it.
    #[param(inline, required = false, value_type = BankFileFormat)]
    pub format: StatementFormat,
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
        Ok(Self { format })
    }
}
