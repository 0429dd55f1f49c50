//! CAMT: rules for entries, balances, details and summaries that the samples do not show.

use crate::camt_message::{
    ACCOUNT, DAY, accept, amounts, balance, detail, entry, entry_of, line, message, of_day, of_statement,
    one, place, refuse,
};
use daybook_statement::{CodeKind, ReferenceKind, Standing};

#[test]
fn only_booked_entries_count() {
    for (status, counts) in [
        ("<Sts>BOOK</Sts>", Some(true)),
        ("<Sts><Cd>BOOK</Cd></Sts>", Some(true)),
        ("<Sts>PDNG</Sts>", Some(false)),
        ("<Sts><Cd>INFO</Cd></Sts>", Some(false)),
        ("<Sts><Cd>FUTR</Cd></Sts>", Some(false)),
        ("<Sts><Prtry>BOOK</Prtry></Sts>", Some(false)),
        ("<Sts><Cd>book</Cd></Sts>", None),
        ("<Sts>BOOK<Cd>PDNG</Cd></Sts>", None),
        ("<Sts><Cd>BOOK</Cd></Sts><Sts><Cd>PDNG</Cd></Sts>", None),
        ("<Sts></Sts>", None),
        ("", None),
    ] {
        let entry = format!("<Ntry>{}{status}</Ntry>", amounts("5", "EUR"));
        let closings = ["5", "0"].map(|closing| of_day(&entry, closing));
        match counts {
            Some(counts) => {
                let [right, wrong] =
                    if counts { [&closings[0], &closings[1]] } else { [&closings[1], &closings[0]] };
                assert_eq!(line(right).booked, counts, "{status}");
                assert_eq!(place(wrong), ("Bal CLBD".into(), "Amt".into()), "{status}");
            }
            None => closings.iter().for_each(|text| assert_eq!(refuse(text).record, "Ntry", "{status}")),
        }
    }
}

#[test]
fn reversal_does_not_turn_signs() {
    for (flag, is_reversal) in [("true", true), ("1", true), ("false", false), ("0", false)] {
        for amount in ["-7.00", "7.00"] {
            let read = line(&of_day(&entry(amount, &format!("<RvslInd>{flag}</RvslInd>")), amount));
            assert_eq!((read.amount < 0, read.reversal), (amount.starts_with('-'), is_reversal));
        }
    }
    assert_eq!(place(&of_day(&entry("1", "<RvslInd>yes</RvslInd>"), "1")).1, "RvslInd");
}

#[test]
fn required_values_are_missed() {
    let whole = of_day(&entry("5", ""), "5");
    for (part, record, field) in [
        ("<MsgId>M1</MsgId>", "GrpHdr", "MsgId"),
        ("<Id>S1</Id>", "Stmt", "Id"),
        ("<Othr><Id>A1</Id></Othr>", "Stmt", "Acct/Id"),
        ("<Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp>", "Bal", "Tp"),
        ("<Amt Ccy=\"EUR\">0</Amt>", "Bal OPBD", "Amt"),
        ("<CdtDbtInd>CRDT</CdtDbtInd>", "Bal OPBD", "CdtDbtInd"),
        ("<Dt><Dt>2026-11-02</Dt></Dt>", "Bal OPBD", "Dt"),
        (" Ccy=\"EUR\"", "Bal OPBD", "Amt/@Ccy"),
    ] {
        assert_eq!(place(&whole.replacen(part, "", 1)), (record.into(), field.into()));
    }
    for (part, field) in [("<Amt Ccy=\"EUR\">5</Amt>", "Amt"), ("<CdtDbtInd>CRDT</CdtDbtInd>", "CdtDbtInd")] {
        let entry = entry("5", "").replace(part, "");
        assert_eq!(place(&of_day(&entry, "5")), ("Ntry".into(), field.into()));
    }
    assert_eq!(place(&message("camt.053.001.08", "", "")).1, "Stmt");
}

