//! Reason codes of entries that are no returns.

use std::sync::LazyLock;

use daybook_domain::data_lines;

const OTHER_CODES: &str = include_str!("other_codes.txt");

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| data_lines(OTHER_CODES).filter_map(Row::parse).collect());

/// A notice of a bank other than a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Notification of change: the account details that we sent are out of date.
    Change,
    /// A bank refuses a notification of change that we sent.
    RefusedChange,
    /// A bank refuses a return that we sent (dishonored return).
    Dishonored,
    /// A bank contests that we dishonored its return.
    Contested,
}

/// A line of the data file.
struct Row {
    code: &'static str,
    notice: Notice,
    title: &'static str,
}

impl Row {
    fn parse(line: &'static str) -> Option<Self> {
        let mut parts = line.splitn(3, ' ');
        let code = parts.next().filter(|code| code.len() == 3)?;
        let notice = match parts.next()? {
            "change" => Notice::Change,
            "refused" => Notice::RefusedChange,
            "dishonored" => Notice::Dishonored,
            "contested" => Notice::Contested,
            _ => return None,
        };
        let title = parts.next().filter(|title| !title.is_empty())?;
        Some(Self { code, notice, title })
    }
}

impl Notice {
    /// Returns the notice that a code stands for, with the title of the code.
    pub(super) fn of(code: &str) -> Option<(Self, &'static str)> {
        ROWS.iter().find(|row| row.code == code).map(|row| (row.notice, row.title))
    }

    /// Returns the title of a code; `None` if the rules do not contain it.
    #[must_use]
    pub fn title(code: &str) -> Option<&'static str> {
        Self::of(code).map(|(_, title)| title)
    }

    /// Returns the type of the addenda record that carries the code.
    pub(super) const fn addenda_type(self) -> &'static str {
        match self {
            Self::Change | Self::RefusedChange => "98",
            Self::Dishonored | Self::Contested => "99",
        }
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::calendar::ReturnCode;
    use daybook_domain::node::ChangeCode;
    use daybook_domain::transaction::{ContestCode, DishonorCode};

    use super::*;

    #[test]
    fn other_codes_are_no_return_codes() {
        let lines = data_lines(OTHER_CODES).count();
        assert_eq!(ROWS.len(), lines);
        assert!(ROWS.windows(2).all(|pair| pair[0].code < pair[1].code));
        let of = |notice| {
            let codes = ROWS.iter().filter(|row| row.notice == notice).map(|row| row.code);
            codes.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(Notice::Change), "C01 C02 C03 C04 C05 C06 C07 C08 C09 C13 C14");
        assert_eq!(of(Notice::RefusedChange), "C61 C62 C63 C64 C65 C66 C67 C68 C69");
        assert_eq!(of(Notice::Dishonored), "R61 R62 R67 R68 R69 R70");
        assert_eq!(of(Notice::Contested), "R71 R72 R73 R74 R75 R76 R77");
        assert!(ROWS.iter().all(|row| row.code.parse::<ReturnCode>().is_err()));
    }

    #[test]
    fn codes_that_correct_nodes_are_changes() {
        for code in ChangeCode::ALL {
            assert!(matches!(Notice::of(code.as_str()), Some((Notice::Change, _))), "{}", code.as_str());
        }
    }

    #[test]
    fn codes_of_disputes_are_those_of_events() {
        let of = |notice| ROWS.iter().filter(move |row| row.notice == notice).map(|row| row.code);
        assert!(of(Notice::Dishonored).eq(DishonorCode::ALL.into_iter().map(DishonorCode::as_str)));
        assert!(of(Notice::Contested).eq(ContestCode::ALL.into_iter().map(ContestCode::as_str)));
    }

    #[test]
    fn letter_of_code_names_addenda_type() {
        for row in ROWS.iter() {
            let expected = if row.code.starts_with('C') { "98" } else { "99" };
            assert_eq!(row.notice.addenda_type(), expected, "{}", row.code);
        }
    }
}
