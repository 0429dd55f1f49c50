//! Measures peers of Daybook through their public API: their work for one transfer, on the same PostgreSQL.

mod arguments;
mod cala;
mod database;
mod figure;
mod load;
mod postgres_es;
mod random;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use arguments::{Arguments, Peer};
use database::Server;
use figure::Figure;

/// Any failure; the program can only report it.
type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    match measure_all(&Arguments::parse()) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_all(arguments: &Arguments) -> Result<String, Error> {
    let server = Server::new(&arguments.database_url)?;
    let mut figures = Vec::new();
    for peer in &arguments.only {
        figures.extend(measure(*peer, &server, arguments.duration)?);
    }
    Ok(serde_json::to_string_pretty(&figures)?)
}

/// Measures every load of a peer, each in a database of its own.
fn measure(peer: Peer, server: &Server, duration: Duration) -> Result<Vec<Figure>, Error> {
    match peer {
        Peer::CalaLedger => {
            let loads = cala::Load::ALL.into_iter();
            let figures = loads
                .map(|load| server.in_new_database(async |pool| cala::measure(pool, load, duration).await));
            figures.collect()
        }
        Peer::PostgresEs => server.in_new_database(async |pool| postgres_es::measure(pool, duration).await),
    }
}