/// Only OPBD and PRCD open, only CLBD closes; interim balances and those with a credit line do neither.
#[test]
fn other_balances_neither_open_nor_close() {
    let others =
        ["ITBD", "CLAV", "FWAV", "OPAV", "INFO", "XPCD"].map(|code| balance(code, "99", DAY)).concat();
    let [opening, closing] = ["OPBD", "CLBD"].map(|code| balance(code, "3", DAY));
    let interim = closing.replace("</Tp>", "<SubTp><Cd>INTM</Cd></SubTp></Tp>").replace(">3<", ">7<");
    let with_line =
        closing.replace("<Dt><", "<CdtLine><Incl>true</Incl></CdtLine><Dt><").replace(">3<", ">9<");
    let read = one(&of_statement(&format!("{others}{opening}{closing}{interim}{with_line}")));
    let day = &read.days[0];
    assert_eq!((read.days.len(), day.opening, day.closing), (1, 300, 300));
    assert_eq!(day.available, Some([Some(9_900); 2]));
    let of = |content: String| place(&of_statement(&content));
    assert_eq!(of(format!("{others}{closing}")), ("Stmt".into(), "Bal OPBD".into()));
    assert_eq!(of(format!("{others}{opening}{interim}{with_line}")), ("Stmt".into(), "Bal CLBD".into()));
}

#[test]
fn several_closings_are_several_days() {
    let [d1, d2, d3] = ["2026-11-02", "2026-11-03", "2026-11-04"];
    let balances =
        [("OPBD", "1", d1), ("CLBD", "3", d1), ("OPBD", "3", d2), ("CLBD", "-1", d2), ("PRCD", "-1", d2)];
    let balances = balances.map(|(code, amount, date)| balance(code, amount, date)).concat();
    let entries = [("-4", d2), ("2", d1)].map(|(amount, date)| entry_of(amount, date, "")).concat();
    let read = one(&of_statement(&format!("{entries}{balances}")));
    let days: Vec<_> = read.days.iter().map(|day| (day.opening, day.closing, day.lines)).collect();
    assert_eq!(days, [(100, 300, 1), (300, -100, 1)]);
    for (from, to, record) in [
        (entry_of("-4", d2, ""), entry_of("-4", d3, ""), "Ntry"),
        (entry_of("-4", d2, ""), entry_of("-4", d1, ""), "Bal CLBD"),
        (balance("OPBD", "3", d2), balance("OPBD", "4", d2), "Bal OPBD"),
        (balance("OPBD", "1", d1), balance("OPBD", "1", d3), "Bal OPBD"),
        (balance("PRCD", "-1", d2), balance("CLBD", "-2", d2), "Bal CLBD"),
    ] {
        assert_eq!(refuse(&of_statement(&format!("{entries}{balances}").replace(&from, &to))).record, record);
    }
    let late = format!("{}{}", balance("OPBD", "0", d2), balance("CLBD", "0", d1));
    assert_eq!(place(&of_statement(&late)), ("Bal OPBD".into(), "Dt".into()));
}

#[test]
fn currencies_of_one_account_are_statements() {
    let in_dollars = |text: String| text.replace("EUR", "USD");
    let balances = format!("{}{}", balance("OPBD", "1", DAY), balance("CLBD", "3", DAY));
    let content =
        format!("{balances}{}{}{}", in_dollars(balances.clone()), entry("2", ""), in_dollars(entry("2", "")));
    let mixed = of_statement(&content).replace("<Ccy>EUR</Ccy>", "");
    let read = accept(&mixed).statements;
    let read: Vec<_> =
        read.iter().map(|of| (of.currency.code(), of.days[0].closing, of.lines.len())).collect();
    assert_eq!(read, [("EUR", 300, 1), ("USD", 300, 1)]);
    assert_eq!(place(&of_statement(&content)), ("Bal".into(), "Amt/@Ccy".into()));
    let other = of_day(&in_dollars(entry("2", "")), "0");
    assert_eq!(refuse(&other).expected.as_deref(), Some("EUR"));
    assert_eq!(place(&other.replace("USD", "EUX")), ("Ntry".into(), "Amt/@Ccy".into()));
}

