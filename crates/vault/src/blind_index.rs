//! Blind index: finds subjects by a prefix of a word in their texts, and stores none of the words.
//!
//! The prefixes of 1 to 12 characters of each word are stored as keyed hashes. A longer search text is answered with
//! the subjects that match its first 12 characters; the caller confirms the match on the opened boxes.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::{Error, Purpose, Vault};

/// Maximum length of a prefix in the index, in characters.
pub const MAX_CHARS: usize = 12;

/// Maximum number of texts of a subject, and of words of a text. A subject has at most 4,800 prefixes; an ordinary one
/// has about a hundred.
const MAX_TEXTS: usize = 50;
const MAX_WORDS: usize = 8;

/// Stored part of a keyed hash: 16 of its 32 bytes.
type Token = [u8; 16];

/// Tenant whose subjects are searched. Tenants never find each other's subjects.
#[derive(Clone, Copy, Debug)]
pub struct Tenant {
    /// Shard of the tenant's subjects.
    pub shard: i16,
    /// Id of the tenant.
    pub id: Uuid,
}

/// A page of the subjects that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSubjects {
    /// Subjects of the page, the oldest first.
    pub subjects: Vec<Uuid>,
    /// Total number of subjects that were found.
    pub total: u64,
}

impl Vault {
    /// Indexes `texts`: `subject` is then found by each of them as a whole, and from each of its first words on. The
    /// texts in `known` are indexed already.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]. Calling again is always safe.
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

    /// Removes the texts in `gone` from the index of `subject`, except for prefixes that the texts in `kept` have as
    /// well.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]. Calling again is always safe.
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

    /// Returns a page of the subjects of `tenant` with a text that begins with `text`, as a whole or from one of its
    /// first words on. `offset` subjects are skipped. An empty text finds no subject.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn find(
        &self,
        tenant: Tenant,
        text: &str,
        offset: i64,
        limit: i64,
    ) -> Result<FoundSubjects, Error> {
        let beginning: String = normal(text).chars().take(MAX_CHARS).collect();
        if beginning.is_empty() {
            return Ok(FoundSubjects { subjects: vec![], total: 0 });
        }
        let token = self.token(tenant, &beginning);
        let client = self.0.pg.of(tenant.shard).client().await?;
        let sql = include_str!("sql/find_tokens.sql");
        let statement = client.prepare_cached(sql).await.map_err(daybook_pg::Error::from)?;
        let rows = client.query(&statement, &[&tenant.shard, &token.as_slice(), &offset, &limit]).await;
        let rows = rows.map_err(daybook_pg::Error::from)?;
        let mut found = FoundSubjects { subjects: vec![], total: 0 };
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
        let client = self.0.pg.of(tenant.shard).client().await?;
        let statement = client.prepare_cached(sql).await.map_err(daybook_pg::Error::from)?;
        let written = client.execute(&statement, &[&tenant.shard, &subject, &tokens]).await;
        written.map(drop).map_err(daybook_pg::Error::from)?;
        Ok(())
    }

    /// Returns the tokens of `texts` that `others` do not have.
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

/// Returns true if `question` finds one of `texts`: the text begins with it, as a whole or from one of its first words
/// on.
#[must_use]
pub fn is_found(texts: &[&str], question: &str) -> bool {
    let question = normal(question);
    texts.iter().take(MAX_TEXTS).any(|text| tails(&normal(text)).any(|tail| tail.starts_with(&question)))
}

/// Converts a text to lower case with single spaces.
fn normal(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the rest of the text from each of its first words on.
fn tails(text: &str) -> impl Iterator<Item = &str> {
    let later = text.match_indices(' ').map(|(place, _)| &text[place + 1..]);
    std::iter::once(text).chain(later).take(MAX_WORDS)
}

/// Returns the prefixes by which a text is found.
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
    fn text_is_found_by_each_words_prefix() {
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
    fn long_searches_are_confirmed_on_the_texts() {
        let name = "Wolfeschlegelsteinhausen";
        assert!(beginnings(name).iter().all(|beginning| beginning.chars().count() <= MAX_CHARS));
        assert!(is_found(&["x", name], "WOLFESCHLEGELSTEIN"));
        assert!(!is_found(&[name], "wolfeschlegelx") && !is_found(&[], "w"));
        assert!(is_found(&["Ada Lovelace"], "lovel") && is_found(&["Ada Lovelace"], "ADA  lov"));
    }

    #[test]
    fn words_after_the_eighth_are_ignored() {
        let words = "a b c d e f g h i j";
        assert!(is_found(&[words], "h i") && !is_found(&[words], "i j"));
        let long = (0..500).map(|n| format!("{n}")).collect::<Vec<_>>().join(" ");
        assert!(beginnings(&long).len() <= MAX_WORDS * MAX_CHARS);
    }

    #[test]
    fn empty_text_has_no_prefix() {
        assert_eq!((beginnings(""), beginnings(" \t")), (vec![], vec![]));
    }
}
