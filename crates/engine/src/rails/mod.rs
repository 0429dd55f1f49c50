//! Ports to the outside: today whoever checks identities. For sandbox platforms the sandbox stands behind them.

pub mod identity;
