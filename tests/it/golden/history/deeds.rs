//! What happened in the newest chapter. Chapters that were told are files; what was asked for in them is not needed any
//! more, so these deeds give way to those of the next one.
//!
//! This one is told since accounts are attested: what those of the chapters before have.

use daybook_domain::Command;
use daybook_domain::attestation::Made;
use daybook_domain::attestation::attest::Attest;
use daybook_domain::testing::fixture::attest;

/// Everything that is asked for, in order.
pub(super) fn deeds() -> Vec<Command> {
    let root = "Le3Cd/0yCCdrGcNdhrLYsCdX8srOMMBiPY36Ce/UEaE=".into();
    vec![Attest { made: Made { position: 280, accounts: 8, root }, ..attest(280) }.into()]
}
