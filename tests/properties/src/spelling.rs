//! Spellings: ways to write the same text down, of which none says anything else.

/// The text in other ways, each with its name. `fits` says whether its lines may be changed one by one: no line end in it
/// is part of what it says.
#[must_use]
pub fn spellings(text: &str, fits: bool) -> Vec<(&'static str, String)> {
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
