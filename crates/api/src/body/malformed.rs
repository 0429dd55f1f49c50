//! Says what is wrong with a JSON body, and where, without repeating any of it.
//!
//! The parser's own messages quote the value that they did not like, which may be a secret. The part after
//! "expected" comes from our types, and so do the messages that begin with "must", and that something is missing: only those are passed on.

use serde_json::error::Category;
use serde_path_to_error::Error;

use crate::ApiError;
use crate::wire::text;

/// The message about a body that is not JSON.
pub(super) const NO_JSON: &str = "is not JSON";

/// The answer to a body that did not parse.
pub(super) fn explain(error: &Error<serde_json::Error>) -> ApiError {
    let inner = error.inner();
    if inner.classify() != Category::Data {
        // Here the path may hold a name that the caller made up, so it is not told.
        let text = format!("{NO_JSON} at line {}, column {}", inner.line(), inner.column());
        return ApiError::invalid("body", text);
    }
    let path = error.path().to_string();
    let message = inner.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    if let Some(name) = quoted(message, "missing field `") {
        return ApiError::missing(join(&path, name));
    }
    if let Some(name) = quoted(message, "duplicate field `") {
        return ApiError::invalid(join(&path, name), "must be given once");
    }
    let text = match message.rsplit_once(", expected ") {
        _ if message.starts_with("must ") || message == text::MISSING => message.to_owned(),
        Some((_, expected)) => format!("must be {}", plain(expected)),
        None => "has the wrong type".to_owned(),
    };
    ApiError::invalid(if is_root(&path) { "body".to_owned() } else { path }, text)
}

/// The name between `opening` and the next backquote.
fn quoted<'a>(message: &'a str, opening: &str) -> Option<&'a str> {
    message.strip_prefix(opening)?.split('`').next()
}

fn is_root(path: &str) -> bool {
    path == "."
}

fn join(path: &str, name: &str) -> String {
    if is_root(path) { name.to_owned() } else { format!("{path}.{name}") }
}

/// What a type expects, in words of JSON.
fn plain(expected: &str) -> &str {
    match expected {
        "a boolean" | "a string" => expected,
        "a sequence" => "an array",
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" => "an integer within its range",
        _ if expected.starts_with("a whole number ") => expected,
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("one of `") || expected.starts_with('`') => expected,
        _ => "of another type",
    }
}
