//! Laws of numbers: amounts are read and written exactly, fees split without a remainder, and no number wraps around.

use proptest::prelude::*;

use crate::account::{Account, Cause, Change, Terms};
use crate::id::{NodeId, TransactionId};
use crate::money::{Currency, MAX_MINOR, Money};
use crate::movement;
use crate::posting::Net;
use crate::state::States;
use crate::testing::fixture::{ANNS, BOBS, FEES, TIPS, debit, fee, fund, payment, transaction, usd};
use crate::testing::given;
use crate::time::Timestamp;
use crate::transaction::create::Create;

/// Currencies with two decimals, none and three.
fn currency() -> impl Strategy<Value = Currency> {
    let codes = prop::sample::select(vec!["USD", "EUR", "JPY", "KWD"]);
    codes.prop_filter_map("an active code", Currency::parse)
}

/// An integer, often near the ends of its type.
fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -10..10_i64, (i64::MAX - 10)..=i64::MAX, i64::MIN..=(i64::MIN + 10)]
}

proptest! {
    #[test]
    fn amount_reads_back_from_its_text(minor in integer(), currency in currency()) {
        // The one integer whose negation overflows is not an amount.
        let money = Money::new(minor.max(-i64::MAX), currency);
        prop_assert_eq!(Money::parse(&money.to_string(), currency), Ok(money));
    }

    #[test]
    fn trailing_zeros_do_not_change_the_amount(whole in 0..10_000_000_i64, cents in 0..100_u8, zeros in 0..20_usize) {
        let text = format!("{whole}.{cents:02}");
        let padded = format!("{text}{}", "0".repeat(zeros));
        let money = Money::parse(&padded, Currency::USD);
        prop_assert_eq!(money.map(|money| money.to_string()), Ok(text));
    }

    #[test]
    fn excess_decimals_are_refused(whole in 0..1_000_i64, digit in 1..10_u8) {
        let finer = format!("{whole}.00{digit}");
        prop_assert!(Money::parse(&finer, Currency::USD).is_err());
    }

    #[test]
    fn fees_and_net_sum_to_the_amount(amount in 1..=MAX_MINOR, parts in prop::collection::vec(1..=100_u32, 0..6)) {
        let shares = parts.iter().map(|part| amount / 1_000 * i64::from(*part)).filter(|minor| *minor > 0);
        let nodes = [FEES, TIPS].into_iter().cycle();
        let fees: Vec<_> = nodes.zip(shares).map(|(node, minor)| fee(node, minor)).collect();
        let of_fees: i64 = fees.iter().map(|fee| fee.minor).sum();
        let world = given([fund(ANNS, amount), Create { fees, ..payment(1, amount) }.into(), debit(1)]);
        let settled = movement::settle(world.transaction(transaction(1)).expect("created"));
        let mut net = Net::new(Currency::USD);
        net.add(&settled.postings.expect("something moves"));
        let gained = |node| -net.on(crate::posting::LedgerAccount::Node(node));
        prop_assert_eq!(gained(BOBS), amount - of_fees);
        prop_assert_eq!(gained(BOBS) + gained(FEES) + gained(TIPS), amount);
        prop_assert_eq!(usd(amount).minor, amount);
    }

    #[test]
    fn entry_is_exact_or_refused(
        (posted, held, pending_in) in (integer(), 0..=i64::MAX, 0..=i64::MAX),
        (more, hold, announced) in (integer(), integer(), integer()),
        floor in integer(),
    ) {
        let account = Account { posted, held, pending_in, ..Account::new(NodeId::from_u128(1), Currency::USD) };
        let change = Change { posted: more, held: hold, pending_in: announced };
        let cause = Cause::from(TransactionId::from_u128(2));
        for terms in [Terms::Forward(floor), Terms::Correction(floor), Terms::Reversal, Terms::Returned] {
            let Ok(entry) = account.enter(change, terms, cause, Timestamp::default()) else { continue };
            let sum = |before: i64, added: i64| i128::from(before) + i128::from(added);
            prop_assert_eq!(i128::from(entry.posted), sum(posted, more));
            prop_assert_eq!(i128::from(entry.held), sum(held, hold));
            prop_assert_eq!(i128::from(entry.pending_in), sum(pending_in, announced));
            prop_assert!(entry.held >= 0 && entry.pending_in >= 0);
        }
    }
}
