//! Tests of replies: rendered, and parsed again.

use daybook_domain::Timestamp;

use super::{Content, Contested, Dishonored, EarlierEntry, Entry, Reply, parse_returns, render_replies};
use crate::rails::file::tests::{HOSTILE, entry, originator};
use crate::rails::file::{EntryDirection, Unfit};
use crate::rails::incoming::error;

fn earlier(trace: &str, settlement_day: Option<u16>, code: &str) -> EarlierEntry {
    EarlierEntry { trace: trace.into(), settlement_day, code: code.into() }
}

fn dishonored() -> Dishonored {
    Dishonored { returned: earlier("091000010000071", Some(306), "R03"), info: "01*03*06".into() }
}

fn contested() -> Contested {
    Contested {
        returned_on: "2026-11-02".parse().ok(),
        settlement_day: Some(305),
        returned: earlier("091000010000071", Some(306), "R03"),
        dishonored: earlier("021000020000072", Some(7), "R69"),
    }
}

fn render(replies: &[Reply<'_>]) -> Result<String, Unfit> {
    let sent = [entry(7, EntryDirection::Push, 100), entry(8, EntryDirection::Pull, 250)];
    let replies: Vec<_> = sent.iter().cycle().zip(replies.iter().cloned()).collect();
    render_replies(&originator(), Timestamp::default(), &replies)
}

fn parsed(replies: &[Reply<'_>]) -> Vec<Entry> {
    parse_returns(&render(replies).expect("a file")).expect("entries")
}

#[test]
fn replies_have_layouts_of_their_kind() {
    let replies = [
        Reply::Changed("C05", "32"),
        Reply::Dishonored("R69", dishonored()),
        Reply::Contested("R73", contested()),
    ];
    let text = render(&replies).expect("a file");
    let addenda: Vec<_> = text.lines().filter(|line| line.starts_with('7')).collect();
    let expected = [
        "799R69021000020000008      09100001   0910000100000713060301*03*06             091000010000002",
        "799R73021000020000007261102091000013050910000100000713060302100002000007200769 091000010000003",
        "798C05021000020000007      0910000132                                          091000010000001",
    ];
    assert_eq!(addenda, expected);
    let classes: Vec<_> =
        text.lines().filter(|line| line.starts_with('5')).map(|line| &line[50..53]).collect();
    assert_eq!(classes, ["PPD", "COR"]);
}

#[test]
fn replies_round_trip() {
    let blank = Contested {
        returned_on: None,
        settlement_day: None,
        returned: earlier("091000010000071", None, "R03"),
        ..contested()
    };
    let without_info = Dishonored { info: String::new(), ..dishonored() };
    let replies = [
        Reply::Dishonored("R69", dishonored()),
        Reply::Dishonored("R61", without_info.clone()),
        Reply::Contested("R73", contested()),
        Reply::Contested("R77", blank.clone()),
    ];
    let found: Vec<_> = parsed(&replies).into_iter().map(|entry| entry.content).collect();
    let refused = "Non-acceptance of the dishonored return of an erroneous or reversing debit";
    let expected = [
        Content::Dishonored("Field error", Ok(dishonored())),
        Content::Dishonored("Misrouted return", Ok(without_info)),
        Content::Contested("Timely original return", Ok(contested())),
        Content::Contested(refused, Ok(blank)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn notification_has_amount_zero() {
    let change = || Reply::Changed("C06", "98-765              32");
    let [push, pull] = &parsed(&[change(), change()])[..] else { panic!("two entries") };
    assert_eq!((push.amount_minor, pull.amount_minor), (0, 0));
    assert_eq!((push.direction, pull.direction), (EntryDirection::Push, EntryDirection::Pull));
    let Content::Changed(title, Ok(correction)) = &push.content else { panic!("{push:?}") };
    assert_eq!(*title, "Incorrect account number and transaction code");
    assert_eq!(correction.account_num.as_deref(), Some("98-765"));
    assert_eq!(correction.transaction_code, Some(32));
}

/// The batch header of international entries has their indicator in front of the class.
#[test]
fn international_batch_widens_corrected_data() {
    let foreign = "GB29-NWBK-6016-1331-9268-19-0000-AB";
    let text = render(&[Reply::Changed("C01", foreign)]).expect("a file");
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let content = |lines: &[String]| parse_returns(&lines.join("\n")).expect("believed")[0].content.clone();
    assert!(matches!(content(&lines), Content::Changed(_, Err(_))));
    lines[1].replace_range(4..20, "IATCOR          ");
    let Content::Changed(_, Ok(correction)) = content(&lines) else { panic!("{lines:?}") };
    assert_eq!(correction.account_num.as_deref(), Some(foreign));
}

/// Invalid data leaves the notice as it is, and names the field. Columns are those of the addenda record.
#[test]
fn invalid_data_keeps_the_notice() {
    let of = |reply: &Reply<'_>, column: usize, new: &str| {
        let mut lines: Vec<_> =
            render(std::slice::from_ref(reply)).expect("a file").lines().map(str::to_owned).collect();
        lines[3].replace_range(column - 1..column - 1 + new.len(), new);
        parse_returns(&lines.join("\n")).expect("believed")[0].content.clone()
    };
    let (days, digits) = ("\"001\" to \"366\", or blanks", "digits");
    let table = [
        (39, " ", "trace of the return", digits, " 91000010000071"),
        (54, "367", "settlement day of the return", days, "367"),
        (57, "R", "code of the return", digits, "R3"),
    ];
    for (column, new, field, expected, found) in table {
        let fault = error(4, ("addenda", field), expected, found);
        let found = of(&Reply::Dishonored("R69", dishonored()), column, new);
        assert_eq!(found, Content::Dishonored("Field error", Err(fault.clone())));
        let found = of(&Reply::Contested("R76", contested()), column, new);
        assert_eq!(found, Content::Contested("No errors found", Err(fault)));
    }
    let table = [
        (22, "261301", "date of the return", "a date or blanks", "261301"),
        (36, "000", "settlement day of the original entry", days, "000"),
        (59, "x", "trace of the dishonored return", digits, "x21000020000072"),
        (74, " 1 ", "settlement day of the dishonored return", days, " 1 "),
        (77, " ", "code of the dishonored return", digits, " 9"),
        (57, "61", "code of the return", "that of a return, such as \"01\"", "61"),
        (77, "71", "code of the dishonored return", "that of a dishonored return, such as \"68\"", "71"),
    ];
    for (column, new, field, expected, found) in table {
        let fault = error(4, ("addenda", field), expected, found);
        let found = of(&Reply::Contested("R76", contested()), column, new);
        assert_eq!(found, Content::Contested("No errors found", Err(fault)));
    }
}

#[test]
fn unfit_reply_is_refused() {
    let long = "x".repeat(45);
    let unfit = HOSTILE.into_iter().filter(|text| !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
    for data in unfit.chain([long.as_str()]) {
        let found = render(&[Reply::Changed("C04", data)]).map_err(|unfit| unfit.field);
        assert_eq!(found, Err("reply"), "{data:?}");
    }
    assert!(render(&[Reply::Changed("C4", "x")]).is_err());
}

/// No character in a record of a reply makes the parser panic.
#[test]
fn hostile_reply_never_panics() {
    let text = render(&[
        Reply::Changed("C07", "02100002198-765           27"),
        Reply::Dishonored("R69", dishonored()),
        Reply::Contested("R74", contested()),
    ]);
    let text = text.expect("a file");
    let records: Vec<_> = text.match_indices("\n7").map(|(start, _)| start + 1).collect();
    for place in records.iter().flat_map(|start| *start..start + 94) {
        for new in ["", " ", "é", "😀", "\u{0}", "\r", "9", "-"] {
            let mut hostile = text.clone();
            hostile.replace_range(place..=place, new);
            let _ = parse_returns(&hostile);
        }
    }
}
