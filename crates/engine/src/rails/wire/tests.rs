use super::*;
use crate::contents::{Correspondent, PayeeAddress};
use crate::rails::destination::{Abroad, Destination};
use crate::rails::file::tests::{HOSTILE, Unfitting, checking, entry, file, originator};
use crate::rails::file::{EntryDirection, OutgoingEntry};

fn wire(change: impl FnOnce(&mut OutgoingEntry)) -> Result<String, Unfit> {
    let mut wire = entry(7, EntryDirection::Push, 123_456);
    change(&mut wire);
    render(&file(Rail::Wire, vec![wire]), &originator()).map_err(|unfit| Unfit { transaction: None, ..unfit })
}

fn through(routing_num: Option<&str>) -> Destination {
    let Destination::Account { routing_num: to, account_num, class, .. } = checking() else {
        unreachable!("an account")
    };
    let correspondent = Correspondent {
        routing_num: routing_num.map(str::to_owned),
        bank_name: Some("Middle Bank".into()),
        ..Correspondent::default()
    };
    Destination::Account { routing_num: to, account_num, class, correspondent: Some(correspondent) }
}

#[test]
fn wire_is_a_message_of_tagged_fields() {
    let mut second = entry(8, EntryDirection::Push, 1);
    second.destination = through(Some("021000021"));
    let mut first = entry(7, EntryDirection::Push, 123_456);
    first.addendum = Some("Invoice 4711, the second half of it, thanks".into());
    let expected = "\
{1510}1000
{2000}000000123456
{3100}021000021FIRST BANK*
{3400}091000019*
{3320}021000020000007*
{3600}CTR
{4200}D12345678*ANN EXAMPLE*
{5000}D555000111*DAYBOOK INC.*
{6000}INVOICE 4711, THE SECOND HALF OF IT*, THANKS*

{1510}1000
{2000}000000000001
{3100}021000021FIRST BANK*
{3400}021000021MIDDLE BANK*
{4100}F091000019*
{3320}021000020000008*
{3600}CTR
{4200}D12345678*ANN EXAMPLE*
{5000}D555000111*DAYBOOK INC.*

";
    assert_eq!(render(&file(Rail::Wire, vec![first, second]), &originator()).as_deref(), Ok(expected));
}

fn berlin(correspondent: Option<Correspondent>) -> Destination {
    Destination::Abroad(Abroad {
        swift: "DEUTDEBBXXX".into(),
        account_num: "DE89370400440532013000".into(),
        bank_name: "Bank für Berlin".into(),
        address: "Unter den Linden 13-15, 10117 Berlin, Germany".into(),
        routing_num: None,
        correspondent,
    })
}

/// Returns the bank lines of a wire to Berlin.
fn banks(correspondent: Option<Correspondent>) -> Result<String, Unfit> {
    let message = wire(|wire| wire.destination = berlin(correspondent))?;
    let is_bank = |line: &&str| ["{3400}", "{4000}", "{4100}"].iter().any(|tag| line.starts_with(tag));
    Ok(message.lines().filter(is_bank).collect::<Vec<_>>().join("\n"))
}

#[test]
fn foreign_wire_goes_through_our_bank() {
    let abroad = wire(|wire| {
        wire.destination = berlin(None);
        let Destination::Abroad(to) = &mut wire.destination else { unreachable!("abroad") };
        to.routing_num = Some("37040044".into());
    });
    let expected = "\
{1510}1000
{2000}000000123456
{3100}021000021FIRST BANK*
{3400}021000021FIRST BANK*
{4100}BDEUTDEBBXXX*BANK FUR BERLIN*UNTER DEN LINDEN 13-15, 10117 BERLI*N, GERMANY*
{3320}021000020000007*
{3600}CTR
{4200}DDE89370400440532013000*ANN EXAMPLE*
{5000}D555000111*DAYBOOK INC.*
{6300}37040044*

";
    assert_eq!(abroad.as_deref(), Ok(expected));
}

