//! Records of lines in suspense.

use daybook_domain::breaks::{Break as State, MatchSum};
use daybook_domain::calendar::{Day, banking_days_between};
use daybook_domain::custody::Rules;
use daybook_domain::matching::{Match as Found, Means, Outcome, Reason, Suggestion as Suggested};
use daybook_domain::{BreakId, Currency, Money};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::operation::{ItemOut, PostOut};
use crate::ApiError;
use crate::description::values::CurrencyCode;
use crate::in_query::Parameters;
use crate::query::Query;
use crate::wire::Listed;
use crate::wire::amount::Decimal;

/// Parameter of a list of breaks.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Suggesting {
    /// `yes` tries the matching rules on all lines, and returns what they find for the lines of the page.
    #[param(value_type = Option<String>)]
    pub suggestions: bool,
}

impl Parameters for Suggesting {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        Ok(Self { suggestions: query.flag("suggestions") })
    }
}

/// A line of a bank's statement that no open item explained when it was booked. `left` is the part of its amount in
/// suspense; `matches` explain the rest. `statement_id` is null if the sandbox's bank stated
/// the day without a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Break {
    #[serde(rename = "_id")]
    id: String,
    age_banking_days: u32,
    amount: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    #[schema(value_type = String)]
    date: Day,
    left: Decimal,
    line_id: String,
    matches: Vec<Match>,
    statement_id: Option<String>,
    /// Possible explanations, the best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<Vec<Suggestion>>,
}

/// A match of a line, and the part of the line that it explains.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BreakMatch)]
struct Match {
    amount: Decimal,
    r#match: u32,
}

/// A possible explanation of a line. A `score` of 100 is a match that the rule makes in its next run.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BreakSuggestion)]
struct Suggestion {
    items: Vec<ItemOut>,
    posts: Vec<PostOut>,
    #[schema(value_type = Vec<String>)]
    reasons: Vec<Reason>,
    rule: String,
    score: u8,
    #[schema(value_type = String)]
    strategy: Means,
}

impl Listed for Break {
    const KEYS: (&'static str, &'static str) = ("breaks", "break_count");
}

/// Renders the record of a break on the day `today`.
#[must_use]
pub fn render(id: BreakId, of: &State, today: Day) -> Break {
    let decimal = |minor| Decimal(Money::new(minor, of.currency));
    let one = |it: &MatchSum| Match { amount: decimal(it.amount), r#match: it.number };
    Break {
        id: id.to_string(),
        age_banking_days: banking_days_between(of.day, today),
        amount: decimal(of.amount),
        currency: of.currency,
        date: of.day,
        left: decimal(of.left),
        line_id: of.line.clone(),
        matches: of.matches.iter().map(one).collect(),
        statement_id: of.statement.map(|id| id.to_string()),
        suggestions: None,
    }
}

impl Break {
    /// Adds the answers of the matching rules about the line `id`.
    #[must_use]
    pub fn with(mut self, id: BreakId, rules: &Rules, outcome: &Outcome) -> Self {
        let found = of_line(&outcome.matches, id, |it| it.line).iter();
        let found = found.map(|found| Suggestion::of_match(rules, found));
        let suggested = of_line(&outcome.suggestions, id, |it| it.line).iter();
        let suggested = suggested.map(|it| Suggestion::of(rules, it, self.currency));
        self.suggestions = Some(found.chain(suggested).collect());
        self
    }
}

impl Suggestion {
    fn of_match(rules: &Rules, found: &Found) -> Self {
        let (rule, strategy) = named(rules, found.rule, Means::Reference);
        let items = ItemOut::all(&found.parts.items, found.currency);
        let posts = PostOut::all(&found.parts.posts, found.currency);
        Self { items, posts, reasons: vec![], rule, score: 100, strategy }
    }

    fn of(rules: &Rules, it: &Suggested, currency: Currency) -> Self {
        let (rule, strategy) = named(rules, it.rule, it.means);
        let items = ItemOut::all(&it.items, currency);
        Self { items, posts: vec![], reasons: it.reasons.clone(), rule, score: it.score, strategy }
    }
}

/// The part of an outcome that is about a line. An outcome is in the order of the ids.
fn of_line<T>(all: &[T], id: BreakId, line: impl Fn(&T) -> BreakId) -> &[T] {
    let rest = &all[all.partition_point(|it| line(it) < id)..];
    &rest[..rest.partition_point(|it| line(it) == id)]
}

/// Name and strategy of a rule. The numbers of an outcome are those of its own rules.
fn named(rules: &Rules, number: usize, otherwise: Means) -> (String, Means) {
    let rule = rules.set.rules().get(number);
    rule.map_or((String::new(), otherwise), |rule| (rule.name.clone(), rule.strategy))
}
