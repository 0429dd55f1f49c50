//! Positions of the shards at which a report was made.

use daybook_api::wire::ops::positions::Positions;
use serde_json::{Value, json};

/// Describes positions: `position 7`, or of several shards `position 7 of shard 1, 9 of shard 2`.
pub(super) fn describe(positions: &Positions) -> String {
    match positions {
        Positions::One(position) => format!("position {position}"),
        Positions::Several(positions) => {
            let part = |(shard, position)| format!("{position} of shard {shard}");
            format!("position {}", positions.iter().map(part).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Adds positions to a record: `position` of one shard, or `positions` by shard.
pub(super) fn add_to(record: &mut Value, positions: &Positions) {
    match positions {
        Positions::One(position) => record["position"] = json!(position),
        Positions::Several(positions) => record["positions"] = json!(positions),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn positions_of_several_shards_are_named() {
        let (one, two) = (Positions::One(7), Positions::Several(BTreeMap::from([(1, 7), (2, 9)])));
        assert_eq!(describe(&one), "position 7");
        assert_eq!(describe(&two), "position 7 of shard 1, 9 of shard 2");
        let mut records = [json!({"sum": 1}), json!({"sum": 1})];
        add_to(&mut records[0], &one);
        add_to(&mut records[1], &two);
        assert_eq!(records[0], json!({"sum": 1, "position": 7}));
        assert_eq!(records[1], json!({"sum": 1, "positions": {"1": 7, "2": 9}}));
    }
}
