//! `daybook-bench booking`: latencies of payments while the lines of a long statement are booked, side by side with those of
//! the same load without it.

use std::fmt::Write;
use std::net::SocketAddr;
use std::time::Instant;

use daybook_domain::calendar::Day;
use daybook_statement::MAX_LINES;
use serde_json::Value;

use crate::error::Error;
use crate::figures::{Spread, count, ms, percentile};
use crate::load::client::{Call, Client, failed, headers, text};
use crate::load::{Ask, Load};
use crate::options::Booking;
use crate::stage::running::{Measured, Running};
use crate::stage::server::Server;
use crate::stage::{SETTLE_NEVER, Stage};
use crate::stopped;
use crate::targets::create;

/// Offered load, as a share of the rate of a closed loop: the booking needs a part of the machine.
const SHARE: f64 = 0.5;

/// Result of one run.
struct Run {
    /// 50th and 99th percentile of the latencies in milliseconds, without booking and during it.
    without: [f64; 2],
    during: [f64; 2],
    offered: f64,
    /// Seconds until the file was accepted.
    accepted_in: f64,
    /// Lines booked per second of the load.
    lines_per_s: f64,
}

/// Measures and prints the medians.
///
/// # Errors
///
/// Fails if a payment is not answered 200, or all lines are booked before the end of the load.
pub(crate) async fn run(options: &Booking) -> Result<(), Error> {
    if options.runs == 0 || !(1..=MAX_LINES).contains(&options.lines) || options.duration.is_zero() {
        return Err(Error::Usage(format!(
            "at least one run, some time and 1 to {MAX_LINES} lines are needed"
        )));
    }
    let server = Server::prepare(options.pg_bin.clone()).await?;
    let measured = tokio::select! {
        measured = Box::pin(measure(options, &server)) => measured,
        stopped = stopped("stopped before the end") => stopped,
    };
    server.remove().await?;
    print(&measured?, options);
    Ok(())
}

async fn measure(options: &Booking, server: &Server) -> Result<Vec<Run>, Error> {
    server.start().await?;
    let stage = Stage::set(server, options.nodes).await?;
    let mut runs = vec![];
    for number in 1..=options.runs {
        eprintln!("run {number} of {}", options.runs);
        let running = Running::on_copy(&stage, "booking", SETTLE_NEVER).await?;
        runs.push(Box::pin(one(&running, &stage, options, number as u64)).await?);
        running.strike().await?;
    }
    Ok(runs)
}

async fn one(running: &Running<'_>, stage: &Stage<'_>, options: &Booking, seed: u64) -> Result<Run, Error> {
    let duration = options.duration;
    create::warm_up(running, duration).await?;
    let reached = create::closed(running, create::FEW_CLIENTS, Ask::Pay, duration).await?;
    let offered = SHARE * reached.rate();
    let load = |seed| Load::open(create::FEW_CLIENTS, Ask::Pay, offered, duration, seed);
    let without = running.measure(load(seed)).await?;
    let bank = Bank::new(running, stage);
    let begun = Instant::now();
    let id = bank.state(options.lines).await?;
    let accepted_in = begun.elapsed().as_secs_f64();
    let (before, begun) = (bank.booked(&id).await?, Instant::now());
    let during = running.measure(load(seed)).await?;
    let (after, elapsed) = (bank.booked(&id).await?, begun.elapsed());
    if after >= options.lines as u64 {
        return Err(failed(format!("all lines were booked within {elapsed:?}: measure for a shorter time")));
    }
    let lines_per_s = count(after - before) / elapsed.as_secs_f64();
    Ok(Run {
        without: percentiles(&without),
        during: percentiles(&during),
        offered,
        accepted_in,
        lines_per_s,
    })
}

fn percentiles(measured: &Measured) -> [f64; 2] {
    [500, 990].map(|permille| ms(percentile(&measured.outcome.latencies, permille)))
}

/// The bank's calls of an operator.
struct Bank {
    address: SocketAddr,
    headers: String,
    path: String,
}

impl Bank {
    fn new(running: &Running<'_>, stage: &Stage<'_>) -> Self {
        let headers = headers("x-sp-operator", &stage.operator);
        let path = format!("/v3.1/ops/platforms/{}/statements", stage.platform);
        Self { address: running.child.address, headers, path }
    }

    /// Hands in a statement with so many lines that explain nothing. Returns its id.
    async fn state(&self, lines: usize) -> Result<String, Error> {
        let answer = self.send(Some(file(lines))).await?;
        text(&answer, "/statements/0/_id")
    }

    /// Returns the number of booked lines of a statement.
    async fn booked(&self, id: &str) -> Result<u64, Error> {
        let listed = self.send(None).await?;
        let statements = listed["statements"].as_array().into_iter().flatten();
        let booked =
            statements.filter(|one| one["_id"] == id).find_map(|one| one["booked_line_count"].as_u64());
        booked.ok_or_else(|| failed("the statement is not listed"))
    }

    async fn send(&self, file: Option<String>) -> Result<Value, Error> {
        let call = match file {
            Some(file) => {
                let body = serde_json::json!({ "file": file }).to_string();
                Call::post(self.path.clone(), &self.headers, body)
            }
            None => Call::get(self.path.clone(), &self.headers),
        };
        let answer = Client::connect(self.address).await?.send(&call).await?;
        let body = serde_json::from_slice(&answer.body).map_err(failed)?;
        if answer.status == 200 { Ok(body) } else { Err(failed(format!("{}: {body}", answer.status))) }
    }
}

/// A statement of today in Daybook's own CSV: its lines of a dollar name no transaction.
fn file(lines: usize) -> String {
    let today = Day::of(daybook_engine::Clock.now());
    let mut text = format!("date,opening_balance,closing_balance,currency\n{today},0.00,{lines}.00,USD\n");
    text.push_str("line_id,amount,reference,description\n");
    for number in 0..lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "L{number},1.00,E2E-{number:010},ACH CREDIT FROM A MADE UP COMPANY INC.");
    }
    text
}

fn print(runs: &[Run], options: &Booking) {
    let median = |figure: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(figure)).median;
    println!(
        "{} lines, {} s, medians of {} runs:",
        options.lines,
        options.duration.as_secs_f64(),
        runs.len()
    );
    println!(
        "accepted in {:.1} s; booked {:.0} lines/s",
        median(&|it| it.accepted_in),
        median(&|it| it.lines_per_s)
    );
    println!("{:.0} payments/s offered", median(&|it| it.offered));
    for (name, index) in [("p50", 0), ("p99", 1)] {
        println!(
            "{name}: {:.2} ms without, {:.2} ms during: {:.2} times",
            median(&|it| it.without[index]),
            median(&|it| it.during[index]),
            median(&|it| it.during[index] / it.without[index])
        );
    }
}
