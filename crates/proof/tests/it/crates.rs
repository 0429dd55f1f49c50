//! Trees and proofs are equal to those of the crates `ct-merkle` and `tlog_tiles`, at every size.

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use daybook_proof::{Error, Frontier, Growth, Hashes as _, Node, consistency, inclusion, tree as of};
use proptest::prelude::*;
use sha2::Sha256;
use tlog_tiles::tlog;

use super::{entries, hashes, tree};

fn theirs(size: u64) -> MemoryBackedTree<Sha256, Vec<u8>> {
    let mut tree = MemoryBackedTree::new();
    for entry in entries(size) {
        tree.push(entry);
    }
    tree
}

fn foreign(proof: &[[u8; 32]]) -> Vec<tlog::Hash> {
    proof.iter().copied().map(tlog::Hash).collect()
}

/// The root is the same if the tree is grown at once, leaf by leaf, read from hashes, or restored.
#[test]
fn roots_equal_those_of_ct_merkle() {
    let all = tree(600);
    let mut pushed = Frontier::default();
    let mut other = MemoryBackedTree::<Sha256, Vec<u8>>::new();
    for (size, (leaf, entry)) in (0..).zip(hashes(600).zip(entries(600))) {
        assert_eq!(pushed.head().root.as_slice(), other.root().as_bytes().as_slice(), "{size}");
        assert_eq!(of::head(&all, size), Ok(pushed.head()));
        assert_eq!(Frontier::read(&all, size).as_ref(), Ok(&pushed));
        assert_eq!(Frontier::restore(size, pushed.hashes().to_vec()).as_ref(), Ok(&pushed));
        let more = [pushed.hashes(), &[leaf]].concat();
        assert_eq!(Frontier::restore(size, more), Err(Error::Length));
        pushed.push(leaf);
        other.push(entry);
    }
    assert_eq!(&pushed, all.frontier());
}

proptest! {
    #[test]
    fn inclusion_proofs_equal_theirs((index, size) in (1..600_u64).prop_flat_map(|size| (0..size, Just(size)))) {
        let ours = tree(size);
        let path = inclusion::prove(&ours, index, size).unwrap();
        let proof = theirs(size).prove_inclusion(usize::try_from(index).unwrap());
        prop_assert_eq!(path.concat(), proof.as_bytes());
        let leaf = ours.hash(Node { level: 0, index }).unwrap();
        prop_assert_eq!(inclusion::verify(&leaf, index, &path, &ours.head()), Ok(()));
        let root = tlog::Hash(ours.head().root);
        tlog::check_record(&foreign(&path), size, root, index, tlog::Hash(leaf)).unwrap();
    }

    #[test]
    fn consistency_proofs_equal_theirs((from, to) in (2..600_u64).prop_flat_map(|to| (1..to, Just(to)))) {
        let ours = tree(to);
        let proof = consistency::prove(&ours, from, to).unwrap();
        let other = theirs(to).prove_consistency(usize::try_from(to - from).unwrap());
        prop_assert_eq!(proof.concat(), other.as_bytes());
        let (old, new) = (of::head(&ours, from).unwrap(), ours.head());
        prop_assert_eq!(consistency::verify(&proof, &old, &new), Ok(()));
        tlog::check_tree(&foreign(&proof), to, tlog::Hash(new.root), from, tlog::Hash(old.root)).unwrap();
    }

    /// The writer has only the frontier, and gives each new leaf its path immediately.
    #[test]
    fn frontier_suffices_for_a_commit(before in 0..600_u64, added in 0..300_u64) {
        let all = tree(before + added);
        let start = usize::try_from(before).unwrap();
        let grown = Growth::new(tree(before).frontier(), hashes(before + added).skip(start));
        prop_assert_eq!(grown.frontier(), all.frontier());
        for index in before..before + added {
            prop_assert_eq!(grown.prove(index), inclusion::prove(&all, index, before + added));
        }
        // The hashes that the commit adds are, together with those before, all hashes of the tree.
        let mut complete: Vec<_> = tree(before).complete().chain(grown.complete()).collect();
        let mut expected: Vec<_> = all.complete().collect();
        complete.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(complete, expected);
    }

    #[test]
    fn needs_lists_all_hashes_of_a_proof((from, to) in (2..600_u64).prop_flat_map(|to| (0..to, Just(to)))) {
        let all = tree(to);
        for needs in [inclusion::needs(from, to).unwrap(), consistency::needs(from, to).unwrap()] {
            let given = |node| needs.contains(&node).then(|| all.hash(node)).flatten();
            let proved = inclusion::prove(&given, from, to).is_ok() || consistency::prove(&given, from, to).is_ok();
            prop_assert!(proved);
        }
    }
}
