//! Order of the fields in a message. Source: SWIFT Standards MT, MT 940 and MT 942, format specifications.

/// Place of a field in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Start,
    Reference,
    Related,
    Account,
    Number,
    Opening,
    Time,
    Lines,
    Closing,
    Available,
    Forward,
}

impl Stage {
    /// Place of the field with this tag, if a report or a statement has one. `:86:` has no place of its own.
    pub(super) fn of(tag: &str, is_report: bool) -> Option<Self> {
        let stage = match tag {
            ":20:" => Self::Reference,
            ":21:" => Self::Related,
            ":25:" | ":25P:" => Self::Account,
            ":28C:" | ":28:" => Self::Number,
            ":60F:" | ":60M:" | ":34F:" => Self::Opening,
            ":13D:" | ":13:" if is_report => Self::Time,
            ":61:" => Self::Lines,
            ":90D:" | ":90C:" if is_report => Self::Closing,
            ":62F:" | ":62M:" if !is_report => Self::Closing,
            ":64:" if !is_report => Self::Available,
            ":65:" if !is_report => Self::Forward,
            _ => return None,
        };
        Some(stage)
    }
}
