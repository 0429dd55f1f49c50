//! `daybook ops rules`: the matching rules of a platform's account at the bank. A set is a file in TOML, with a table
//! `[[rule]]` for each rule. Its keys are those of the API; amounts are text, such as `"25.00"`.

use std::collections::BTreeMap;
use std::path::Path;

use daybook_api::wire::ops::{breaks, rules};
use daybook_domain::breaks::Break;
use daybook_domain::custody::Rules;
use daybook_domain::matching::RuleSet;
use daybook_domain::operation::Act;
use daybook_domain::roles::Right;
use daybook_domain::{BreakId, Key, States};
use daybook_intake::file::{self, Pipes};
use serde_json::value::RawValue;

use super::listing::{Listing, RULES, TRIED};
use super::operations::{self, parse};
use super::{OperatorSession, as_operator, custody, pages, today};
use crate::config::OperatorOptions;
use crate::error::Error;

/// Maximum size of a file with rules, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Header of a rule in a file.
const HEADER: &str = "[[rule]]";

/// Keys whose values are amounts.
const AMOUNTS: [&str; 3] = ["difference", "per_line", "per_day"];

/// A file with rules.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<toml::Table>,
}

/// Prints the rules that hold.
pub(super) async fn show(desk: &OperatorOptions) -> Result<(), Error> {
    as_operator(desk, Right::Read, async |work| {
        let rules = work.engine.rules_of(work.platform.shard, custody(&work).await?).await?;
        let mut listing = Listing::of(desk, RULES);
        rules::render(&rules).rules().iter().try_for_each(|rule| listing.add(rule))?;
        listing.end()
    })
    .await
}

/// Sets the rules of a file, or requests approval for it.
pub(super) async fn set(desk: &OperatorOptions, path: &Path, reason: &str) -> Result<(), Error> {
    let (act, text) = read(path)?;
    parse(&act, reason).map_err(|error| wrong(path, &text, &error.to_string()))?;
    operations::operate(desk, &act, reason).await
}

/// Tries the rules of a file on the lines in suspense, and prints what they find. Nothing changes.
pub(super) async fn attempt(desk: &OperatorOptions, path: &Path) -> Result<(), Error> {
    let rules = rules_of(path)?;
    as_operator(desk, Right::Read, async |work| tried(desk, &work, rules).await).await
}

/// Returns the rules of a file.
pub(in crate::commands) fn rules_of(path: &Path) -> Result<RuleSet, Error> {
    let (act, text) = read(path)?;
    match parse(&act, "dry run").map_err(|error| wrong(path, &text, &error.to_string()))?.act {
        Act::SetRules { rules } => Ok(rules),
        _ => Err(Error::Usage("the file has no rules".to_owned())),
    }
}

async fn tried(desk: &OperatorOptions, work: &OperatorSession, set: RuleSet) -> Result<(), Error> {
    let OperatorSession { engine, platform, .. } = work;
    let rules = Rules { version: 0, set };
    let (rules, tried) = engine.candidates(platform, Some(rules)).await?;
    let (reads, shard, today) = (engine.reads(), platform.shard, today(work).await?);
    let mut listing = Listing::of(desk, TRIED);
    let show = async |ids: Vec<BreakId>| {
        let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
        let found = reads.aggregates().records(shard, &keys).await?;
        let record = |id, of: &Break| breaks::render(id, of, today).with(id, &rules, &tried.outcome);
        let known = ids.iter().filter_map(|id| Some((*id, found.line_break(*id)?)));
        known.into_iter().try_for_each(|(id, of)| listing.add(&record(id, of)))
    };
    pages(async |page| reads.lists().breaks(shard, platform.id, page).await, show).await?;
    listing.end()
}

/// Reads a file with rules. Returns it as an act in JSON, and the text of the file.
fn read(path: &Path) -> Result<(String, String), Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Usage(format!("{}: {error}", path.display()));
    let text = file::read_to_string(path, MAX_FILE, Pipes::Read).map_err(|error| wrong(&error))?;
    let file: File = toml::from_str(&text).map_err(|error| wrong(&error))?;
    let rules = file.rule.into_iter().enumerate().map(|(at, rule)| {
        in_json(rule)
            .map_err(|reason| Error::Usage(format!("{}:{}: {reason}", path.display(), line(&text, at))))
    });
    let rules = rules.collect::<Result<Vec<_>, _>>()?;
    let act = serde_json::json!({"kind": "set_rules", "rules": rules});
    Ok((act.to_string(), text))
}

