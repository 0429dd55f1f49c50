//! Text of customers, made fit for formats that have no way to quote it.

/// The text on one line: what controls a device or breaks a line is a space.
pub(super) fn one_line(text: &str) -> String {
    let breaks = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    let line: String = text.chars().map(|letter| if breaks(letter) { ' ' } else { letter }).collect();
    line.trim().to_owned()
}

/// The text on one line in capital letters of ASCII: accents are dropped, what has no like is a question mark.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in one_line(text).chars().flat_map(char::to_uppercase) {
        match letter {
            ' '..='~' => plain.push(letter),
            // Accents that follow their letter.
            '\u{300}'..='\u{36f}' => {}
            _ => plain.push_str(like(letter)),
        }
    }
    plain
}

/// The text in capital letters of ASCII, cut or filled with spaces to `width`.
pub(super) fn column(text: &str, width: usize) -> String {
    let plain = plain(text);
    format!("{:<width$}", plain.get(..width).unwrap_or(&plain))
}

/// Letters of ASCII for a capital letter of the Latin blocks, or a sign.
fn like(letter: char) -> &'static str {
    match letter {
        'À'..='Å' | 'Ā' | 'Ă' | 'Ą' => "A",
        'Æ' => "AE",
        'Ç' | 'Ć' | 'Ĉ' | 'Ċ' | 'Č' => "C",
        'Ď' | 'Ð' | 'Đ' => "D",
        'È'..='Ë' | 'Ē' | 'Ĕ' | 'Ė' | 'Ę' | 'Ě' => "E",
        'Ĝ' | 'Ğ' | 'Ġ' | 'Ģ' => "G",
        'Ĥ' | 'Ħ' => "H",
        'Ì'..='Ï' | 'Ĩ' | 'Ī' | 'Ĭ' | 'Į' | 'İ' => "I",
        'Ĵ' => "J",
        'Ķ' => "K",
        'Ĺ' | 'Ļ' | 'Ľ' | 'Ł' => "L",
        'Ñ' | 'Ń' | 'Ņ' | 'Ň' => "N",
        'Ò'..='Ö' | 'Ø' | 'Ō' | 'Ŏ' | 'Ő' => "O",
        'Œ' => "OE",
        'Ŕ' | 'Ŗ' | 'Ř' => "R",
        'Ś' | 'Ŝ' | 'Ş' | 'Š' | 'Ș' => "S",
        'Þ' => "TH",
        'Ţ' | 'Ť' | 'Ŧ' | 'Ț' => "T",
        'Ù'..='Ü' | 'Ũ' | 'Ū' | 'Ŭ' | 'Ů' | 'Ű' | 'Ų' => "U",
        'Ŵ' => "W",
        'Ý' | 'Ŷ' | 'Ÿ' => "Y",
        'Ź' | 'Ż' | 'Ž' => "Z",
        '‘' | '’' | 'ʼ' => "'",
        '“' | '”' => "\"",
        '–' | '—' => "-",
        '\u{a0}' => " ",
        _ => "?",
    }
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
            ("中文", "??"),
            (" a\nb\u{85}c\u{2028}d\u{0} ", "A B C D"),
        ];
        for (text, expected) in table {
            assert_eq!(plain(text), expected);
        }
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
