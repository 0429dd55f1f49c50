//! Text of customers, made fit for formats that have no way to quote it.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The text on one line: what controls a device or breaks a line is a space.
pub(super) fn one_line(text: &str) -> String {
    let breaks = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    let line: String = text.chars().map(|letter| if breaks(letter) { ' ' } else { letter }).collect();
    line.trim().to_owned()
}

/// The text on one line in the characters of banks, capital letters of ASCII: letters are taken apart and lose their
/// marks, and those of the Latin script that cannot be taken apart have a like.
///
/// # Errors
///
/// The first letter that has none.
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

/// The text in the characters of banks; what has none there is a question mark. For words, never for a receiver's name.
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

/// Capital letters on one line, taken apart and without their marks.
fn letters(text: &str) -> String {
    let line = one_line(text);
    let capitals = line.nfkd().flat_map(char::to_uppercase);
    capitals.filter(|letter| !is_combining_mark(*letter)).collect()
}

/// The text in capital letters of ASCII, cut or filled with spaces to `width`.
pub(super) fn column(text: &str, width: usize) -> String {
    let plain = plain(text);
    format!("{:<width$}", plain.get(..width).unwrap_or(&plain))
}

/// Letters of ASCII for a capital letter that cannot be taken apart, or a sign. Source: ICAO Doc 9303, Part 3,
/// transliteration of names, but for letters with a stroke, which are those without.
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
        // Soft hyphens and marks of direction are no letters.
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{feff}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rails::file::tests::HOSTILE;

    #[test]
    fn letters_keep_their_sound() {
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
    fn what_cannot_be_written_is_told() {
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
    fn every_character_of_banks_is_itself() {
        let all: String = (b' '..=b'~').map(char::from).collect();
        assert_eq!(written(&all).as_deref(), Ok(all.to_uppercase().trim()));
    }

    #[test]
    fn a_column_is_as_wide_as_it_should_be() {
        for text in HOSTILE.into_iter().chain(["", "ß".repeat(40).as_str()]) {
            for width in [0, 1, 22, 80] {
                let column = column(text, width);
                assert_eq!(column.len(), width, "{text:?}");
                assert!(column.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
            }
        }
    }
}
