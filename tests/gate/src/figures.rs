//! Stored figures, and their comparison with counted ones.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Default tolerance of a figure, in percent; the file may contain another one.
const TOLERANCE_PERCENT: u64 = 5;

const COMMENT: &str = "# Instructions of each scenario's work. Made by `just gate --bless`; a commit that changes one says why.";
const COLUMNS: &str = "scenario\tinstructions\ttolerance_percent";

/// Stored figure of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Figure {
    scenario: String,
    instructions: u64,
    tolerance_percent: u64,
}

/// Content of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Versions of compiler and valgrind with which the figures were counted.
    pub(crate) tools: String,
    figures: Vec<Figure>,
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The count is within the tolerance.
    Within,
    /// The count is above the tolerance.
    Above,
    /// The count is below the tolerance. With the old figure a later increase would go unnoticed.
    Below,
    /// The scenario has no stored figure.
    New,
    /// A stored figure has no scenario.
    Gone,
}

/// Line of the table for a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    scenario: String,
    stored: u64,
    counted: u64,
    pub(crate) verdict: Verdict,
}

impl Figures {
    /// Reads the file.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).ok_or_else(|| format!("{} is not a table of figures", path.display()))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| *line != COMMENT);
        let tools = lines.next()?.strip_prefix("# ")?.to_owned();
        let mut lines = lines.skip_while(|line| *line == COLUMNS);
        let figure = |line: &str| {
            let mut columns = line.split('\t');
            let scenario = columns.next()?.to_owned();
            let mut number = || columns.next()?.parse().ok();
            Some(Figure { scenario, instructions: number()?, tolerance_percent: number()? })
        };
        let figures = lines.by_ref().map(figure).collect::<Option<Vec<_>>>()?;
        Some(Self { tools, figures })
    }

    fn text(&self) -> String {
        let mut text = format!("{COMMENT}\n# {}\n{COLUMNS}\n", self.tools);
        for Figure { scenario, instructions, tolerance_percent } in &self.figures {
            let _ = writeln!(text, "{scenario}\t{instructions}\t{tolerance_percent}");
        }
        text
    }

    /// Writes the file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        fs::write(path, self.text()).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn of(&self, scenario: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.scenario == scenario)
    }

    /// Returns the counted figures, with the stored tolerances.
    pub(crate) fn blessed(&self, tools: &str, counted: &[(String, u64)]) -> Self {
        let figure = |(scenario, instructions): &(String, u64)| Figure {
            scenario: scenario.clone(),
            instructions: *instructions,
            tolerance_percent: self.of(scenario).map_or(TOLERANCE_PERCENT, |old| old.tolerance_percent),
        };
        Self { tools: tools.to_owned(), figures: counted.iter().map(figure).collect() }
    }

    /// Returns true if the count of a scenario is within the tolerance.
    pub(crate) fn allow(&self, scenario: &str, counted: u64) -> bool {
        self.of(scenario).is_some_and(|figure| figure.verdict(counted) == Verdict::Within)
    }

    /// Compares counted figures with the stored ones.
    pub(crate) fn compare(&self, counted: &[(String, u64)]) -> Vec<Line> {
        let counted_of = |name: &str| counted.iter().any(|(scenario, _)| scenario == name);
        let gone = self.figures.iter().filter(|figure| !counted_of(&figure.scenario));
        let gone = gone.map(|Figure { scenario, instructions, .. }| Line {
            scenario: scenario.clone(),
            stored: *instructions,
            counted: 0,
            verdict: Verdict::Gone,
        });
        let lines = counted.iter().map(|(scenario, counted)| {
            let figure = self.of(scenario);
            let stored = figure.map_or(0, |figure| figure.instructions);
            let verdict = figure.map_or(Verdict::New, |figure| figure.verdict(*counted));
            Line { scenario: scenario.clone(), stored, counted: *counted, verdict }
        });
        lines.chain(gone).collect()
    }
}

impl Figure {
    fn verdict(&self, counted: u64) -> Verdict {
        let hundredth = |percent| u128::from(self.instructions) * u128::from(percent);
        let counted = u128::from(counted) * 100;
        if counted > hundredth(100 + self.tolerance_percent) {
            Verdict::Above
        } else if counted < hundredth(100_u64.saturating_sub(self.tolerance_percent)) {
            Verdict::Below
        } else {
            Verdict::Within
        }
    }
}

/// Formats the comparison for people.
pub(crate) fn table(lines: &[Line]) -> String {
    let mut text = format!("{:<10} {:>14} {:>14} {:>7}\n", "scenario", "stored", "counted", "ratio");
    for Line { scenario, stored, counted, verdict } in lines {
        let thousandths = counted.saturating_mul(1_000).checked_div(*stored);
        let ratio =
            thousandths.map_or("–".to_owned(), |ratio| format!("{}.{:03}", ratio / 1_000, ratio % 1_000));
        let said = match verdict {
            Verdict::Within => "",
            Verdict::Above => "  MORE EXPENSIVE: find the cause, or store the figure with a reason",
            Verdict::Below => "  cheaper: store the figure, so that a later increase is noticed",
            Verdict::New => "  new: store the figure",
            Verdict::Gone => "  no such scenario: store the other figures",
        };
        let _ = writeln!(text, "{scenario:<10} {stored:>14} {counted:>14} {ratio:>7}{said}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(figures: &[(&str, u64)]) -> Vec<(String, u64)> {
        figures.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    fn stored(figures: &[(&str, u64)]) -> Figures {
        Figures::default().blessed("a compiler", &counted(figures))
    }

    #[test]
    fn written_figures_are_read_back() {
        let figures = stored(&[("decide", 1_000), ("hash", u64::MAX)]);
        assert_eq!(Figures::parse(&figures.text()), Some(figures));
        assert_eq!(Figures::parse("# a compiler\nhash\tmany\t5"), None);
    }

    #[test]
    fn tolerance_is_five_percent_either_way() {
        for (count, verdict) in [
            (949, Verdict::Below),
            (950, Verdict::Within),
            (1_050, Verdict::Within),
            (1_051, Verdict::Above),
            (u64::MAX, Verdict::Above),
        ] {
            let compared = stored(&[("hash", 1_000)]).compare(&counted(&[("hash", count)]));
            assert_eq!(compared[0].verdict, verdict, "{count}");
            assert_eq!(
                stored(&[("hash", 1_000)]).allow("hash", count),
                verdict == Verdict::Within,
                "{count}"
            );
        }
    }

    #[test]
    fn new_and_removed_scenarios_are_reported() {
        let compared = stored(&[("old", 1)]).compare(&counted(&[("new", 1)]));
        assert_eq!(
            compared.iter().map(|line| line.verdict).collect::<Vec<_>>(),
            [Verdict::New, Verdict::Gone]
        );
    }

    #[test]
    fn tolerance_survives_new_figure() {
        let figures = Figures::parse("# a compiler\nhash\t1000\t10").expect("a table");
        let blessed = figures.blessed("another", &counted(&[("hash", 2_000)]));
        assert_eq!(blessed.compare(&counted(&[("hash", 2_200)]))[0].verdict, Verdict::Within);
    }
}
