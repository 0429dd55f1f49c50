//! Work of the desk: day after day, payments, the bank's file, acts of both operators, and at times the day stated anew.

use std::sync::atomic::{AtomicBool, Ordering};

use daybook_random::Random;
use futures::future::join_all;
use serde_json::json;

use super::acts::{act, last_rules};
use super::file::Csv;
use super::seat::{Seat, Sent};
use super::{DAY_S, OPERATORS, Step};
use crate::arena::Arena;
use crate::cents::minor;
use crate::workload::Shared;

/// Formats of the sandbox's bank. The CSV comes more often, since the harness changes it.
const FORMATS: [&str; 6] = ["csv", "csv", "csv", "bai2", "camt", "mt940"];
/// Maximum number of acts of an operator on a day, before and after the day is stated anew.
const MAX_ACTS: usize = 3;

/// A day that a file stated.
struct StatedDay {
    date: String,
    /// Balance before the first line, in minor units.
    opening: i64,
    text: String,
}

impl StatedDay {
    /// The day as a CSV.
    fn csv(&self) -> Csv {
        Csv::read(&self.text).unwrap_or_else(|| Csv::of(&self.date, self.opening, &self.text))
    }
}

/// An operator at work.
struct Operator<'a> {
    seat: Seat<'a>,
    random: Random,
    /// Lines that the operator matched.
    matched: Vec<String>,
}

/// Works until it is stopped. Every step that was begun is repeated until its outcome is known.
pub async fn work(arena: &Arena, shared: &Shared, seed: u64) {
    let Some(desk) = &arena.world.desk else { return };
    let stop = &shared.stop;
    let operator = |number| Operator {
        seat: Seat::new(arena, &shared.balancer, number),
        random: Random::fork(seed, &format!("operator {number}")),
        matched: vec![],
    };
    let operators = (0..OPERATORS).map(operator).collect();
    let mut work = Work { operators, house: &desk.house, days: vec![], stop };
    while !stop.load(Ordering::Relaxed) {
        work.day().await;
    }
    // The rules are tried once more: matches that were taken back and items that came since are free.
    work.operators[0].seat.set_rules(last_rules()).await;
}

struct Work<'a> {
    operators: Vec<Operator<'a>>,
    house: &'a str,
    days: Vec<StatedDay>,
    stop: &'a AtomicBool,
}

impl Work<'_> {
    async fn day(&mut self) {
        join_all(self.operators.iter_mut().map(Operator::pay)).await;
        let stated = self.operators[0].file(None).await;
        if let Some(stated) = stated {
            self.hand_in(stated, false).await;
        }
        self.acts().await;
        if self.operators[0].random.percent(50) && !self.is_over() {
            self.restate().await;
            self.acts().await;
        }
        self.operators[0].seat.advance(DAY_S).await;
    }

    /// Both operators hand in the same file at once.
    async fn hand_in(&mut self, stated: StatedDay, restates: bool) {
        let each = self.operators.iter_mut().map(|it| it.seat.hand_in(&stated.text, restates));
        let sent = join_all(each).await;
        if sent.iter().any(|sent| matches!(sent, Sent::Done(_))) {
            match self.days.iter_mut().find(|day| day.date == stated.date) {
                Some(day) => *day = stated,
                None => self.days.push(stated),
            }
        }
    }

    /// The bank states a day anew: mostly the newest one with other lines, else an older one with the same balances.
    async fn restate(&mut self) {
        let operator = &mut self.operators[0];
        let Some(newest) = self.days.last() else { return };
        let stated = if operator.random.percent(60) {
            let date = newest.date.clone();
            operator.file(Some(&date)).await
        } else {
            let day = operator.random.pick(&self.days);
            let mut csv = day.csv();
            csv.rearrange(&mut operator.random);
            Some(StatedDay { date: day.date.clone(), opening: day.opening, text: csv.written() })
        };
        if let Some(stated) = stated {
            self.hand_in(stated, true).await;
        }
    }

    async fn acts(&mut self) {
        let (house, stop) = (self.house, self.stop);
        join_all(self.operators.iter_mut().map(|it| it.acts(house, stop))).await;
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Operator<'_> {
    /// Makes open items: some are in a file of the day after, some in none.
    async fn pay(&mut self) {
        for _ in 0..self.random.up_to(2) {
            let (amount, key) = (self.random.between(1, 50_000), self.seat.key());
            self.seat.send(Step::Credit { amount, key }).await;
        }
        for _ in 0..self.random.below(2) {
            let (amount, key) = (self.random.between(1, 50_000), self.seat.key());
            self.seat.send(Step::Pull { amount, key }).await;
        }
    }

    /// Gets the file of the current day, or of `day` stated anew.
    async fn file(&mut self, day: Option<&str>) -> Option<StatedDay> {
        let format = self.random.one_of(&FORMATS);
        let lines = self.random.one_of(&["each", "file"]);
        let mut wants = json!({"format": format, "lines": lines, "late": self.random.below(3)});
        if self.random.percent(30) {
            wants["fee"] = json!(12.5);
            wants["doubled"] = json!(self.random.percent(30));
        }
        if let Some(day) = day {
            wants["restate"] = json!(day);
        }
        let told = self.seat.ask(wants).await?;
        let text = told["file"].as_str()?.to_owned();
        let text = match Csv::read(&text) {
            Some(mut csv) => {
                csv.vary(&mut self.random);
                csv.written()
            }
            None => text,
        };
        let (date, opening) = (told["date"].as_str()?.to_owned(), minor(&told["opening_balance"]));
        Some(StatedDay { date, opening, text })
    }

    async fn acts(&mut self, house: &str, stop: &AtomicBool) {
        for _ in 0..self.random.up_to(MAX_ACTS) {
            if !stop.load(Ordering::Relaxed) {
                act(&mut self.seat, house, &mut self.matched, &mut self.random).await;
            }
        }
    }
}
