//! Tests of the checks of rule sets.

use super::*;

fn set(json: &str) -> Result<RuleSet, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

const NODE: &str = "00000000000000000000000009";

#[test]
fn rule_sets_round_trip_as_canonical_json() {
    let texts = [
        r#"[{"name":"a","strategy":"reference","text":"REF (.*)"}]"#.to_owned(),
        r#"[{"name":"a","strategy":"amount","codes":["NTRF","1..9"],"currency":"USD","days":2,"rail":"wire"}]"#.to_owned(),
        format!(
            r#"[{{"name":"f","strategy":"file"}},{{"name":"b","strategy":"book","codes":["698"],"currency":"USD","node":"{NODE}","per_line":5,"per_day":9}},{{"name":"t","strategy":"tolerance","currency":"USD","of":"f","difference":5,"node":"{NODE}"}}]"#
        ),
        r#"[{"name":"s","strategy":"suggest","threshold":60}]"#.to_owned(),
    ];
    for text in texts {
        let read = set(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(serde_json::to_string(&read).expect("JSON"), text);
    }
    let built_in = serde_json::to_string(&RuleSet::built_in()).expect("JSON");
    assert_eq!(set(&built_in), Ok(RuleSet::built_in()));
}

#[test]
fn rules_that_cannot_be_meant_are_refused() {
    let book = |name: &str, rest: &str| {
        format!(
            r#"{{"name":"{name}","strategy":"book","currency":"USD","node":"{NODE}","per_line":5,"per_day":9{rest}}}"#
        )
    };
    let tolerance = |of: &str, difference: i64| {
        format!(
            r#"{{"name":"t","strategy":"tolerance","currency":"USD","of":"{of}","difference":{difference},"node":"{NODE}"}}"#
        )
    };
    let rule = |rest: &str| format!(r#"{{"name":"a","strategy":{rest}}}"#);
    let table = [
        (String::new(), "rule 0: a set has 1 to 100 rules"),
        (r#"{"name":"A","strategy":"file"}"#.to_owned(), "rule 1: name must be 1 to 40 lower-case letters"),
        (rule(r#""guess""#), "unknown variant `guess`"),
        (rule(r#""file","rows":1"#), "unknown field `rows`"),
        (rule(r#""file","rail":"ach""#), "rule 1: the strategy file has no parameter rail"),
        (rule(r#""file","days":31"#), "rule 1: days must be at most 30"),
        (rule(r#""file","text":"""#), "rule 1: text must have 1 to 200 characters"),
        (rule(r#""file","codes":[" a"]"#), "a code has 1 to 40 letters"),
        (rule(r#""suggest""#), "rule 1: the strategy suggest needs the parameter threshold"),
        (rule(r#""suggest","threshold":0"#), "rule 1: threshold must be 1 to 100"),
        (rule(r#""reference","days":1"#), "rule 1: the strategy reference has no parameter days"),
        ([rule(r#""file""#), rule(r#""returns""#)].join(","), "rule 2: name a is that of an earlier rule"),
        (book("b", ""), "rule 1: the strategy book needs codes or text"),
        (
            book("b", r#","codes":["1"]"#).replace("\"per_day\":9", "\"per_day\":4"),
            "rule 1: per_line must be at least 1",
        ),
        (
            book("b", r#","codes":["1"]"#).replace("\"currency\":\"USD\",", ""),
            "rule 1: the strategy book needs the parameter currency",
        ),
        (
            [book("b", r#","codes":["1..9"]"#), book("c", r#","codes":["9..12"]"#)].join(","),
            "rule 2: codes overlap with those of b",
        ),
        (tolerance("f", 5), "rule 1: of must name an earlier rule"),
        ([rule(r#""file""#), tolerance("a", 1_001)].join(","), "rule 2: difference must be 1 to 1000"),
        ([rule(r#""group""#), tolerance("a", 5)].join(","), "rule 2: of must name an earlier rule"),
    ];
    for (rules, expected) in table {
        let error = set(&format!("[{rules}]")).expect_err(&rules);
        assert!(error.contains(expected), "{rules}: {error}");
    }
    let narrower =
        [book("b", r#","codes":["1..9"],"text":"x""#), book("c", r#","codes":["9..12"]"#)].join(",");
    assert!(set(&format!("[{narrower}]")).is_ok(), "a rule with a text does not book all of its codes");
}

#[test]
fn number_of_rules_is_limited() {
    let rules = |count: usize| -> Vec<Rule> {
        (0..count).map(|number| Rule::new(&format!("r{number}"), Means::File)).collect()
    };
    assert!(RuleSet::try_from(rules(MAX_RULES)).is_ok());
    assert!(RuleSet::try_from(rules(MAX_RULES + 1)).is_err());
}
