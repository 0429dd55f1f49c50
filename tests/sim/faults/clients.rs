//! Clients: send random commands, wait for a limited time, and repeat them under the same key until the outcome is
//! known.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::testing::fixture::sealed;
use daybook_domain::{Command, OperationId, TransactionId};
use daybook_engine::BoundKey;
use daybook_random::Random;
use futures::future::join;
use tokio::time::sleep;

use super::World;
use super::chance::Fault;
use super::engines::Process;
use super::witness::{Known, Witness};
use super::{FIRST_WITH_FILES, MAX_SKEW_MS, wall};
use crate::desk;
use crate::workload::Workload;

/// Maximum number of attempts.
const MAX_ATTEMPTS: usize = 5;

/// Sends `operations`, one after the other.
pub(super) async fn run(world: Arc<World>, operations: Vec<u64>) {
    for operation in operations {
        let mut random = Random::branch(world.seed, operation + 1);
        sleep(pause(&mut random)).await;
        if world.failure().is_some() {
            return;
        }
        for _ in 0..2 {
            let (place, when) = (random.below(world.processes.len()), random.below(30) as u64);
            let world = world.clone();
            tokio::spawn(async move {
                sleep(Duration::from_millis(when)).await;
                world.processes[place].suffer(&world);
            });
        }
        let mut ids = (1 << 40) + (u128::from(operation) << 16);
        world.witness().bank.has_files |= operation >= FIRST_WITH_FILES;
        if let Err(what) = one(&world, &mut random, &mut ids).await {
            world.fail(what);
        }
    }
}

/// Returns the pause before an operation: mostly none, so that many operations run at the same time; sometimes days.
fn pause(random: &mut Random) -> Duration {
    let ms: u64 = random.one_of(&[0, 0, 0, 1, 5, 20, 500, 2_000, 20_000, 60_000, 3_600_000, 20_000_000]);
    let days = if random.once_in(12) { random.below(4) as u64 } else { 0 };
    Duration::from_millis(ms) + Duration::from_hours(24 * days)
}

/// Sends one operation, and repeats it if needed.
async fn one(world: &Arc<World>, random: &mut Random, ids: &mut u128) -> Result<(), String> {
    let command = {
        let mut witness = world.witness();
        witness.catch_up()?;
        let Witness { bank, auditor, .. } = &mut *witness;
        if bank.has_files && random.once_in(3) {
            desk::command(random, auditor, bank, ids)
        } else {
            Workload { random, auditor, ids }.command()
        }
    };
    let may_come_again = again(&command, 0).is_some();
    let key = if may_come_again && !random.once_in(3) { Some(key(random, *ids)) } else { None };
    let twin = again(&command, world.fresh()).filter(|_| key.is_some() && world.chance.strikes(Fault::Twice));
    let Some(twin) = twin else { return until_known(world, random, key, command).await };
    let mut other = Random::branch(world.seed, random.below(usize::MAX) as u64);
    let (one, two) =
        join(until_known(world, random, key, command), until_known(world, &mut other, key, twin)).await;
    one.and(two)
}

/// Returns a new key, or one of a few keys that several operations share.
fn key(random: &mut Random, own: u128) -> BoundKey {
    let mut key = [0; 32];
    if random.once_in(5) {
        key[0] = u8::try_from(random.below(4)).unwrap_or_default();
    } else {
        key[..16].copy_from_slice(&own.to_be_bytes());
    }
    let fingerprint = u8::try_from(random.below(2)).unwrap_or_default();
    (key, [fingerprint; 32])
}

/// Sends a command to any process, and repeats it while its outcome is unknown.
async fn until_known(
    world: &World,
    random: &mut Random,
    key: Option<BoundKey>,
    mut command: Command,
) -> Result<(), String> {
    for tries in 0..MAX_ATTEMPTS {
        let process = &world.processes[random.below(world.processes.len())];
        let (mark, known) = ask(world, process, key, &command, 0).await?;
        match known {
            Known::Yes if tries > 0 => world.chance.met("a retry was carried out"),
            Known::KeyUsed if world.witness().was_retried(mark) => {
                world.chance.met("a retry found its key used");
            }
            Known::KeyUsed => world.chance.met("a key came again after its effect"),
            Known::Yes | Known::Not | Known::Unknown => {}
        }
        let may_come_again = known == Known::Not || known == Known::Unknown && key.is_some();
        let Some(next) = again(&command, world.fresh()).filter(|_| may_come_again) else { break };
        command = next;
        sleep(Duration::from_millis(10 + random.below(3_000) as u64)).await;
    }
    Ok(())
}

/// Sends a command to `process` once. Returns the number of the attempt, and what is known of its outcome.
pub(super) async fn ask(
    world: &World,
    process: &Process,
    key: Option<BoundKey>,
    command: &Command,
    covers: usize,
) -> Result<(usize, Known), String> {
    let early = wall(world.begun, -MAX_SKEW_MS);
    let (mark, call) = world.witness().ask(key, command, early, covers);
    let Some(answer) = process.ask(call, command.clone()).await else { return Ok((mark, Known::Unknown)) };
    let late = wall(world.begun, MAX_SKEW_MS);
    Ok((mark, world.witness().answer(mark, &answer, late)?))
}

/// Returns the same request as a new command with the id `id`, if it is one that clients repeat.
fn again(command: &Command, id: u128) -> Option<Command> {
    Some(match command {
        Command::CreateTransaction(create) => {
            let mut create = create.clone();
            (create.id, create.details) = (TransactionId::from_u128(id), sealed(id));
            Command::CreateTransaction(create)
        }
        Command::ExternalTransfer(receive) => {
            let mut receive = receive.clone();
            (receive.id, receive.details) = (TransactionId::from_u128(id), sealed(id));
            Command::ExternalTransfer(receive)
        }
        Command::Request(request) => {
            let mut request = request.clone();
            (request.id, request.reason) = (OperationId::from_u128(id), sealed(id));
            Command::Request(request)
        }
        _ => return None,
    })
}

/// Checks, after all faults, that each process knows the log and executes commands.
pub(super) async fn look_around(world: &Arc<World>) -> Result<(), String> {
    for process in &world.processes {
        for number in 0..6 {
            let command = {
                let mut witness = world.witness();
                witness.catch_up()?;
                let (mut random, mut ids) = (Random::branch(world.seed, 1_000 + number), world.fresh() << 8);
                Workload { random: &mut random, auditor: &witness.auditor, ids: &mut ids }.command()
            };
            let (_, known) = ask(world, process, None, &command, 0).await?;
            if known != Known::Yes {
                return Err(format!("without faults the outcome is {known:?}: {command:?}"));
            }
        }
    }
    Ok(())
}
