//! Kinds of messages and their versions, by the namespace of the root element.

/// Beginning of every namespace of ISO 20022.
const ISO: &str = "urn:iso:std:iso:20022:tech:xsd:";

/// Versions that are read. The element names that this reader uses are the same in all of them, or cannot be confused.
pub(super) const VERSIONS: std::ops::RangeInclusive<u32> = 2..=13;

/// Kind of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Beginning of the format's name.
    pub(super) name: &'static str,
    /// Element of the message.
    pub(super) message: &'static str,
    /// Element of a statement.
    pub(super) unit: &'static str,
    /// Element of a page of a statement. Versions from .03 on.
    pub(super) pages: &'static str,
    /// True if its entries are booked by it. Reports and notifications announce or explain what a statement books.
    pub(super) is_booked: bool,
}

/// All kinds.
pub(super) static KINDS: [Kind; 3] = [
    Kind {
        name: "camt.052.001.",
        message: "BkToCstmrAcctRpt",
        unit: "Rpt",
        pages: "RptPgntn/",
        is_booked: false,
    },
    Kind {
        name: "camt.053.001.",
        message: "BkToCstmrStmt",
        unit: "Stmt",
        pages: "StmtPgntn/",
        is_booked: true,
    },
    Kind {
        name: "camt.054.001.",
        message: "BkToCstmrDbtCdtNtfctn",
        unit: "Ntfctn",
        pages: "NtfctnPgntn/",
        is_booked: false,
    },
];

/// Kind and format of a namespace, whatever its version.
pub(super) fn of_namespace(namespace: &str) -> Option<(&'static Kind, &str)> {
    let format = namespace.strip_prefix(ISO)?;
    KINDS.iter().find(|kind| format.starts_with(kind.name)).map(|kind| (kind, format))
}

/// True if the version of a format is read.
pub(super) fn is_read(kind: &Kind, format: &str) -> bool {
    let is_version = |text: &&str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let version = format.strip_prefix(kind.name).filter(is_version);
    version.and_then(|version| version.parse().ok()).is_some_and(|version| VERSIONS.contains(&version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_versions_two_to_thirteen() {
        let read = |namespace: &str| {
            of_namespace(namespace).filter(|(kind, format)| is_read(kind, format)).map(|(kind, _)| kind.unit)
        };
        for (format, unit) in [
            ("camt.053.001.02", Some("Stmt")),
            ("camt.053.001.13", Some("Stmt")),
            ("camt.052.001.08", Some("Rpt")),
            ("camt.054.001.04", Some("Ntfctn")),
            ("camt.053.001.01", None),
            ("camt.053.001.14", None),
            ("camt.053.001.2", None),
            ("camt.053.001.+2", None),
            ("camt.053.002.02", None),
            ("camt.060.001.02", None),
        ] {
            assert_eq!(read(&format!("{ISO}{format}")), unit, "{format}");
        }
        assert_eq!(read("camt.053.001.02"), None);
    }
}
