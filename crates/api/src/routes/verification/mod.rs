//! Questions about the world outside, to whoever stands behind the engine's ports.

pub mod address;
pub mod routing_number;

/// Why neither is a dry run: nothing of it is decided here.
const ASKED_OUTSIDE: &str = "what somebody outside is asked";
