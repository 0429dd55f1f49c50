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

#[test]
fn alert_rules_keep_shards_apart() {
    let (rules, metrics) = (read("docs/reference/alerts.yml"), read("docs/reference/metrics.md"));
    let row = |line: &str| line.contains("`shard`").then(|| names(line).into_iter().next()).flatten();
    let of_shards: BTreeSet<String> =
        metrics.lines().filter(|line| line.starts_with('|')).filter_map(row).collect();
    assert!(of_shards.len() > 15, "{of_shards:?}");
    let mut checked = 0;
    for expression in rules.lines().filter_map(|line| line.trim().strip_prefix("expr:")) {
        for part in expression.split(" and ") {
            if names(part).iter().any(|name| of_shards.contains(name)) {
                assert!(
                    part.contains("by (shard"),
                    "{expression}: a shard that works hides one that does not"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 8, "only {checked} expressions are about shards");
}
