//! Scenarios whose instructions are counted.

mod events;
mod pages;
mod proof;
mod request;
mod writer;

/// Work that can be repeated, with the same cost each time.
pub(crate) type Work = Box<dyn FnMut()>;

/// A scenario: one part of the ledger at work.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Number of repetitions in the shorter of the two runs. The cost of the preparation varies by a third of a percent
    /// with the seeds of hash maps, so the work must outweigh it.
    pub(crate) times: u64,
    /// Prepares the work.
    pub(crate) prepare: fn() -> Work,
}

impl Scenario {
    /// All scenarios.
    pub(crate) const ALL: &[Self] = &[
        Self { name: "decide", times: 8, prepare: writer::decide },
        Self { name: "encode", times: 6, prepare: events::encode },
        Self { name: "decode", times: 6, prepare: events::decode },
        Self { name: "hash", times: 16, prepare: proof::hash },
        Self { name: "sign", times: 200, prepare: proof::sign },
        Self { name: "fold", times: 40, prepare: pages::fold },
        Self { name: "request", times: 500, prepare: request::request },
    ];
}
