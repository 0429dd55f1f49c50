//! Acts about lines in suspense: matches, and matches that are taken back.

use daybook_domain::Currency;
use daybook_domain::breaks::match_line::MAX_PARTS;
use daybook_domain::operation::Act;
use daybook_domain::posting::{LedgerAccount, Posting};
use daybook_domain::transaction::ClearedItem;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{ACT, account, amount};
use crate::ApiError;
use crate::body::Body;
use crate::description::values::{CurrencyIn, LedgerAccountName, ObjectId, SignedAmount};
use crate::wire::amount::{Digits, currency_of};
use crate::wire::form::Whole;
use crate::wire::text::Text;
use crate::wire::{bounded, id, required};

/// Matches a line in suspense, wholly or in part, with open items and nodes.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewMatch)]
pub(super) struct MatchIn {
    #[schema(value_type = ObjectId)]
    break_id: Option<Text>,
    #[schema(value_type = CurrencyIn)]
    currency: Option<Text>,
    #[schema(value_type = Option<Vec<ItemIn>>, max_items = 1000)]
    items: Option<Vec<ItemIn>>,
    /// Nodes for a part that no item explains.
    #[schema(value_type = Option<Vec<PostIn>>, max_items = 100)]
    posts: Option<Vec<PostIn>>,
}

/// Takes back a match of a line.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewUnmatch)]
pub(super) struct UnmatchIn {
    #[schema(value_type = ObjectId)]
    break_id: Option<Text>,
    /// Number of the match, from 0.
    #[schema(value_type = u32, maximum = 1_000_000)]
    r#match: Option<Whole<0, 1_000_000>>,
}

/// An open item, or a part of it; positive for money to come to us.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewClearedItem)]
pub(super) struct ItemIn {
    #[schema(value_type = ObjectId)]
    trans_id: Option<Text>,
    #[schema(value_type = LedgerAccountName)]
    account: Option<Text>,
    #[schema(value_type = SignedAmount)]
    amount: Option<Digits>,
}

/// A node and the amount that it gets; negative for an amount that it pays.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewMatchPost)]
struct PostIn {
    #[schema(value_type = ObjectId)]
    node_id: Option<Text>,
    #[schema(value_type = SignedAmount)]
    amount: Option<Digits>,
}

/// Parses a match.
pub(super) fn match_line(act: &RawValue) -> Result<Act, ApiError> {
    let MatchIn { break_id, currency, items, posts } = Body::part(act, ACT)?;
    let currency = currency_of("act.currency", &required("act.currency", currency)?)?;
    Ok(Act::Match {
        id: id("act.break_id", break_id)?,
        currency,
        items: self::items("act.items", items, currency)?,
        posts: self::posts(posts, currency)?,
    })
}

/// Parses the end of a match.
pub(super) fn unmatch(act: &RawValue) -> Result<Act, ApiError> {
    let UnmatchIn { break_id, r#match } = Body::part(act, ACT)?;
    let number = r#match.ok_or_else(|| ApiError::missing("act.match"))?.get();
    let number = u32::try_from(number).map_err(|_| ApiError::invalid("act.match", "is too large"))?;
    Ok(Act::Unmatch { id: id("act.break_id", break_id)?, number, matched: None })
}

/// Open items that are cleared.
pub(super) fn items(
    field: &'static str,
    items: Option<Vec<ItemIn>>,
    currency: Currency,
) -> Result<Vec<ClearedItem>, ApiError> {
    let items = items.unwrap_or_default();
    if items.len() > MAX_PARTS {
        return Err(ApiError::invalid(field, "must be at most 1000"));
    }
    let item = |(index, item): (usize, ItemIn)| {
        let at = |name: &str| format!("{field}[{index}].{name}");
        let account = account(at("account"), item.account)?;
        let amount = amount(at("amount"), item.amount, currency)?;
        Ok(ClearedItem { transaction: id(at("trans_id"), item.trans_id)?, account, amount })
    };
    items.into_iter().enumerate().map(item).collect()
}

fn posts(posts: Option<Vec<PostIn>>, currency: Currency) -> Result<Vec<Posting>, ApiError> {
    let post = |(index, post): (usize, PostIn)| {
        let at = |name: &str| format!("act.posts[{index}].{name}");
        let amount = amount(at("amount"), post.amount, currency)?;
        Ok(Posting { account: LedgerAccount::Node(id(at("node_id"), post.node_id)?), amount })
    };
    bounded("act.posts", posts)?.into_iter().enumerate().map(post).collect()
}
