//! A page with commands: blocks `bash`, each of which may be followed by a block `text` with its output.

use std::fmt::Write as _;
use std::ops::Range;

/// Line that the script prints before the output of each block.
const MARK: &str = "@@@@";

/// Beginnings and end of blocks.
const COMMANDS: &str = "```bash\n";
const OUTPUT: &str = "```text\n";
const END: &str = "```\n";

/// Number of characters of an id, and of a hash in hexadecimal digits.
const ID_CHARS: usize = 26;
const HASH_CHARS: usize = 64;

/// A page with its blocks.
pub(super) struct Page {
    text: String,
    blocks: Vec<Block>,
}

/// Commands, and the output that the page shows.
struct Block {
    commands: Range<usize>,
    /// Place of the output; `None` if the commands print nothing.
    output: Option<Range<usize>>,
}

impl Page {
    /// Finds the blocks of a text.
    pub(super) fn read(text: String) -> Self {
        let mut blocks = vec![];
        let mut at = 0;
        while let Some(commands) = block(&text, at, COMMANDS) {
            let behind = commands.end + END.len();
            let follows = text[behind..].trim_start_matches('\n').starts_with(OUTPUT);
            let output = follows.then(|| block(&text, behind, OUTPUT)).flatten();
            at = behind;
            blocks.push(Block { commands, output });
        }
        assert!(!blocks.is_empty(), "the page has no commands");
        Self { text, blocks }
    }

    /// A script of all commands.
    pub(super) fn script(&self) -> String {
        let mut script = String::new();
        for block in &self.blocks {
            write!(script, "echo {MARK}\n{}", &self.text[block.commands.clone()]).expect("a string grows");
        }
        script
    }

    /// Splits the output of the script into those of the blocks.
    pub(super) fn outputs(&self, said: &str) -> Vec<String> {
        let mark = format!("{MARK}\n");
        let outputs: Vec<_> = said.split(&mark).skip(1).map(|output| trimmed(&uncolored(output))).collect();
        assert_eq!(outputs.len(), self.blocks.len(), "{said}");
        outputs
    }

    /// Blocks whose output is not that of the page.
    pub(super) fn differences(&self, outputs: &[String]) -> Vec<String> {
        let pairs = self.blocks.iter().zip(outputs);
        let wrong = pairs.filter(|(block, output)| plain(self.shown(block)) != plain(output));
        let tell = |(block, output): (&Block, &String)| {
            let commands = &self.text[block.commands.clone()];
            format!("{commands}shows:\n{}\nprints:\n{output}", self.shown(block))
        };
        wrong.map(tell).collect()
    }

    /// The page with these outputs. An output that differs in ids only stays as it is.
    pub(super) fn with(&self, outputs: &[String]) -> String {
        let mut text = self.text.clone();
        for (block, output) in self.blocks.iter().zip(outputs).rev() {
            if plain(self.shown(block)) == plain(output) {
                continue;
            }
            let shown = format!("{output}\n");
            match &block.output {
                Some(place) => text.replace_range(place.clone(), &shown),
                None => text.insert_str(block.commands.end + END.len(), &format!("\n{OUTPUT}{shown}{END}")),
            }
        }
        text
    }

    fn shown(&self, block: &Block) -> &str {
        block.output.as_ref().map_or("", |place| &self.text[place.clone()])
    }
}

/// Content of the first block behind `from` that begins in this way.
fn block(text: &str, from: usize, beginning: &str) -> Option<Range<usize>> {
    let start = from + text[from..].find(beginning)? + beginning.len();
    let length = text[start..].find(END).expect("the block ends");
    Some(start..start + length)
}

/// Text without the colors that programs use on a terminal.
fn uncolored(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, text)| text));
    std::iter::once(first).chain(rest).collect()
}

/// Text without blanks at the ends of its lines, and without empty lines around it.
fn trimmed(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Text without the values that differ in each run: ids, hashes, and times of a day. Columns have one blank between them,
/// because their width depends on these values.
fn plain(text: &str) -> String {
    let words = |line: &str| line.split_whitespace().map(plain_word).collect::<Vec<_>>().join(" ");
    text.trim().lines().map(words).collect::<Vec<_>>().join("\n")
}

fn plain_word(word: &str) -> String {
    // 2032-03-01T18:00:00.000Z
    if let Some((day, time)) = word.split_once('T')
        && (day.len(), time.len()) == (10, 13)
        && time.ends_with('Z')
    {
        return format!("{day}TIME");
    }
    let mut plain = String::new();
    for part in word.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()) {
        let run = part.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
        let is_upper = !run.contains(|letter: char| letter.is_ascii_lowercase());
        plain.push_str(match run.len() {
            ID_CHARS if is_upper => "ID",
            HASH_CHARS => "HASH",
            _ => run,
        });
        plain.push_str(&part[run.len()..]);
    }
    plain
}

#[test]
fn outputs_differ_by_more_than_ids() {
    let page = |output: &str| {
        Page::read(format!("# A\n\n```bash\na\n```\n\n```text\n{output}```\n\n```bash\nb\n```\n"))
    };
    let said = |output: &str| vec![output.to_owned(), String::new()];
    let old = page("01M7YHNWVNDNSR6XR3E0B39KWS  1.00  2032-03-01T18:00:00.000Z\n");
    let same = said("01M7YHNWVNDNSR6XR3E0B39KWT   1.00   2032-03-01T18:01:00.000Z");
    assert_eq!((old.differences(&same).len(), old.with(&same)), (0, old.text.clone()));
    let other = said("01M7YHNWVNDNSR6XR3E0B39KWT  1.01  2032-03-01T18:00:00.000Z");
    assert_eq!(old.differences(&other).len(), 1);
    let blessed = Page::read(old.with(&other));
    assert!(blessed.differences(&other).is_empty());
    let unshown = vec![other[0].clone(), "an error".to_owned()];
    assert_eq!(blessed.differences(&unshown).len(), 1);
    assert!(Page::read(blessed.with(&unshown)).differences(&unshown).is_empty());
}
