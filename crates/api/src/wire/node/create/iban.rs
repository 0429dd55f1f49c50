//! International bank account numbers. Source: ISO 13616, and the lengths in SWIFT's IBAN registry.

/// Returns true if the text, in capitals and without blanks, is an IBAN: country, check digits, and the length of its
/// country's IBANs.
pub(super) fn is_iban(number: &str) -> bool {
    let (Some(country), Some(digits), Some(_)) = (number.get(..2), number.get(2..4), number.get(4..)) else {
        return false;
    };
    let is_long_enough = match length(country) {
        Some(length) => number.len() == length,
        // Some countries use IBANs and are not in the registry.
        None => (15..=34).contains(&number.len()),
    };
    let is_code = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    is_long_enough
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        // Other check digits with the right remainder are never issued.
        && ("02"..="98").contains(&digits)
        && number.bytes().all(is_code)
        && rest(number) == 1
}

/// Returns the remainder modulo 97 after moving the first four characters to the end; letters count from A = 10.
fn rest(number: &str) -> u32 {
    let moved = number.bytes().cycle().skip(4).take(number.len());
    moved.fold(0, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte.saturating_sub(b'A')) + 10) % 97,
    })
}

/// Returns the length of a country's IBANs, if the country is in the registry.
fn length(country: &str) -> Option<usize> {
    Some(match country {
        "NO" => 15,
        "BE" => 16,
        "DK" | "FI" | "FK" | "FO" | "GL" | "NL" | "SD" => 18,
        "MK" | "SI" => 19,
        "AT" | "BA" | "EE" | "KZ" | "LT" | "LU" | "MN" | "XK" => 20,
        "CH" | "HR" | "LI" | "LV" => 21,
        "BG" | "BH" | "CR" | "DE" | "GB" | "GE" | "IE" | "ME" | "RS" | "VA" => 22,
        "AE" | "GI" | "IL" | "IQ" | "OM" | "SO" | "TL" => 23,
        "AD" | "CZ" | "ES" | "MD" | "PK" | "RO" | "SA" | "SE" | "SK" | "TN" | "VG" => 24,
        "LY" | "PT" | "ST" => 25,
        "IS" | "TR" => 26,
        "BI" | "DJ" | "FR" | "GR" | "IT" | "MC" | "MR" | "SM" => 27,
        "AL" | "AZ" | "BY" | "CY" | "DO" | "GT" | "HN" | "HU" | "LB" | "NI" | "PL" | "SV" => 28,
        "BR" | "EG" | "PS" | "QA" | "UA" => 29,
        "JO" | "KW" | "MU" | "YE" => 30,
        "MT" | "SC" => 31,
        "LC" => 32,
        "RU" => 33,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_ibans_of_many_countries_are_accepted() {
        let good = [
            "NO9386011117947",
            "BE68539007547034",
            "DE89370400440532013000",
            "GB29NWBK60161331926819",
            "FR1420041010050500013M02606",
            "MT84MALT011000012345MTLCAST001S",
            "LC55HEMM000100010012001200023015",
            // Not in the registry.
            "SN08SN0100152000048500003035",
        ];
        for number in good {
            assert!(is_iban(number), "{number}");
        }
    }

    #[test]
    fn one_wrong_digit_or_swap_is_detected() {
        let right = "DE89370400440532013000";
        for at in 2..right.len() {
            for digit in '0'..='9' {
                let mut wrong = right.to_owned();
                wrong.replace_range(at..=at, &digit.to_string());
                assert_eq!(is_iban(&wrong), wrong == right, "{wrong}");
            }
        }
        for at in 4..right.len() - 1 {
            let mut letters: Vec<char> = right.chars().collect();
            letters.swap(at, at + 1);
            let swapped: String = letters.into_iter().collect();
            assert_eq!(is_iban(&swapped), swapped == right, "{swapped}");
        }
    }

    #[test]
    fn invalid_ibans_are_refused() {
        let bad = [
            "",
            "DE",
            "DE89",
            "DE8937040044053201300",
            "DE893704004405320130000",
            "de89370400440532013000",
            "D189370400440532013000",
            "DEX9370400440532013000",
            "DE89 3704 0044 0532 0130 00",
            "DE8937040044053201300\u{660}",
            "ÄÖ89370400440532013000",
            "QQ89370400440532013000",
            // The right remainder, with check digits that are never issued.
            "GB01NWBK60161331926062",
        ];
        for number in bad {
            assert!(!is_iban(number), "{number}");
        }
    }
}
