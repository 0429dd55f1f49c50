//! The report: a table of all figures with baselines and goals, notes, and a description of the machine.

use std::fmt;

use serde::Serialize;

use super::goal::{Goal, Of, Verdict};
use super::line::{Line, Unit};
use super::sample::Sample;
use super::{Run, Spread};
use crate::machine::Machine;
use crate::peers::Peers;
use crate::stage::cpu::Cpu;

/// Everything that was measured; formatted as Markdown.
#[derive(Serialize)]
pub(crate) struct Report {
    title: &'static str,
    date: String,
    version: &'static str,
    command: String,
    /// True for a debug build, whose figures are meaningless.
    is_debug: bool,
    machine: String,
    settings: String,
    runs: usize,
    rows: Vec<Row>,
    peers: Peers,
    notes: Vec<String>,
}

/// A line over all runs.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    what: String,
    unit: &'static str,
    n: usize,
    median: f64,
    lowest: f64,
    highest: f64,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    cores: Option<Cpu>,
    ratio: Option<f64>,
    ratio_to: Option<String>,
    must: Option<f64>,
    aim: Option<f64>,
    verdict: Option<Verdict>,
    also: Vec<(&'static str, f64)>,
    #[serde(skip)]
    shown: Unit,
    #[serde(skip)]
    goal: Option<Goal>,
}

impl Report {
    /// Creates the report of at least one run; `notes` describe the measurement.
    pub(crate) fn new(
        title: &'static str,
        machine: &Machine,
        runs: &[Run],
        peers: Peers,
        notes: Vec<String>,
    ) -> Self {
        let mut lines: Vec<Line> = vec![];
        for line in runs.iter().flat_map(Run::lines) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines.sort_by_key(|line| line.place());
        let command: Vec<String> = std::env::args().skip(1).collect();
        Self {
            title,
            date: machine.date.clone(),
            version: env!("CARGO_PKG_VERSION"),
            command: format!("daybook-bench {}", command.join(" ")),
            is_debug: cfg!(debug_assertions),
            machine: machine.to_string(),
            settings: machine.settings.clone(),
            runs: runs.len(),
            rows: lines.into_iter().map(|line| Row::of(line, runs)).collect(),
            peers,
            notes,
        }
    }
}

impl Row {
    fn of(line: Line, runs: &[Run]) -> Self {
        let spec = line.spec();
        let samples: Vec<&Sample> = runs.iter().filter_map(|run| run.sample(line)).collect();
        let median = |figure: &dyn Fn(&Sample) -> Option<f64>| {
            Spread::of_any(samples.iter().filter_map(|sample| figure(sample))).map(|spread| spread.median)
        };
        let value = Spread::of(samples.iter().map(|sample| sample.value));
        let ratio = spec.ratio_to().and_then(|to| {
            let ratios = runs.iter().filter_map(|run| Some(run.value(line)? / run.value(to)?));
            Spread::of_any(ratios).map(|spread| spread.median)
        });
        let verdict = spec.goal.and_then(|goal| {
            let figure = if goal.of == Of::Figure { Some(value.median) } else { ratio };
            figure.map(|figure| goal.verdict(figure))
        });
        let core = |of: fn(Cpu) -> f64| median(&|sample| sample.cores.map(of));
        let cores = || {
            let (server, postgres) = (core(|cores| cores.server)?, core(|cores| cores.postgres)?);
            let (generator, others) = (core(|cores| cores.generator)?, core(|cores| cores.others)?);
            Some(Cpu { server, postgres, generator, others })
        };
        let names = samples.first().into_iter().flat_map(|sample| &sample.also).map(|(name, _)| *name);
        let also = names.filter_map(|name| {
            let of = |sample: &Sample| Some(sample.also.iter().find(|(found, _)| *found == name)?.1);
            Some((name, median(&of)?))
        });
        Self {
            name: spec.name,
            unit: spec.unit.name(),
            n: samples.len(),
            median: value.median,
            lowest: value.lowest,
            highest: value.highest,
            p50_ms: median(&|sample| sample.p50_ms),
            p99_ms: median(&|sample| sample.p99_ms),
            cores: cores(),
            ratio,
            ratio_to: ratio.and(spec.ratio_to()).map(Line::label),
            must: spec.goal.map(|goal| goal.must),
            aim: spec.goal.map(|goal| goal.aim),
            verdict,
            also: also.collect(),
            shown: spec.unit,
            goal: spec.goal,
            what: spec.what.into_owned(),
        }
    }

    /// Formats a limit of the goal for the table.
    fn limit(&self, of: fn(&Goal) -> f64) -> String {
        let Some(goal) = self.goal else { return "–".into() };
        let sign = goal.bound.sign();
        match goal.of {
            Of::Figure => format!("{sign} {}", digits(of(&goal))),
            Of::Ratio(to) => format!("{sign} {} × {}", of(&goal), to.label()),
        }
    }

    fn ratio(&self) -> String {
        let shown = self.ratio.zip(self.ratio_to.as_ref()).map(|(ratio, to)| format!("{ratio:.2} × {to}"));
        shown.unwrap_or_else(|| "–".into())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |figure| self.shown.show(figure);
        let optional =
            |figure: Option<f64>| figure.map_or_else(|| "–".into(), |figure| format!("{figure:.2}"));
        let cores = self.cores.map_or_else(
            || "–".into(),
            |Cpu { server, postgres, generator, others }| {
                format!("{server:.2} / {postgres:.2} / {generator:.2} / {others:.2}")
            },
        );
        let (must, aim) = (self.limit(|goal| goal.must), self.limit(|goal| goal.aim));
        let verdict = self.verdict.map_or_else(|| "–".into(), |verdict| verdict.to_string());
        write!(out, "| {} | {} | {} | ", self.name, self.what, self.n)?;
        write!(
            out,
            "{} {} | {} … {} | ",
            show(self.median),
            self.unit,
            show(self.lowest),
            show(self.highest)
        )?;
        write!(out, "{} | {} | {cores} | ", optional(self.p50_ms), optional(self.p99_ms))?;
        writeln!(out, "{} | {must} | {aim} | {verdict} |", self.ratio())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "# {}, {}\n", self.title, self.date)?;
        if self.is_debug {
            writeln!(out, "**This was a debug build: the figures mean nothing.**\n")?;
        }
        writeln!(
            out,
            "| | What | n | median | lowest … highest | p50 ms | p99 ms | cores: server / PostgreSQL / load / others | ratio | must | aim | verdict |"
        )?;
        writeln!(out, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|")?;
        for row in &self.rows {
            write!(out, "{row}")?;
        }
        writeln!(out)?;
        for row in self.rows.iter().filter(|row| !row.also.is_empty()) {
            let said = row.also.iter().map(|(name, value)| format!("{name} {}", digits(*value)));
            writeln!(out, "- {}: {}", row.what, said.collect::<Vec<_>>().join(", "))?;
        }
        write!(out, "\n{}", self.peers)?;
        for note in &self.notes {
            writeln!(out, "- {note}")?;
        }
        writeln!(out, "- command: `{}` ({})", self.command, self.version)?;
        writeln!(out, "- machine: {}", self.machine)?;
        write!(out, "- settings: {}", self.settings)
    }
}

/// Formats a figure: large ones without decimals, small ones with two.
fn digits(figure: f64) -> String {
    if figure.abs() < 100.0 { format!("{figure:.2}") } else { format!("{figure:.0}") }
}
