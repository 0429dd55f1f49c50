//! Stored data of a linked bank account: the bank's data, and a comparison of its holder with the user.

use super::LinkedAccount;
use crate::contents::{LinkedDetails, Match, MatchInfo, NodeDetails, Profile};
use crate::rails::bank_link::Holder;

impl LinkedAccount {
    /// Returns the details to be sealed in the node of the user with `profile`. Of the holder's data only the name is
    /// kept.
    #[must_use]
    pub fn details(self, profile: &Profile) -> NodeDetails {
        let account_type = if self.is_business { "BUSINESS" } else { "PERSONAL" };
        NodeDetails {
            nickname: self.nickname,
            account_num: Some(self.account_num),
            routing_num: Some(self.routing_num),
            class: Some(self.class.as_str().to_owned()),
            account_type: Some(account_type.to_owned()),
            bank_name: Some(self.bank_name),
            address: Some(self.address),
            linked: Some(LinkedDetails {
                bank_long_name: self.bank_long_name,
                balance: self.balance,
                match_info: match_info(&self.holder, profile),
            }),
            name_on_account: self.holder.name,
            ..NodeDetails::default()
        }
    }
}

/// Compares the bank's data about its customer with the user's profile.
fn match_info(holder: &Holder, profile: &Profile) -> MatchInfo {
    let emails = profile.logins.iter().map(|login| &login.email);
    MatchInfo {
        name: find(holder.name.as_deref(), &profile.legal_names, name),
        email: find(holder.email.as_deref(), emails, |email| email.trim().to_lowercase()),
        phone: find(holder.phone.as_deref(), &profile.phone_numbers, phone),
    }
}

/// Looks for `told` in `known`, after both are normalized by `spell`. The result is not found if either side has no
/// value.
fn find<'a>(
    told: Option<&str>,
    known: impl IntoIterator<Item = &'a String>,
    spell: impl Fn(&str) -> String,
) -> Match {
    let says_something = |text: &String| !text.is_empty();
    let told = told.map(&spell).filter(says_something);
    let known: Vec<String> = known.into_iter().map(|text| spell(text)).filter(says_something).collect();
    match told {
        Some(told) if known.contains(&told) => Match::Match,
        Some(_) if !known.is_empty() => Match::NoMatch,
        Some(_) | None => Match::NotFound,
    }
}

/// Normalizes a name: lower case, single spaces.
fn name(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Normalizes a phone number: digits only, without the country code 1 of North America.
fn phone(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    match digits.strip_prefix('1') {
        Some(rest) if rest.len() == 10 => rest.to_owned(),
        _ => digits,
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::{Currency, Money};

    use super::*;
    use crate::contents::Login;
    use crate::rails::AccountClass;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    fn compared(told: &str, known: &[&str]) -> [Match; 3] {
        let told = Some(told.to_owned());
        let holder = Holder { name: told.clone(), email: told.clone(), phone: told };
        let login = |email: &&str| Login { email: (*email).to_owned(), scope: "READ".to_owned() };
        let profile = Profile {
            logins: known.iter().map(login).collect(),
            phone_numbers: texts(known),
            legal_names: texts(known),
            supp_id: None,
        };
        let MatchInfo { name, email, phone } = match_info(&holder, &profile);
        [name, email, phone]
    }

    #[test]
    fn spelling_differences_are_ignored() {
        let name = |told, known| compared(told, known)[0];
        assert_eq!(name("ADA  LOVELACE ", &["Bob", "Ada Lovelace"]), Match::Match);
        assert_eq!(name("Ada Lovelace", &["Ada", "Lovelace"]), Match::NoMatch);
        let email = |told, known| compared(told, known)[1];
        assert_eq!(email(" Ada@Example.com", &["ada@example.com"]), Match::Match);
        assert_eq!(email("ada@example.com", &["ada@example.org"]), Match::NoMatch);
        let phone = |told, known| compared(told, known)[2];
        assert_eq!(phone("+1 (901) 111-1111", &["901.111.1111"]), Match::Match);
        assert_eq!(phone("901.111.1111", &["19011111111"]), Match::Match);
        assert_eq!(phone("1234567", &["234567"]), Match::NoMatch);
    }

    #[test]
    fn missing_value_gives_not_found() {
        for (told, known) in [("", &["Ada"][..]), ("Ada", &[]), ("Ada", &["", " "]), (" ", &[" "])] {
            assert_eq!(compared(told, known), [Match::NotFound; 3], "{told:?} {known:?}");
        }
        assert!(match_info(&Holder::default(), &Profile::default()) == MatchInfo::default());
        // A phone number without digits leaves nothing to compare.
        assert_eq!(compared("none", &["none"]), [Match::Match, Match::Match, Match::NotFound]);
    }

    #[test]
    fn account_is_kept_with_holder_name_only() {
        let holder = Holder {
            name: Some("Ada Lovelace".into()),
            email: Some("ada@example.com".into()),
            phone: Some("901.111.1111".into()),
        };
        let account = LinkedAccount {
            nickname: "Savings".into(),
            account_num: "8000005002".into(),
            routing_num: "123456780".into(),
            class: AccountClass::Savings,
            is_business: true,
            bank_name: "Bank".into(),
            bank_long_name: "Bank of Banks".into(),
            address: "1 Main St".into(),
            balance: Money::new(80_000, Currency::USD),
            holder,
        };
        let profile = Profile { legal_names: texts(&["Ada Lovelace"]), ..Profile::default() };
        let kept = serde_json::to_value(account.details(&profile)).expect("JSON");
        let text = |field: &str| kept[field].as_str().map(str::to_owned);
        assert_eq!(text("class").as_deref(), Some("SAVINGS"));
        assert_eq!(text("account_type").as_deref(), Some("BUSINESS"));
        assert_eq!(text("account_num").as_deref(), Some("8000005002"));
        assert_eq!(text("bank_name").as_deref(), Some("Bank"));
        assert_eq!(text("address").as_deref(), Some("1 Main St"));
        assert_eq!(text("name_on_account").as_deref(), Some("Ada Lovelace"));
        let linked = serde_json::json!({
            "bank_long_name": "Bank of Banks", "balance": {"minor": 80_000, "currency": "USD"},
            "match_info": {"name": "match", "email": "not_found", "phone": "not_found"},
        });
        assert_eq!(kept["linked"], linked);
    }
}
