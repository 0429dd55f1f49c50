//! Writer, aggregate cache, process runner, rails, access keys