#[test]
fn day_is_not_moved_by_zone() {
    let dates = "<ValDt><DtTm>2026-11-01T23:30:00-08:00</DtTm></ValDt>";
    let text = of_day(
        &entry("1", dates).replace("<Dt>2026-11-02</Dt>", "<DtTm>2026-11-02T00:30:00+02:00</DtTm>"),
        "1",
    );
    let read = line(&text);
    let days = [read.booking, read.value].map(|day| day.expect("a day").to_string());
    assert_eq!(days, ["2026-11-02", "2026-11-01"]);
    let without = of_day(&entry("1", "").replace("<BookgDt><Dt>2026-11-02</Dt></BookgDt>", ""), "1");
    let read = line(&without);
    assert_eq!(read.booking.map(|day| day.to_string()).as_deref(), Some(DAY));
    assert_eq!(read.booking_from, Some("the day of the closing balance"));
}

#[test]
fn values_of_single_details_are_the_lines() {
    let refs = "<Refs><MsgId>1</MsgId><AcctSvcrRef>no</AcctSvcrRef><PmtInfId>2</PmtInfId><InstrId>3</InstrId>\
        <EndToEndId>notprovided</EndToEndId><TxId>4</TxId><MndtId>5</MndtId><ChqNb>6</ChqNb>\
        <AcctOwnrTxId>7</AcctOwnrTxId></Refs>";
    let rest = "<RmtInf><Ustrd>one</Ustrd><Ustrd> two </Ustrd><Strd><CdtrRefInf><Ref>RF1</Ref></CdtrRefInf></Strd>\
        </RmtInf><RtrInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf></RtrInf>";
    let head =
        "<NtryRef>8</NtryRef><AcctSvcrRef>9</AcctSvcrRef><BkTxCd><Prtry><Cd>NTRF+1</Cd></Prtry></BkTxCd>";
    let more = format!(
        "{head}<NtryDtls>{}</NtryDtls><AddtlNtryInf>closed</AddtlNtryInf>",
        detail("1", &format!("{refs}{rest}"))
    );
    let read = line(&of_day(&entry("1", &more), "1"));
    let expected = [
        (ReferenceKind::Entry, "8"),
        (ReferenceKind::Bank, "9"),
        (ReferenceKind::Message, "1"),
        (ReferenceKind::Payment, "2"),
        (ReferenceKind::Instruction, "3"),
        (ReferenceKind::Transaction, "4"),
        (ReferenceKind::Mandate, "5"),
        (ReferenceKind::Check, "6"),
        (ReferenceKind::Customer, "7"),
    ];
    assert_eq!(read.references, expected.map(|(kind, value)| (kind, value.to_owned())));
    assert_eq!(read.codes, [(CodeKind::Proprietary, "NTRF+1".to_owned())]);
    assert_eq!((read.return_reason.as_deref(), read.text.as_str()), (Some("AC04"), "one two RF1 closed"));
    assert_eq!(read.parts, []);
}

#[test]
fn reports_and_notifications_are_pending() {
    for (format, unit) in [("camt.052.001.02", "Rpt"), ("camt.054.001.13", "Ntfctn")] {
        let entry = entry("5", "");
        let content = format!("<{unit}><Id>S1</Id>{ACCOUNT}{entry}</{unit}>");
        let read = one(&message(format, "", &content));
        assert_eq!((read.standing, read.days.len()), (Standing::Pending, 0));
        assert!(!read.lines[0].booked && read.lines[0].booking.is_some(), "{format}");
        let summary = "<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries></TxsSummry>";
        let wrong = content.replace(&entry, &format!("{summary}{entry}"));
        assert_eq!(refuse(&message(format, "", &wrong)).record, "TxsSummry");
    }
}
