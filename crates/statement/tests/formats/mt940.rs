//! MT940: samples.

use crate::samples;
use daybook_statement::mt940::{is_format, read};

#[test]
fn samples_read_as_expected() {
    let all = samples::samples("mt940-");
    assert_eq!(all.len(), 10);
    for (path, content, expected) in all {
        assert!(is_format(&content), "{}", path.display());
        samples::check(&path, &expected, read(&content));
    }
}