#[test]
fn foreign_wire_goes_through_its_correspondent() {
    let text = |text: &str| Some(text.to_owned());
    let there = "{4100}BDEUTDEBBXXX*BANK FUR BERLIN*UNTER DEN LINDEN 13-15, 10117 BERLI*N, GERMANY*";
    let here = Correspondent { bank_name: text("Middle Bank"), ..Correspondent::default() };
    let in_the_us = Correspondent { routing_num: text("091000019"), swift: text("MIDLUS33"), ..here.clone() };
    assert_eq!(banks(Some(in_the_us)), Ok(format!("{{3400}}091000019MIDDLE BANK*\n{there}")));
    let elsewhere = Correspondent { swift: text("MIDLGB22"), address: text("London"), ..here.clone() };
    let ours = "{3400}021000021FIRST BANK*";
    assert_eq!(banks(Some(elsewhere)), Ok(format!("{ours}\n{{4000}}BMIDLGB22*MIDDLE BANK*LONDON*\n{there}")));

    assert_eq!(banks(Some(here.clone())), Err(Unfit::file("correspondent.swift")));
    let wrong = Correspondent { routing_num: text("021000022"), ..here };
    assert_eq!(banks(Some(wrong)), Err(Unfit::file("correspondent.routing_num")));
}

#[test]
fn foreign_bank_text_adds_no_field() {
    for text in HOSTILE {
        let name = if written(text).is_ok() { text } else { "Zoë" };
        let between = Correspondent {
            swift: Some("MIDLGB22".into()),
            bank_name: Some(name.into()),
            address: Some(name.into()),
            ..Correspondent::default()
        };
        let message = wire(|wire| {
            let to = Abroad {
                swift: "DEUTDEBB".into(),
                account_num: "1".into(),
                bank_name: name.into(),
                address: name.into(),
                routing_num: Some(text.into()),
                correspondent: Some(between),
            };
            wire.destination = Destination::Abroad(to);
        });
        let message = message.expect("a message");
        let tags: Vec<&str> = message.lines().filter_map(|line| line.get(..6)).collect();
        let expected =
            ["1510", "2000", "3100", "3400", "4000", "4100", "3320", "3600", "4200", "5000", "6300"];
        assert_eq!(tags, expected.map(|tag| format!("{{{tag}}}")), "{text:?}");
        assert!(message.lines().all(|line| line.matches('{').count() <= 1), "{text:?}");
    }
}

#[test]
fn customer_text_adds_no_field() {
    for text in HOSTILE {
        let message = wire(|wire| {
            wire.name = if written(text).is_ok() { text } else { "Zoë" }.to_owned();
            wire.addendum = Some(text.to_owned());
        });
        let message = message.expect("a message");
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(lines.len(), 10, "{text:?}");
        let tags: Vec<&str> = lines.iter().filter_map(|line| line.get(..6)).collect();
        let expected = ["1510", "2000", "3100", "3400", "3320", "3600", "4200", "5000", "6000"];
        assert_eq!(tags, expected.map(|tag| format!("{{{tag}}}")), "{text:?}");
        assert!(lines.iter().all(|line| line.matches('{').count() <= 1), "{text:?}");
        assert_eq!(lines[6].matches('*').count(), 2, "{text:?}");
    }
}

#[test]
fn unfit_field_is_refused() {
    let swift = |wire: &mut OutgoingEntry, swift: &str| {
        wire.destination = berlin(None);
        let Destination::Abroad(to) = &mut wire.destination else { unreachable!("abroad") };
        to.swift = swift.into();
    };
    assert_eq!(wire(|wire| swift(wire, "DEUTDEB*")), Err(Unfit::file("swift")));
    let table: [Unfitting; 11] = [
        ("amount", |wire| wire.amount_minor = 1_000_000_000_000),
        ("amount", |wire| wire.amount_minor = 0),
        ("amount", |wire| wire.amount_minor = i64::MIN),
        ("direction", |wire| wire.direction = EntryDirection::Pull),
        ("destination", |wire| wire.destination = Destination::Mail(PayeeAddress::default())),
        ("name", |wire| wire.name = "{*}".into()),
        ("name", |wire| wire.name = "Иван".into()),
        ("bank_name", |wire| {
            wire.destination = berlin(None);
            let Destination::Abroad(to) = &mut wire.destination else { unreachable!("abroad") };
            to.bank_name = "Банк".into();
        }),
        ("sequence", |wire| wire.sequence = 10_000_000),
        ("correspondent.routing_num", |wire| wire.destination = through(None)),
        ("correspondent.routing_num", |wire| wire.destination = through(Some("1}{2000}9"))),
    ];
    for (field, change) in table {
        assert_eq!(wire(change), Err(Unfit::file(field)));
    }
}
