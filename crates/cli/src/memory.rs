//! Protection of keys in memory: core dumps are disabled.

use daybook_pg::Causes;
use nix::sys::resource::{Resource, setrlimit};

/// Disables core dumps of this process and of its child processes. A failure causes a warning only, because nothing
/// else depends on it.
pub fn keep() {
    if let Err(error) = setrlimit(Resource::RLIMIT_CORE, 0, 0) {
        tracing::warn!(error = %Causes(&error), "core dumps cannot be disabled; a core dump would contain keys");
    }
}
