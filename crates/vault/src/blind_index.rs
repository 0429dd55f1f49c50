//! The blind index: finds subjects by the beginning of a word of theirs, and keeps none of the words.
//!
//! Of each word the beginnings of 1 to 12 characters are kept as keyed hashes. A longer question is answered with those
//! who have its first 12 characters: whoever asks confirms on the opened boxes.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::{Error, Purpose, Vault};

/// The most characters of a beginning that the index knows.
pub const MAX_CHARS: usize = 12;

/// How many texts of a subject, and how many words of a text, are looked at: a subject has at most 4,800 beginnings, and
/// an honest one a hundred.
const MAX_TEXTS: usize = 50;
const MAX_WORDS: usize = 8;

/// How much of a keyed hash is kept: 16 bytes of the 32.
type Token = [u8; 16];

/// Whose words they are: two tenants never find each other's.
#[derive(Clone, Copy, Debug)]
pub struct Tenant {
    /// Where the tenant's subjects are.
    pub shard: i16,
    /// The tenant.
    pub id: Uuid,
}

/// A page of those who were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The subjects of the page, the oldest first.
    pub subjects: Vec<Uuid>,
    /// How many there are in all.
    pub total: u64,
}

impl Vault {
    /// From now on `subject` is found by these texts, too: by each as a whole and from each of its first words on. Those
    /// that are `known` are there already.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; calling again is always safe.
    pub async fn index(
        &self,
        tenant: Tenant,
        subject: Uuid,
        texts: &[&str],
        known: &[&str],
    ) -> Result<(), Error> {
        let tokens = self.tokens(tenant, texts, known);
        self.write_tokens(include_str!("sql/insert_tokens.sql"), tenant, subject, &tokens).await
    }

    /// From now on `subject` is not found by the texts that are `gone`, but for what those that are `kept` begin with, too.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; calling again is always safe.
    pub async fn unindex(
        &self,
        tenant: Tenant,
        subject: Uuid,
        gone: &[&str],
        kept: &[&str],
    ) -> Result<(), Error> {
        let tokens = self.tokens(tenant, gone, kept);
        self.write_tokens(include_str!("sql/delete_tokens.sql"), tenant, subject, &tokens).await
    }

    /// The subjects of `tenant` that a text beginning so is about, of which `offset` are passed over; nobody if it says
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn find(&self, tenant: Tenant, text: &str, offset: i64, limit: i64) -> Result<Found, Error> {
        let beginning: String = normal(text).chars().take(MAX_CHARS).collect();
        if beginning.is_empty() {
            return Ok(Found { subjects: vec![], total: 0 });
        }
        let token = self.token(tenant, &beginning);
        let client = self.0.pg.client().await?;
        let sql = include_str!("sql/find_tokens.sql");
        let statement = client.prepare_cached(sql).await.map_err(daybook_pg::Error::from)?;
        let rows = client.query(&statement, &[&tenant.shard, &token.as_slice(), &offset, &limit]).await;
        let rows = rows.map_err(daybook_pg::Error::from)?;
        let mut found = Found { subjects: vec![], total: 0 };
        for row in rows {
            let total: i64 = row.try_get(0).map_err(daybook_pg::Error::from)?;
            found.total = total.unsigned_abs();
            found.subjects.extend(row.try_get::<_, Option<Uuid>>(1).map_err(daybook_pg::Error::from)?);
        }
        Ok(found)
    }

    async fn write_tokens(
        &self,
        sql: &str,
        tenant: Tenant,
        subject: Uuid,
        tokens: &[Token],
    ) -> Result<(), Error> {
        let tokens: Vec<&[u8]> = tokens.iter().map(Token::as_slice).collect();
        let client = self.0.pg.client().await?;
        let statement = client.prepare_cached(sql).await.map_err(daybook_pg::Error::from)?;
        let written = client.execute(&statement, &[&tenant.shard, &subject, &tokens]).await;
        written.map(drop).map_err(daybook_pg::Error::from)?;
        Ok(())
    }

    /// The tokens of `texts` that are none of `others`.
    fn tokens(&self, tenant: Tenant, texts: &[&str], others: &[&str]) -> Vec<Token> {
        let beginnings = |texts: &[&str]| -> BTreeSet<String> {
            texts.iter().take(MAX_TEXTS).flat_map(|text| beginnings(text)).collect()
        };
        let (own, others) = (beginnings(texts), beginnings(others));
        own.difference(&others).map(|beginning| self.token(tenant, beginning)).collect()
    }

    fn token(&self, tenant: Tenant, beginning: &str) -> Token {
        let hash = self.mac(Purpose::BlindIndex, &[tenant.id.as_bytes(), beginning.as_bytes()]);
        let mut token = Token::default();
        token.copy_from_slice(&hash[..16]);
        token
    }
}

/// Whether one of `texts` is found by `question`: it begins so, as a whole or from one of its first words on.
#[must_use]
pub fn is_found(texts: &[&str], question: &str) -> bool {
    let question = normal(question);
    texts.iter().take(MAX_TEXTS).any(|text| tails(&normal(text)).any(|tail| tail.starts_with(&question)))
}

/// Small letters and single blanks.
fn normal(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text from each of its first words on.
fn tails(text: &str) -> impl Iterator<Item = &str> {
    let later = text.match_indices(' ').map(|(place, _)| &text[place + 1..]);
    std::iter::once(text).chain(later).take(MAX_WORDS)
}

/// The beginnings that a text is found by.
fn beginnings(text: &str) -> Vec<String> {
    let text = normal(text);
    let lengths = |tail: &str| {
        let ends = tail.char_indices().skip(1).map(|(end, _)| end).chain([tail.len()]);
        ends.take(MAX_CHARS).map(|end| tail[..end].to_owned()).collect::<Vec<_>>()
    };
    tails(&text).filter(|tail| !tail.is_empty()).flat_map(lengths).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_by_the_beginning_of_each_of_its_words() {
        let found = beginnings("  Ada  ÉMILE ");
        for beginning in ["a", "ad", "ada", "ada ", "ada é", "ada émile", "é", "émi", "émile"] {
            assert!(found.iter().any(|known| known == beginning), "{beginning}");
        }
        for other in ["", "da", "Ada", "mile", " ", "ada  émile"] {
            assert!(!found.iter().any(|known| known == other), "{other:?}");
        }
        assert_eq!(found.len(), 9 + 5);
    }

    #[test]
    fn the_index_knows_twelve_characters_and_the_boxes_know_the_rest() {
        let name = "Wolfeschlegelsteinhausen";
        assert!(beginnings(name).iter().all(|beginning| beginning.chars().count() <= MAX_CHARS));
        assert!(is_found(&["x", name], "WOLFESCHLEGELSTEIN"));
        assert!(!is_found(&[name], "wolfeschlegelx") && !is_found(&[], "w"));
        assert!(is_found(&["Ada Lovelace"], "lovel") && is_found(&["Ada Lovelace"], "ADA  lov"));
    }

    #[test]
    fn of_very_many_words_the_first_are_enough() {
        let words = "a b c d e f g h i j";
        assert!(is_found(&[words], "h i") && !is_found(&[words], "i j"));
        let long = (0..500).map(|n| format!("{n}")).collect::<Vec<_>>().join(" ");
        assert!(beginnings(&long).len() <= MAX_WORDS * MAX_CHARS);
    }

    #[test]
    fn nothing_has_no_beginning() {
        assert_eq!((beginnings(""), beginnings(" \t")), (vec![], vec![]));
    }
}
