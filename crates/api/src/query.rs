//! Query string and its parameters.
//!
//! Parsed by hand instead of into a struct, because clients send raw `|`, flags in any spelling, and unknown
//! parameters. None of these may fail a request. A repeated parameter does fail it: a proxy on the way may have read
//! the other value.

use actix_web::HttpRequest;

use crate::ApiError;
use crate::wire::text;

/// Parameter that may be repeated, and then is a list.
pub(crate) const LIST: &str = "scope";

/// Parameters that some route reads. The error of a repeated parameter names only these.
pub(crate) const NAMES: [&str; 24] = [
    "after",
    "amount",
    "at",
    "before",
    "currency",
    "dry_run",
    "filter",
    "format",
    "from",
    "is_credit",
    "issue_public_key",
    "other_accounts",
    "page",
    "per_page",
    "query",
    "resend_micro",
    LIST,
    "subscription_id",
    "suggestions",
    "to",
    "type",
    "user_id",
    "wait",
    "waiting",
];

/// Query parameters of a request.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a>(pub(crate) &'a str);

impl<'a> Query<'a> {
    /// Returns the parameters of `request`.
    #[must_use]
    pub fn of(request: &'a HttpRequest) -> Self {
        Self(request.query_string())
    }

    /// Checks that no parameter is repeated, known or not; the list parameter is exempt.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] that names the parameter, or the query string if the parameter is unknown.
    pub fn once(&self) -> Result<(), ApiError> {
        if !self.0.contains('&') {
            return Ok(());
        }
        let mut names: Vec<_> = self.pairs().map(|(name, _)| decode(name)).collect();
        names.retain(|name| !name.is_empty() && name != LIST.as_bytes());
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(twice) => {
                let known = NAMES.iter().find(|name| name.as_bytes() == twice[0]);
                Err(sent_twice(known.unwrap_or(&"query_string")))
            }
        }
    }

    /// Returns the value of `name`, if it was sent.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if it is sent twice, is not UTF-8, holds a NUL or is too long.
    pub fn text(&self, name: &'static str) -> Result<Option<String>, ApiError> {
        match self.texts(name)?.as_mut_slice() {
            [] => Ok(None),
            [text] => Ok(Some(std::mem::take(text))),
            _ => Err(sent_twice(name)),
        }
    }

    /// Returns the values of `name` in the order in which they were sent.
    ///
    /// # Errors
    ///
    /// The same as [`Query::text`], for each of them.
    pub fn texts(&self, name: &'static str) -> Result<Vec<String>, ApiError> {
        self.all(name).map(|raw| read(name, raw)).collect()
    }

    /// Returns true if the flag `name` is sent as "yes", in any case. Every other value is false.
    #[must_use]
    pub fn flag(&self, name: &'static str) -> bool {
        self.answer(name).unwrap_or_default()
    }

    /// Returns the value of the flag `name`, if it was sent.
    #[must_use]
    pub fn answer(&self, name: &'static str) -> Option<bool> {
        self.raw(name).map(|raw| decode(raw).eq_ignore_ascii_case(b"yes"))
    }

    /// Returns the whole number `name` from 1 to `max`, if it was sent.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] if the value is anything else.
    pub fn number(&self, name: &'static str, max: u32) -> Result<Option<u32>, ApiError> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let number = String::from_utf8(decode(raw))
            .ok()
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .filter(|number| (1..=max).contains(number));
        number
            .map(Some)
            .ok_or_else(|| ApiError::invalid(name, format!("must be a whole number from 1 to {max}")))
    }

    fn raw(&self, name: &str) -> Option<&'a str> {
        self.all(name).next_back()
    }

    fn all(&self, name: &str) -> impl DoubleEndedIterator<Item = &'a str> {
        self.pairs().filter(move |(key, _)| decode(key) == name.as_bytes()).map(|(_, value)| value)
    }

    fn pairs(&self) -> impl DoubleEndedIterator<Item = (&'a str, &'a str)> + use<'a> {
        self.0.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }
}

fn sent_twice(name: &'static str) -> ApiError {
    ApiError::invalid(
        name,
        if name == "query_string" { "must name each parameter once" } else { "must be sent once" },
    )
}

/// Decodes and checks the text of the parameter `name`.
fn read(name: &'static str, raw: &str) -> Result<String, ApiError> {
    let text = String::from_utf8(decode(raw)).map_err(|_| ApiError::invalid(name, "must be UTF-8"))?;
    text::check(&text).map_err(|wrong| ApiError::invalid(name, wrong))?;
    Ok(text)
}

/// Decodes percent-encoding and `+`; a `%` that begins no escape stands for itself.
fn decode(encoded: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        decoded.push(match (byte, tail) {
            (b'+', _) => b' ',
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    rest = after;
                    high << 4 | low
                }
                _ => byte,
            },
            _ => byte,
        });
    }
    decoded
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_parameter_is_refused() {
        let told = |query| Query(query).once().map_err(|error| error.to_string());
        for query in
            ["", "a", "a=1&b=1", "&&", "=1&=2", "scope=a&scope=b", "dry_run=true&Dry_run=false", "a&a%00"]
        {
            assert_eq!(told(query), Ok(()), "{query}");
        }
        for query in [
            "dry_run=true&dry_run=false",
            "dry_run&x=1&dry_run",
            "dry_run=1&dry%5Frun=1",
            "%64ry_run&dry_run=",
        ] {
            assert_eq!(told(query), Err("dry_run must be sent once.".to_owned()), "{query}");
        }
        for query in ["x&x", "x=1&y=2&x=1", "%FF&%ff", "a+b&a%20b"] {
            let expected = "query_string must name each parameter once.".to_owned();
            assert_eq!(told(query), Err(expected), "{query}");
        }
        assert_eq!(Query("scope=a&scope=b").text("scope"), Err(sent_twice("scope")));
    }

    #[test]
    fn a_flag_says_yes_or_no() {
        for query in ["a=YES", "a=yes", "a=NO&a=Yes", "a=%79es"] {
            assert!(Query(query).flag("a"), "{query}");
        }
        for query in ["", "a", "a=", "a=NO", "a=False", "a=true", "a=1", "b=YES"] {
            assert!(!Query(query).flag("a"), "{query}");
        }
    }

    #[test]
    fn text_is_decoded_and_checked() {
        let text = |query| Query(query).text("a").map_err(|error| error.to_string());
        assert_eq!(text("a=J%C3%B6rg+B"), Ok(Some("Jörg B".to_owned())));
        assert_eq!(text("a=USER|PATCH%7c%"), Ok(Some("USER|PATCH|%".to_owned())));
        assert_eq!(text("a=%zz%4"), Ok(Some("%zz%4".to_owned())));
        assert_eq!(text("b=1"), Ok(None));
        assert_eq!(text("a=%FF"), Err("a must be UTF-8.".to_owned()));
        assert_eq!(text("a=%00"), Err("a must not contain NUL.".to_owned()));
    }
}
