//! Ids of account statements: node, currency and month, as `01M7YHNWSJS3ZTEX1E31MBAGG9-USD-2026-01`.

use std::fmt;
use std::str::FromStr;

use daybook_domain::calendar::Month;
use daybook_domain::{Currency, NodeId};

/// Id of an account statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementId {
    /// Node of the account.
    pub node: NodeId,
    /// Currency of the account.
    pub currency: Currency,
    /// Month of the statement.
    pub month: Month,
}

/// Error: the text is not the id of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a statement: node, currency and month expected")]
pub struct StatementIdError;

impl fmt::Display for StatementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.node, self.currency.code(), self.month)
    }
}

impl FromStr for StatementId {
    type Err = StatementIdError;
    fn from_str(text: &str) -> Result<Self, StatementIdError> {
        let mut parts = text.splitn(3, '-');
        let mut part = || parts.next().ok_or(StatementIdError);
        let (node, currency, month) = (part()?, part()?, part()?);
        Ok(Self {
            node: node.parse().map_err(|_| StatementIdError)?,
            currency: Currency::parse(currency).ok_or(StatementIdError)?,
            month: month.parse().map_err(|_| StatementIdError)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_id_has_one_spelling() {
        let text = "01M7YHNWSJS3ZTEX1E31MBAGG9-EUR-2026-01";
        assert_eq!(text.parse().map(|id: StatementId| id.to_string()), Ok(text.to_owned()));
        let bad = [
            "",
            "01M7YHNWSJS3ZTEX1E31MBAGG9",
            "01M7YHNWSJS3ZTEX1E31MBAGG9-EUR",
            "01M7YHNWSJS3ZTEX1E31MBAGG9-EUR-2026",
            "01M7YHNWSJS3ZTEX1E31MBAGG9-EUR-2026-1",
            "01M7YHNWSJS3ZTEX1E31MBAGG9-EUR-2026-13",
            "01M7YHNWSJS3ZTEX1E31MBAGG9-EUR-2026-01-01",
            "01M7YHNWSJS3ZTEX1E31MBAGG9-EUR-2026-01 ",
            "01M7YHNWSJS3ZTEX1E31MBAGG9-eur-2026-01",
            "01M7YHNWSJS3ZTEX1E31MBAGG9-XXY-2026-01",
            "01m7yhnwsjs3ztex1e31mbagg9-EUR-2026-01",
            "-EUR-2026-01",
        ];
        for text in bad {
            assert_eq!(text.parse::<StatementId>(), Err(StatementIdError), "{text:?}");
        }
    }
}
