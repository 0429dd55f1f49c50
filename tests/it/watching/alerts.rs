//! Alert rules: each uses existing metrics and has a section with its remedy.

use std::collections::BTreeSet;

use crate::docs::{headings, read};

/// Returns every word in `text` with the prefix of a metric of ours.
fn names(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter: char| !is_part(letter));
    words
        .filter(|word| word.starts_with("daybook_") || word.starts_with("process_"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn alert_rules_use_documented_metrics() {
    let (rules, metrics, page) =
        (read("docs/reference/alerts.yml"), read("docs/reference/metrics.md"), read("docs/how-to/alerts.md"));
    let known = names(&metrics);
    let values = |prefix: &str| -> Vec<String> {
        let lines = rules.lines().map(str::trim).filter_map(|line| line.strip_prefix(prefix));
        lines.map(|value| value.trim().to_owned()).collect()
    };
    let (alerts, expressions) = (values("- alert:"), values("expr:"));
    assert!(alerts.len() > 10 && alerts.len() == expressions.len());
    for expression in expressions {
        for name in names(&expression) {
            let family = name.strip_suffix("_bucket").unwrap_or(&name);
            assert!(known.contains(family), "{expression}: {name}");
        }
    }
    let explained: Vec<_> = headings(&page).filter(|heading| heading.starts_with("Daybook")).collect();
    assert_eq!(explained, alerts, "headings of docs/how-to/alerts.md, in the order of the rules");
}
