//! Personal data: sealed boxes and subject keys; the only crate that ever holds a key
