//! Balances: at any position, time or day they are the fold of the entries.

mod fold;
mod routes;
mod together;
