//! A set of read models, and the kinds of aggregates whose events they need.

use daybook_domain::Kind;

use super::Model;
use crate::store::recorded_event::RecordedEvent;

/// A set of read models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Models(u32);

impl Models {
    /// All read models.
    pub(crate) const ALL: Self = Self(u32::MAX);

    /// Returns the set of one read model.
    pub(crate) const fn one(model: Model) -> Self {
        Self(1 << model.number())
    }

    /// Returns true if the set contains `model`.
    pub(crate) const fn has(self, model: Model) -> bool {
        self.0 & (1 << model.number()) != 0
    }

    /// Returns true if a read model in the set satisfies `is_such`.
    pub(crate) fn any(self, is_such: impl Fn(Model) -> bool) -> bool {
        Model::ALL.into_iter().any(|model| self.has(model) && is_such(model))
    }

    /// Returns the kinds of aggregates whose events the set needs.
    pub(crate) fn kinds(self) -> Kinds {
        self.kinds_of(|_, _| true)
    }

    /// Returns the events of records from which states must be folded for the set.
    pub(crate) fn states(self) -> States {
        States {
            all: self.kinds_of(|model, kind| {
                model.needs_states() && !model.definition().kinds_of_first.contains(&kind)
            }),
            first: self.kinds_of(|model, _| model.needs_states()),
        }
    }

    fn kinds_of(self, is_meant: impl Fn(Model, Kind) -> bool) -> Kinds {
        let models = Model::ALL.into_iter().filter(|model| self.has(*model));
        let kinds = models.flat_map(|model| model.definition().kinds.iter().map(move |kind| (model, *kind)));
        Kinds(
            kinds
                .filter(|(model, kind)| is_meant(*model, *kind))
                .fold(0, |all, (_, kind)| all | Kinds::bit(kind)),
        )
    }
}

/// A selection of events of records from which states are folded: all events of some kinds, and the first event of
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct States {
    all: Kinds,
    first: Kinds,
}

impl States {
    /// Returns true if `happened` is one of them.
    pub(crate) fn need(self, happened: &RecordedEvent) -> bool {
        let kind = happened.key.kind;
        self.all.has(kind) || happened.version == 1 && self.first.has(kind)
    }
}

/// A set of kinds. It is computed once for a page, because it is consulted for every event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

impl Kinds {
    /// Returns true if the set contains `kind`.
    pub(crate) const fn has(self, kind: Kind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    const fn bit(kind: Kind) -> u32 {
        1 << kind as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_kinds_of_their_models() {
        for model in Model::ALL {
            let (events, states) = (Models::one(model).kinds(), Models::one(model).states());
            for kind in Kind::ALL {
                let is_own = model.definition().kinds.contains(&kind);
                let is_needed = is_own && model.needs_states();
                let is_first = model.definition().kinds_of_first.contains(&kind);
                assert_eq!(events.has(kind), is_own);
                assert_eq!(
                    (states.first.has(kind), states.all.has(kind)),
                    (is_needed, is_needed && !is_first)
                );
                assert!(!is_own || Models::ALL.kinds().has(kind), "{model} {kind:?}");
                assert!(!is_needed || Models::ALL.states().all.has(kind), "{model} {kind:?}");
            }
        }
    }
}
