//! Balance proofs: valid for the newest entry of an account at a position, and for no other entry.

use daybook_proof::balance::{Included, Until};
use daybook_proof::last::{ENTRIES_PER_PART, join};
use daybook_proof::{
    Balance, Error, Frontier, Growth, Hash, LastEntries, LastEntry, LastTree, Leaf, TreeHead,
};

const ACCOUNT: [u8; 16] = [10; 16];
const OTHER: [u8; 16] = [20; 16];

/// A log of five events: entries of two accounts at 1 to 4, and at 5 the tree of last entries as of 4.
struct Log {
    rows: Vec<([u8; 16], i32, String)>,
    growth: Growth,
    last: LastEntries,
    tree: LastTree,
}

fn leaf((at, (stream, version, data)): (usize, &([u8; 16], i32, String))) -> Leaf<'_> {
    let position = u64::try_from(at).unwrap() + 1;
    Leaf {
        shard: 1,
        position,
        event_id: [u8::try_from(at).unwrap(); 16],
        stream: *stream,
        stream_kind: 5,
        version: *version,
        event_type: 30,
        schema_version: 1,
        recorded_at_us: 0,
        effective_at_us: None,
        actor: None,
        cause_id: None,
        correlation_id: None,
        platform: [1; 16],
        data: data.as_bytes(),
        sealed_hash: None,
    }
}

impl Log {
    fn new() -> Self {
        Self::with_tree(4)
    }

    /// Creates a log whose last event states that the tree is of this position.
    fn with_tree(position: u64) -> Self {
        let entries = [(ACCOUNT, 1), (OTHER, 1), (ACCOUNT, 2), (ACCOUNT, 3)];
        let mut rows: Vec<_> = entries
            .iter()
            .zip(1..)
            .map(|((stream, version), sum)| (*stream, *version, format!("{sum}")))
            .collect();
        let last = [(ACCOUNT, 4), (OTHER, 2)].map(|(account, position)| {
            let at = usize::try_from(position).unwrap() - 1;
            LastEntry { account, position, leaf_hash: leaf((at, &rows[at])).hash() }
        });
        let last = LastEntries::new(last.to_vec()).unwrap();
        let tree = LastTree { position, head: last.head() };
        rows.push(([30; 16], 1, tree.data()));
        let hashes: Vec<_> = rows.iter().enumerate().map(|row| leaf(row).hash()).collect();
        Self { growth: Growth::new(&Frontier::default(), hashes), rows, last, tree }
    }

    fn head(&self) -> TreeHead {
        self.growth.head()
    }

    fn path(&self, position: u64) -> Vec<Hash> {
        self.growth.prove(position - 1).unwrap()
    }

    fn included<'a>(&'a self, position: u64, path: &'a [Hash]) -> Included<'a> {
        let at = usize::try_from(position).unwrap() - 1;
        Included { leaf: leaf((at, &self.rows[at])), path }
    }

    /// Verifies a proof that the entry at a position, followed by the one at `next`, is the newest at `at`.
    fn between(&self, account: [u8; 16], entry: Option<u64>, at: u64, next: u64) -> Result<(), Error> {
        let (path, next_path) = (entry.map(|position| self.path(position)), self.path(next));
        let entry = entry.zip(path.as_ref()).map(|(position, path)| self.included(position, path));
        let until = Until::Next(self.included(next, &next_path));
        Balance { account, at, entry, until }.verify(&self.head())
    }

    fn newest(
        &self,
        account: [u8; 16],
        entry: u64,
        at: u64,
        tree: LastTree,
        committed: u64,
    ) -> Result<(), Error> {
        let (path, committed_path) = (self.path(entry), self.path(committed));
        let (_, index, last_path) = self.last.prove(&account).unwrap();
        let committed = self.included(committed, &committed_path);
        let until = Until::Last { committed, tree, index, path: &last_path };
        Balance { account, at, entry: Some(self.included(entry, &path)), until }.verify(&self.head())
    }
}

#[test]
fn adjacent_entries_prove_the_balance() {
    let log = Log::new();
    assert_eq!(log.between(ACCOUNT, Some(1), 1, 3), Ok(()));
    assert_eq!(log.between(ACCOUNT, Some(1), 2, 3), Ok(()));
    assert_eq!(log.between(ACCOUNT, Some(3), 3, 4), Ok(()));
    assert_eq!(log.between(ACCOUNT, None, 0, 1), Ok(()));
    assert_eq!(log.between(OTHER, None, 1, 2), Ok(()));
}

#[test]
fn other_entries_prove_nothing() {
    let log = Log::new();
    for (entry, at, next) in
        [(Some(1), 3, 3), (Some(3), 2, 4), (Some(1), 2, 4), (None, 1, 1), (None, 1, 3), (Some(3), 3, 1)]
    {
        assert_eq!(log.between(ACCOUNT, entry, at, next), Err(Error::NotNeighbours), "{entry:?} {at} {next}");
    }
    assert_eq!(log.between(ACCOUNT, Some(2), 2, 3), Err(Error::Other));
    assert_eq!(log.between(ACCOUNT, Some(1), 1, 2), Err(Error::Other));
    assert_eq!(log.between(OTHER, Some(1), 2, 3), Err(Error::Other));
}

