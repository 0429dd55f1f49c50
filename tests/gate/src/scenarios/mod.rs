//! What is counted.

mod events;
mod pages;
mod proof;
mod request;
mod writer;

/// Work that can be done again and again, at the same cost each time.
pub(crate) type Work = Box<dyn FnMut()>;

/// A part of the ledger at work.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// How often the work is done in the shorter of two runs. What is before it costs a third of a percent more or less
    /// from run to run, as the seeds of hash maps fall: the work has to outweigh that.
    pub(crate) times: u64,
    /// Makes what the work needs.
    pub(crate) prepare: fn() -> Work,
}

impl Scenario {
    /// All of them.
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
