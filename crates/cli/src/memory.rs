//! Memory holds keys: it is not written to a disk when the process dies.

use daybook_pg::Causes;
use nix::sys::resource::{Resource, setrlimit};

/// From now on the operating system writes no core of this process, nor of those that it starts. What cannot be set is
/// warned of: nothing else depends on it.
pub fn keep() {
    if let Err(error) = setrlimit(Resource::RLIMIT_CORE, 0, 0) {
        tracing::warn!(error = %Causes(&error), "a core of this process may be written, which would hold keys");
    }
}
