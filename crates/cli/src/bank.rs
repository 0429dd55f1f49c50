//! A bank that is a folder. Files for the bank are written to it; a separate program sends them to the bank.

use std::fs::{self, File as FsFile};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use daybook_domain::Timestamp;
use daybook_domain::custody::CutOff;
use daybook_domain::posting::Rail;
use daybook_engine::rails::Originator;
use daybook_engine::rails::bank::{BankError, BankPort, File};
use nix::fcntl::OFlag;

use crate::config::{Bank, CutOffTime};

/// Description in an ACH batch that the receiver of an entry sees.
const DESCRIPTION: &str = "PAYMENT";

/// Writes files to `out` below a folder.
///
/// A file of ACH is cut at each cut-off time of a banking day. It contains the entries that were due by then. Files of
/// wires and checks are cut at once. A push is confirmed by a statement only.
pub struct FolderBank {
    out: PathBuf,
    originator: Originator,
    cut_offs: Vec<CutOffTime>,
}

impl FolderBank {
    /// Creates the bank of `options`, or `None` if they name no folder.
    #[must_use]
    pub fn of(options: &Bank) -> Option<Self> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let originator = Originator {
            routing_num: text(&options.bank_routing_num),
            bank_name: text(&options.bank_name),
            company_id: text(&options.company_id),
            company_name: String::new(),
            account_num: text(&options.bank_account_num),
            description: DESCRIPTION.into(),
        };
        let out = options.bank_folder.as_ref()?.join("out");
        Some(Self { out, originator, cut_offs: options.cut_off.clone() })
    }
}

#[async_trait]
impl BankPort for FolderBank {
    fn cut_off(&self, rail: Rail, now: Timestamp) -> Option<CutOff> {
        match rail {
            Rail::Ach => {
                self.cut_offs.iter().filter_map(|time| time.newest(now)).max_by_key(|cut_off| cut_off.at)
            }
            Rail::Wire | Rail::Check => Some(CutOff { at: now, day: self.cut_offs.first()?.day(now)? }),
        }
    }

    fn confirms(&self) -> bool {
        false
    }

    fn originator(&self, company_name: &str) -> Originator {
        Originator { company_name: company_name.into(), ..self.originator.clone() }
    }

    async fn accept(&self, file: File<'_>) -> Result<(), BankError> {
        let path = self.out.join(format!("{}-{}.{}", file.rail.as_str(), file.id, extension(file.rail)));
        let text = file.text.to_owned();
        let written = tokio::task::spawn_blocking(move || write(&path, &text)).await;
        written.map_err(io::Error::other).and_then(|written| written).map_err(BankError::Unreachable)
    }
}

fn extension(rail: Rail) -> &'static str {
    match rail {
        Rail::Ach => "ach",
        Rail::Wire => "txt",
        Rail::Check => "csv",
    }
}

/// Writes the whole file or nothing: first under another name, which is then replaced. File and name are on disk when
/// it returns. A program that takes files from the folder must ignore names that end in `.part`.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let part = path.with_added_extension("part");
    let mut file = private(&part)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&part, path)?;
    FsFile::open(folder)?.sync_all()
}

/// Creates a file that only its owner can read, because it contains account numbers. A link is not followed.
fn private(path: &Path) -> io::Result<FsFile> {
    use std::os::unix::fs::OpenOptionsExt;
    FsFile::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .custom_flags(OFlag::O_NOFOLLOW.bits())
        .open(path)
}

#[cfg(test)]
mod tests {
    use daybook_domain::FileId;
    use daybook_domain::calendar::Day;

    use super::*;

    fn bank(folder: &Path) -> FolderBank {
        let options = Bank {
            bank_folder: Some(folder.to_owned()),
            bank_name: Some("First Bank".into()),
            bank_routing_num: Some("021000021".into()),
            company_id: Some("1234567890".into()),
            bank_account_num: Some("555000111".into()),
            cut_off: vec!["10:00".parse().expect("a time"), "20:00".parse().expect("a time")],
        };
        FolderBank::of(&options).expect("a folder is named")
    }

    #[test]
    fn without_a_folder_there_is_no_bank() {
        assert!(FolderBank::of(&Bank::default()).is_none());
    }

    #[test]
    fn ach_waits_for_a_cut_off() {
        let bank = bank(Path::new("x"));
        let at = |day: &str, hour: i64| {
            let day: Day = day.parse().expect("a date");
            day.start().plus_ms(hour * 3_600_000)
        };
        let (thursday, friday, saturday) = ("2026-01-08", "2026-01-09", "2026-01-10");
        let table = [
            (Rail::Ach, at(friday, 10).plus_ms(-1), at(thursday, 20)),
            (Rail::Ach, at(friday, 10), at(friday, 10)),
            (Rail::Ach, at(friday, 20).plus_ms(-1), at(friday, 10)),
            (Rail::Ach, at(saturday, 21), at(friday, 20)),
            (Rail::Wire, at(saturday, 0), at(saturday, 0)),
            (Rail::Check, at(friday, 1), at(friday, 1)),
        ];
        for (rail, now, expected) in table {
            let cut_off = bank.cut_off(rail, now).expect("there is one");
            assert_eq!((cut_off.at, cut_off.day), (expected, Day::of(expected)), "{rail:?} {now:?}");
        }
    }

    #[tokio::test]
    async fn file_is_complete_and_can_be_rewritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let bank = bank(folder.path());
        let id = FileId::from_u128(7);
        for text in ["first", "first"] {
            bank.accept(File { id, rail: Rail::Ach, text }).await.expect("it is taken");
        }
        let found: Vec<_> = fs::read_dir(folder.path().join("out")).expect("a folder").collect();
        assert_eq!(found.len(), 1);
        let path = folder.path().join(format!("out/ach-{id}.ach"));
        assert_eq!(fs::read_to_string(path).expect("a file"), "first");
        assert_eq!(bank.originator("Acme").company_name, "Acme");
    }

    #[tokio::test]
    async fn unwritable_folder_is_an_unreachable_bank() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("out"), "a file, not a folder").expect("written");
        let file = File { id: FileId::from_u128(7), rail: Rail::Wire, text: "x" };
        assert!(matches!(bank(folder.path()).accept(file).await, Err(BankError::Unreachable(_))));
    }
}