#[test]
fn last_tree_proves_the_newest_entry() {
    let log = Log::new();
    assert_eq!(log.newest(ACCOUNT, 4, 4, log.tree, 5), Ok(()));
    assert_eq!(log.newest(OTHER, 2, 2, log.tree, 5), Ok(()));
    assert_eq!(log.newest(OTHER, 2, 4, log.tree, 5), Ok(()));
    // The tree proves nothing beyond its position.
    assert_eq!(log.newest(ACCOUNT, 4, 5, log.tree, 5), Err(Error::NotNeighbours));
    assert_eq!(log.newest(ACCOUNT, 3, 4, log.tree, 5), Err(Error::Root));
    // A tree that no event commits to proves nothing either.
    let other = LastTree { position: 3, ..log.tree };
    assert_eq!(log.newest(ACCOUNT, 4, 4, other, 5), Err(Error::Other));
    assert_eq!(log.newest(ACCOUNT, 4, 4, log.tree, 4), Err(Error::Other));
}

#[test]
fn last_entries_are_ordered_and_unique() {
    let entry = |account| LastEntry { account, position: 1, leaf_hash: [0; 32] };
    assert!(LastEntries::new(vec![entry(OTHER), entry(ACCOUNT)]).is_err());
    assert!(LastEntries::new(vec![entry(ACCOUNT), entry(ACCOUNT)]).is_err());
    let log = Log::new();
    assert_eq!(log.last.prove(&[15; 16]), None);
    let (entry, index, path) = log.last.prove(&OTHER).unwrap();
    assert_eq!(entry.verify(index, &path, &log.tree), Ok(()));
    for wrong in [
        LastEntry { position: 3, ..entry },
        LastEntry { account: ACCOUNT, ..entry },
        LastEntry { leaf_hash: [0; 32], ..entry },
    ] {
        assert_eq!(wrong.verify(index, &path, &log.tree), Err(Error::Root));
    }
    assert_eq!(entry.verify(0, &path, &log.tree), Err(Error::Root));
}

#[test]
fn parts_prove_like_the_whole_tree() {
    for size in [1, 255, 256, 257, 512, 513, 1_100_u64] {
        let entries: Vec<LastEntry> = (0..size)
            .map(|number| LastEntry {
                account: u128::from(number * 2).to_be_bytes(),
                position: number + 1,
                leaf_hash: [u8::try_from(number % 251).unwrap(); 32],
            })
            .collect();
        let whole = LastEntries::new(entries.clone()).unwrap();
        let parts: Vec<_> =
            entries.chunks(ENTRIES_PER_PART).map(|part| LastEntries::new(part.to_vec()).unwrap()).collect();
        let roots: Vec<Hash> = parts.iter().map(|part| part.head().root).collect();
        assert_eq!(join(size, &roots), whole.head(), "{size}");
        for account in [0, 254, 255, 256, size - 1].into_iter().filter(|number| *number < size) {
            let (part, id) = (account / ENTRIES_PER_PART as u64, u128::from(account * 2).to_be_bytes());
            let proved = parts[usize::try_from(part).unwrap()].prove_in(part, &roots, &id);
            assert_eq!(proved, whole.prove(&id), "{account} of {size}");
        }
    }
}

#[test]
fn tree_of_another_platform_proves_nothing() {
    let log = Log::new();
    let foreign = Leaf { platform: [2; 16], ..leaf((3, &log.rows[3])) };
    let mut hashes: Vec<_> = log.rows.iter().enumerate().map(|row| leaf(row).hash()).collect();
    hashes[3] = foreign.hash();
    let growth = Growth::new(&Frontier::default(), hashes);
    let (path, committed_path) = (growth.prove(3).unwrap(), growth.prove(4).unwrap());
    let (_, index, last_path) = log.last.prove(&ACCOUNT).unwrap();
    let committed = log.included(5, &committed_path);
    let until = Until::Last { committed, tree: log.tree, index, path: &last_path };
    let entry = Some(Included { leaf: foreign, path: &path });
    assert_eq!(Balance { account: ACCOUNT, at: 4, entry, until }.verify(&growth.head()), Err(Error::Other));
}

#[test]
fn tree_must_end_before_its_attestation() {
    let log = Log::with_tree(5);
    assert_eq!(log.newest(ACCOUNT, 4, 4, log.tree, 5), Err(Error::NotNeighbours));
}

#[test]
fn every_event_must_be_in_the_log() {
    let log = Log::new();
    let (one, three, four, five) = (log.path(1), log.path(3), log.path(4), log.path(5));
    let next = |entry, next| {
        let (entry, until) = (Some(log.included(1, entry)), Until::Next(log.included(3, next)));
        Balance { account: ACCOUNT, at: 2, entry, until }.verify(&log.head())
    };
    assert_eq!(next(&one, &three), Ok(()));
    assert_eq!(next(&three, &three), Err(Error::Root));
    assert_eq!(next(&one, &one), Err(Error::Root));
    let (_, index, path) = log.last.prove(&ACCOUNT).unwrap();
    let newest = |entry, committed| {
        let committed = log.included(5, committed);
        let until = Until::Last { committed, tree: log.tree, index, path: &path };
        Balance { account: ACCOUNT, at: 4, entry: Some(log.included(4, entry)), until }.verify(&log.head())
    };
    assert_eq!(newest(&four, &five), Ok(()));
    assert_eq!(newest(&three, &five), Err(Error::Root));
    assert_eq!(newest(&four, &[[0; 32]]), Err(Error::Root));
}
