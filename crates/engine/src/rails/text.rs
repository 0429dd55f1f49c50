//! Customer text, converted for formats that have no quoting.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Puts a text on one line: control characters and line breaks become spaces.
pub(super) fn one_line(text: &str) -> String {
    let breaks = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    let line: String = text.chars().map(|letter| if breaks(letter) { ' ' } else { letter }).collect();
    line.trim().to_owned()
}

/// Converts a text to the character set of banks, on one line of ASCII capitals. Letters are decomposed and lose their
/// diacritics. Latin letters without a decomposition are replaced by similar letters.
///
/// # Errors
///
/// The first letter without a replacement.
pub fn written(text: &str) -> Result<String, char> {
    let mut written = String::with_capacity(text.len());
    for letter in letters(text).chars() {
        match letter {
            ' '..='~' => written.push(letter),
            _ => written.push_str(like(letter).ok_or(letter)?),
        }
    }
    Ok(written)
}

/// Converts a text to the character set of banks. A letter without a replacement becomes a question mark. Suitable for
/// free text, never for a receiver's name.
pub(super) fn plain(text: &str) -> String {
    let letters = letters(text);
    let mut plain = String::with_capacity(letters.len());
    for letter in letters.chars() {
        match letter {
            ' '..='~' => plain.push(letter),
            _ => plain.push_str(like(letter).unwrap_or("?")),
        }
    }
    plain
}

/// Returns capital letters on one line, decomposed and without diacritics.
fn letters(text: &str) -> String {
    let line = one_line(text);
    let capitals = line.nfkd().flat_map(char::to_uppercase);
    capitals.filter(|letter| !is_combining_mark(*letter)).collect()
}

/// Converts a text to ASCII capitals, cut or padded with spaces to `width`.
pub(super) fn column(text: &str, width: usize) -> String {
    let plain = plain(text);
    format!("{:<width$}", plain.get(..width).unwrap_or(&plain))
}

/// Returns the ASCII replacement of a sign, or of a capital letter without a decomposition. Source: ICAO Doc 9303, Part
/// 3, transliteration of names. A letter with a stroke becomes the plain letter instead.
fn like(letter: char) -> Option<&'static str> {
    Some(match letter {
        'Æ' => "AE",
        'Ð' | 'Đ' | 'Ɖ' => "D",
        'Ə' | 'Ɛ' => "E",
        'Ǥ' => "G",
        'Ħ' => "H",
        'Ł' => "L",
        'Ŋ' => "N",
        'Ø' | 'Ɔ' => "O",
        'Œ' => "OE",
        'Þ' => "TH",
        'Ŧ' => "T",
        'ẞ' => "SS",
        '‘' | '’' | 'ʼ' | 'ʻ' | 'ʹ' | '′' => "'",
        '“' | '”' | '„' => "\"",
        '‐' | '‑' | '‒' | '–' | '—' | '−' => "-",
        '⁄' => "/",
        // Soft hyphens and direction marks are dropped.
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{feff}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rails::file::tests::HOSTILE;

    #[test]
    fn transliteration_keeps_the_sound() {
        let table = [
            ("Zoë Łukasiewicz-Groß", "ZOE LUKASIEWICZ-GROSS"),
            ("Ærø Þór", "AERO THOR"),
            ("Jose\u{301} O’Neil", "JOSE O'NEIL"),
            ("Đặng Thị Ngọc", "DANG THI NGOC"),
            ("Nguyễn Phước Ỷ", "NGUYEN PHUOC Y"),
            ("ŐRSÉG Žďár İstanbul ıŞIK", "ORSEG ZDAR ISTANBUL ISIK"),
            ("Kaʻiulani Əliyev Ŋalo", "KA'IULANI ELIYEV NALO"),
            ("ﬁn ＡＢＣ № 5", "FIN ABC NO 5"),
            (" a\nb\u{85}c\u{2028}d\u{0} ", "A B C D"),
        ];
        for (text, expected) in table {
            assert_eq!(written(text).as_deref(), Ok(expected));
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn unwritable_letter_is_reported() {
        for (text, letter, lossy) in [
            ("Li 李", '李', "LI ?"),
            ("Иван", 'И', "????"),
            ("Γιώργος", 'Γ', "???????"),
            ("Ann 😀", '😀', "ANN ?"),
        ] {
            assert_eq!(written(text), Err(letter));
            assert_eq!(plain(text), lossy);
        }
    }

    #[test]
    fn bank_characters_stay_the_same() {
        let all: String = (b' '..=b'~').map(char::from).collect();
        assert_eq!(written(&all).as_deref(), Ok(all.to_uppercase().trim()));
    }

    #[test]
    fn column_has_its_exact_width() {
        for text in HOSTILE.into_iter().chain(["", "ß".repeat(40).as_str()]) {
            for width in [0, 1, 22, 80] {
                let column = column(text, width);
                assert_eq!(column.len(), width, "{text:?}");
                assert!(column.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
            }
        }
    }
}
