//! Ports to the outside: whoever checks identities now, banks and networks later. The sandbox stands behind them
//! until a real provider does.

pub mod identity;
