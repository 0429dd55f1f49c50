//! Explains the error in a JSON body and names its place, without repeating any of the body.
//!
//! The parser's own messages quote the rejected value, which may be a secret. Only texts that come from our own types
//! are passed on: the part after "expected", messages that begin with "must", and that a field is missing.

use serde_json::error::Category;
use serde_path_to_error::Error;

use crate::ApiError;
use crate::wire::text;

/// Message for a body that is not JSON.
pub(super) const NO_JSON: &str = "is not JSON";

/// Returns the answer to a body that could not be parsed.
pub(super) fn explain(error: &Error<serde_json::Error>) -> ApiError {
    let inner = error.inner();
    if inner.classify() != Category::Data {
        // The path may contain a name that the caller made up, so it is left out.
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

/// Returns the name between `opening` and the next backquote.
fn quoted<'a>(message: &'a str, opening: &str) -> Option<&'a str> {
    message.strip_prefix(opening)?.split('`').next()
}

fn is_root(path: &str) -> bool {
    path == "."
}

fn join(path: &str, name: &str) -> String {
    if is_root(path) { name.to_owned() } else { format!("{path}.{name}") }
}

/// Translates the type that the parser expected into JSON's terms.
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
