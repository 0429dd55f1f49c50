//! Verification as in `log verify`: every row, every box, every rule.

use std::time::Instant;

use daybook_checker::{Trust, Walk, walk};
use daybook_engine::SHARD;

use super::{Figure, Stage};
use crate::error::Error;
use crate::load::client::failed;

pub(crate) async fn measure(stage: &Stage) -> Result<Figure, Error> {
    let begun = Instant::now();
    let all = Walk { shard: SHARD, from: 1, boxes: true, trust: Trust::default() };
    let report = walk(&stage.raw, all, |_| {}).await?;
    // A walk with findings may stop early and would seem fast.
    if report.total > 0 || !report.unchecked.is_empty() {
        return Err(failed("the log does not verify: see `daybook log verify`"));
    }
    Ok(Figure::since(begun, report.events))
}
