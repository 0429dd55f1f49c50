//! Values that are stored as text. They are parsed in place: a copy of the text of every id would take half of the time
//! of reading an event.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Visitor};

/// The lines of a data file, without comments.
pub fn data_lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// Reads a text and converts it by `parse`. An error of `parse` becomes the deserializer's error.
pub(crate) fn deserialize<'de, D, T, E>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    E: fmt::Display,
{
    deserializer.deserialize_str(Text(parse, PhantomData))
}

struct Text<P, T>(P, PhantomData<T>);

impl<P, T, E> Visitor<'_> for Text<P, T>
where
    P: FnOnce(&str) -> Result<T, E>,
    E: fmt::Display,
{
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<F: Error>(self, text: &str) -> Result<T, F> {
        (self.0)(text).map_err(F::custom)
    }
}

/// Implements `Serialize` and `Deserialize` for a type that is stored as text: `Display` writes it, `FromStr` reads it.
macro_rules! stored_as_text {
    ($name:ty) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        $crate::text::read_as_text!($name);
    };
}
pub(crate) use stored_as_text;

/// Implements `Deserialize` alone.
macro_rules! read_as_text {
    ($name:ty) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::text::deserialize(deserializer, str::parse)
            }
        }
    };
}
pub(crate) use read_as_text;
