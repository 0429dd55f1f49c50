//! Damage: whatever is changed in a table behind the service's back is found, and named.
