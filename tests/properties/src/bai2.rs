//! Bank files in BAI2. Input: the file.

use daybook_statement::BankFile;
use daybook_statement::bai2::{is_format, read, render};

use crate::bank_file::{checked, has_small_sums, lines_mut, placeless};

/// Largest sum that a trailer or a summary states.
const LARGEST: u128 = i64::MAX as u128;

/// Checks that a file is refused at a place, or adds up and reads the same after it is rendered.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some(file) = checked(data, read(data)) else { return };
    let file = expressible(file);
    let has_accounts = file.statements.iter().all(|statement| !statement.account.is_empty());
    if has_accounts && has_small_sums(&file, LARGEST) {
        let rendered = render(&file);
        assert!(is_format(rendered.as_bytes()));
        let read = checked(rendered.as_bytes(), read(rendered.as_bytes()));
        assert_eq!(read.map(placeless), Some(placeless(file)), "{rendered}");
    }
}

/// The file as the writer can express it.
fn expressible(mut file: BankFile) -> BankFile {
    for statement in &mut file.statements {
        statement.account = field(&statement.account);
    }
    for line in lines_mut(&mut file) {
        line.text = text(&line.text);
        for (_, reference) in &mut line.references {
            *reference = field(reference);
        }
        line.references.retain(|(_, reference)| !reference.is_empty());
    }
    file
}

fn field(text: &str) -> String {
    text.replace(char::is_control, " ").trim_matches(' ').to_owned()
}

fn text(text: &str) -> String {
    text.replace(char::is_control, " ").trim_start_matches([' ', ',', '/']).trim().to_owned()
}
