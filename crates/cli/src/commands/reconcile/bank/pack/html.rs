//! The report as a page that prints well: no script, and nothing from elsewhere. Every text is escaped.

use std::fmt::Write as _;

use super::Pack;
use super::sheets::{self, Sheet};
use crate::table::Side;

const STYLE: &str = "body{font:10pt/1.4 sans-serif;margin:2em;color:#000;background:#fff}\
h1{font-size:16pt}h2{font-size:12pt;margin-top:2em}table{border-collapse:collapse;width:100%}\
th,td{border-bottom:1px solid #bbb;padding:.2em .6em;text-align:left;vertical-align:top;overflow-wrap:anywhere}\
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}thead{display:table-header-group}\
tr{break-inside:avoid}h2{break-after:avoid}@page{margin:15mm}@media print{body{margin:0}}";

/// Renders the page.
pub(super) fn render(pack: &Pack, sheets: &[Sheet]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Reconciliation with the bank</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>Reconciliation with the bank</h1>\n<p>{}</p>\n",
        escaped(&pack.summary())
    );
    for sheet in std::iter::once(&sheets::head(pack)).chain(sheets) {
        add(&mut page, sheet);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn add(page: &mut String, sheet: &Sheet) {
    // A text never fails to take more text.
    let _ = writeln!(page, "<h2>{}</h2>", escaped(sheet.title));
    if sheet.rows.is_empty() {
        page.push_str("<p>None.</p>\n");
        return;
    }
    let cell = |tag: &str, side: Side, text: &str| {
        let class = if side == Side::Right { " class=\"n\"" } else { "" };
        format!("<{tag}{class}>{}</{tag}>", escaped(text))
    };
    let heads: String =
        sheet.heads.iter().map(|(head, side)| cell("th", *side, &head.replace('_', " "))).collect();
    let _ = writeln!(page, "<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>");
    for row in &sheet.rows {
        let cells: String =
            row.iter().zip(&sheet.heads).map(|(text, (_, side))| cell("td", *side, text)).collect();
        let _ = writeln!(page, "<tr>{cells}</tr>");
    }
    page.push_str("</tbody>\n</table>\n");
}

/// Text without characters that have a meaning in HTML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_are_escaped() {
        let hostile = "<script>alert(\"x\")</script>&'";
        let sheet = Sheet {
            name: "a",
            title: "A",
            heads: vec![("line", Side::Left)],
            rows: vec![vec![hostile.to_owned()]],
        };
        let mut page = String::new();
        add(&mut page, &sheet);
        assert!(!page.contains("<script"), "{page}");
        let shown = "<td>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;</td>";
        assert!(page.contains(shown), "{page}");
    }
}
