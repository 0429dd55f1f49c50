//! Values that are stored as text: parsed where the text stands. A copy of it for every id would be half of what reading
//! an event costs.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Visitor};

/// The lines of a data file that are not comments.
pub fn data_lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// Reads a text and makes a value of it by `parse`, whose error becomes the deserializer's.
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

/// `Serialize` and `Deserialize` of types that are stored as the text that `Display` writes and `FromStr` reads.
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

/// `Deserialize` alone.
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