/// A rule in JSON, whose amounts are numbers as they are written.
fn in_json(rule: toml::Table) -> Result<BTreeMap<String, Box<RawValue>>, String> {
    let raw =
        |text: String, name: &str| RawValue::from_string(text).map_err(|_| format!("{name} is no amount"));
    let value = |(name, value): (String, toml::Value)| {
        let json = match value {
            toml::Value::String(amount) if AMOUNTS.contains(&name.as_str()) => {
                let is_number = amount.starts_with(|first: char| first.is_ascii_digit());
                raw(if is_number { amount } else { String::new() }, &name)?
            }
            toml::Value::Float(_) => return Err(format!("{name} must be text, such as \"25.00\"")),
            toml::Value::Datetime(_) => return Err(format!("{name} must not be a date")),
            value => raw(serde_json::to_string(&value).map_err(|error| error.to_string())?, &name)?,
        };
        Ok((name, json))
    };
    rule.into_iter().map(value).collect()
}

/// An error about a rule, at the line of the rule.
fn wrong(path: &Path, text: &str, error: &str) -> Error {
    let place = error.strip_prefix("act.rules[").and_then(|rest| rest.split_once(']'));
    let place = place.and_then(|(at, rest)| Some((at.parse::<usize>().ok()?, rest)));
    let Some((at, rest)) = place else { return Error::Usage(format!("{}: {error}", path.display())) };
    let reason = rest.trim_start_matches('.').trim();
    Error::Usage(format!("{}:{}: {reason}", path.display(), line(text, at)))
}

/// Number of the line at which the rule with the number `at` begins; rules count from 0.
fn line(text: &str, at: usize) -> usize {
    let headers = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with(HEADER));
    headers.map(|(line, _)| line + 1).nth(at).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn told(text: &str) -> String {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(text.as_bytes()).expect("written");
        let read = read(file.path()).and_then(|(act, text)| {
            parse(&act, "A test").map_err(|error| wrong(file.path(), &text, &error.to_string()))
        });
        let name = file.path().display().to_string();
        read.map_or_else(|error| error.to_string().replace(&name, "F"), |new| format!("{:?}", new.act.kind()))
    }

    #[test]
    fn rules_are_read_from_toml() {
        let text = r#"
            [[rule]]
            name = "fees"
            strategy = "book"
            codes = ["698", "700..709"]
            currency = "USD"
            node_id = "00000000000000000000000009"
            per_line = "25.00"
            per_day = "50"

            [[rule]]
            name = "wires"
            strategy = "amount"
            rail = "wire"
            days = 2
        "#;
        assert_eq!(told(text), "SetRules");
    }

    #[test]
    fn wrong_rule_is_named_by_its_line() {
        let good = "[[rule]]\nname = \"a\"\nstrategy = \"file\"\n\n";
        let table = [
            ("[[rule]]\nname = 1\n", "F:5: name must be a string."),
            (
                "[[rule]]\nname = \"b\"\nstrategy = \"file\"\nrail = \"ach\"\n",
                "F:5: cannot be meant: the strategy file has no parameter rail.",
            ),
            (
                "[[rule]]\nname = \"b\"\nstrategy = \"book\"\nper_line = 25.0\n",
                "F:5: per_line must be text, such as \"25.00\"",
            ),
            (
                "[[rule]]\nname = \"b\"\nstrategy = \"book\"\nper_line = \"much\"\n",
                "F:5: per_line is no amount",
            ),
            (
                "[[rule]]\nname = \"b\"\nstrategy = \"reference\"\ntext = \"(\"\n",
                "F:5: cannot be meant: text is no regular expression: unclosed group.",
            ),
        ];
        for (rule, expected) in table {
            let found = told(&format!("{good}{rule}"));
            assert!(found.ends_with(expected), "{found}\n{expected}");
        }
        assert!(told("rules = 1\n").contains("unknown field `rules`"));
        assert!(told("[[rule]\n").contains("line 1"));
    }
}
