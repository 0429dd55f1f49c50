//! Spellings: different forms of a text with the same meaning.

/// Returns other spellings of the text, each with a name. `fits` is true if lines may be changed one by one, because no
/// line end is part of a field.
#[must_use]
pub fn spellings(text: &str, fits: bool) -> Vec<(&'static str, String)> {
    // A second byte order mark would be a letter.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let marked = [
        ("a byte order mark", format!("\u{feff}{text}")),
        ("empty last lines", format!("{text}\r\n\n")),
        ("blank last lines", format!("{text}\n   \n")),
        ("an end mark", format!("{text}\n\u{1a}")),
    ];
    let lines: Vec<&str> = text.lines().collect();
    let mixed = lines.iter().zip(["\r\n", "\n", "\r\r\n"].iter().cycle());
    let each = |change: &dyn Fn(&str) -> String| lines.iter().map(|line| change(line)).collect::<String>();
    let changed = [
        ("line feeds", each(&|line| format!("{line}\n"))),
        ("carriage returns and line feeds", each(&|line| format!("{line}\r\n"))),
        ("mixed ends", mixed.flat_map(|(line, end)| [*line, *end]).collect()),
        ("no last end", lines.join("\n")),
        ("empty lines between", each(&|line| format!("{line}\n\n"))),
        ("trimmed lines", each(&|line| format!("{}\n", line.trim_end_matches(' ')))),
        ("padded lines", each(&|line| format!("{line}   \n"))),
        ("padded and marked", format!("\u{feff}{}", each(&|line| format!("{line}  \r\n")))),
    ];
    marked.into_iter().chain(changed.into_iter().filter(|_| fits)).collect()
}
