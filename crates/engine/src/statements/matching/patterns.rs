//! Patterns of rules. They are regular expressions of the crate regex, which match in linear time.

use daybook_domain::matching::{Means, RuleError, RuleSet};
use regex::bytes::{Regex, RegexBuilder};

/// Maximum size of a compiled pattern, in bytes.
const MAX_COMPILED_BYTES: usize = 64 << 10;

/// Number of texts that a pattern captures from a line.
const MAX_CAPTURES: usize = 100;

/// The compiled patterns of a rule set.
#[derive(Debug)]
pub struct Patterns(Vec<Pattern>);

/// The pattern of the rule with the number `rule`.
#[derive(Debug)]
struct Pattern {
    rule: usize,
    regex: Regex,
    /// Number of texts that it captures: only references need more than one.
    most: usize,
}

impl Patterns {
    /// Compiles the patterns of a set.
    ///
    /// # Errors
    ///
    /// [`RuleError`] for a pattern that is none, that matches the empty text, or that is too large.
    pub fn compile(set: &RuleSet) -> Result<Self, RuleError> {
        let compile = |(at, pattern, most): (usize, &str, usize)| {
            let refused = |reason: String| RuleError { number: at + 1, reason };
            let regex = built(pattern)
                .map_err(|error| refused(format!("text is no regular expression: {}", one_line(&error))))?;
            if regex.is_match(b"") {
                return Err(refused("text matches the empty text, so every line".to_owned()));
            }
            Ok(Pattern { rule: at, regex, most })
        };
        texts(set).map(compile).collect::<Result<_, _>>().map(Self)
    }

    /// The patterns of a set of the log, whose patterns were compiled before. One that does not compile any more matches
    /// nothing.
    pub(super) fn of(set: &RuleSet) -> Self {
        let pattern = |(rule, text, most)| Some(Pattern { rule, regex: built(text).ok()?, most });
        Self(texts(set).filter_map(pattern).collect())
    }

    /// Texts that the patterns capture from the text of a line and from its references, each with the number of its rule:
    /// the first group, or the whole match if the group is not in it.
    #[must_use]
    pub fn captures(&self, text: &str, references: &[String]) -> Vec<(usize, String)> {
        let texts = || std::iter::once(text).chain(references.iter().map(String::as_str));
        let of = |Pattern { rule, regex, most }: &Pattern| {
            let found = texts().flat_map(|text| regex.captures_iter(text.as_bytes()));
            let captured = found.filter_map(|found| found.get(1).or_else(|| found.get(0)));
            let captured = captured.map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned());
            captured.map(|text| (*rule, text)).take(*most).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }
}

/// Compiles a pattern. Without Unicode: a text of a bank is bytes, and classes such as \d are those of ASCII.
fn built(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).size_limit(MAX_COMPILED_BYTES).build()
}

/// Numbers, patterns and numbers of captures of the rules that have a pattern.
fn texts(set: &RuleSet) -> impl Iterator<Item = (usize, &str, usize)> {
    let most = |means: Means| if means == Means::Reference { MAX_CAPTURES } else { 1 };
    let rules = set.rules().iter().enumerate();
    rules.filter_map(move |(at, rule)| Some((at, rule.text.as_deref()?, most(rule.strategy))))
}

/// The last line of an error about a pattern, which is its reason.
fn one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use daybook_domain::matching::Rule;

    use super::*;

    fn set(pattern: &str) -> RuleSet {
        let rule = Rule { text: Some(pattern.to_owned()), ..Rule::new("one", Means::Reference) };
        vec![rule].try_into().expect("a set")
    }

    #[test]
    fn patterns_capture_group_or_match() {
        let table = [
            (r"REF (\d{4})", "REF 1234 REF 5678", vec!["1234", "5678"]),
            (r"\d{4}", "REF 1234", vec!["1234"]),
            (r"(?i)fee", "Monthly FEE", vec!["FEE"]),
            (r"none", "REF 1234", vec![]),
        ];
        for (pattern, text, expected) in table {
            let patterns = Patterns::compile(&set(pattern)).expect("compiles");
            let found: Vec<_> = patterns.captures(text, &[]).into_iter().map(|(_, text)| text).collect();
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn captures_of_line_are_limited() {
        let patterns = Patterns::compile(&set("[0-9]")).expect("compiles");
        assert_eq!(patterns.captures(&"1".repeat(1_000_000), &[]).len(), MAX_CAPTURES);
    }

    #[test]
    fn references_are_searched_as_well() {
        let patterns = Patterns::compile(&set(r"^T(\d+)$")).expect("compiles");
        let found = patterns.captures("none", &["T7".to_owned(), "8".to_owned()]);
        assert_eq!(found, [(0, "7".to_owned())]);
    }

    #[test]
    fn unusable_patterns_are_refused() {
        let table = [
            ("(", "unclosed group"),
            ("a*", "matches the empty text"),
            (r"(a{1,99}){1,99}{1,99}b", "exceeds size limit"),
            (r"(?=a)b", "look-around"),
        ];
        for (pattern, reason) in table {
            let error = Patterns::compile(&set(pattern)).expect_err(pattern);
            assert!(error.reason.contains(reason), "{pattern}: {error}");
            assert_eq!(error.number, 1);
        }
    }

    #[test]
    fn hostile_text_is_matched_in_linear_time() {
        let patterns = Patterns::compile(&set("(a+)+b")).expect("compiles");
        assert_eq!(patterns.captures(&"a".repeat(100_000), &[]), []);
    }
}
