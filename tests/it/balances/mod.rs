//! Balances as of any position, time or day: each is the sum of the entries that count.

mod fold;
mod routes;
mod together;
