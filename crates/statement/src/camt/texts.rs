//! Description of a line: the texts of several elements.

/// Texts in the order of the file, each once.
#[derive(Default)]
pub(super) struct Words(Vec<String>);

impl Words {
    /// Adds a text. Banks repeat texts at the levels of the entry and of its detail.
    pub(super) fn add(&mut self, text: &str) {
        if !text.is_empty() && self.0.last().is_none_or(|last| last != text) {
            self.0.push(text.to_owned());
        }
    }

    /// Adds the texts of another level.
    pub(super) fn and(mut self, others: Self) -> Self {
        for text in others.0 {
            self.add(&text);
        }
        self
    }

    /// One text. Its parts are separated by a space.
    pub(super) fn text(mut self) -> String {
        if self.0.len() == 1 { self.0.pop().unwrap_or_default() } else { self.0.join(" ") }
    }
}
