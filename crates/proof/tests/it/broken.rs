//! Inputs with any changed bit are rejected, and no input causes a panic.

use daybook_proof::{
    Checkpoint, CommitRoot, Error, Hash, Hashes as _, Key, Leaf, Node, Note, Receipt, Signature, Signer,
    Tile, TreeHead, consistency, inclusion, tree as of,
};
use proptest::prelude::*;

use super::tree;

/// Returns `value` with each of its bits changed, one at a time.
fn flipped<const N: usize>(value: [u8; N]) -> impl Iterator<Item = [u8; N]> {
    (0..N * 8).map(move |bit| {
        let mut other = value;
        other[bit / 8] ^= 1 << (bit % 8);
        other
    })
}

fn flipped_number(value: u64) -> impl Iterator<Item = u64> {
    flipped(value.to_be_bytes()).map(u64::from_be_bytes)
}

/// Returns the list with each bit changed, each hash left out, each hash repeated, and each pair of neighbours swapped.
fn spoiled(hashes: &[Hash]) -> Vec<Vec<Hash>> {
    let mut all = vec![];
    for (place, hash) in hashes.iter().enumerate() {
        for other in flipped(*hash) {
            let mut list = hashes.to_vec();
            list[place] = other;
            all.push(list);
        }
        let mut less = hashes.to_vec();
        less.remove(place);
        let mut more = hashes.to_vec();
        more.insert(place, *hash);
        all.extend([less, more]);
        if place > 0 {
            let mut turned = hashes.to_vec();
            turned.swap(place - 1, place);
            all.push(turned);
        }
    }
    all.push([hashes, &[[0; 32]]].concat());
    all
}

fn with_root(head: TreeHead) -> impl Iterator<Item = TreeHead> {
    flipped(head.root).map(move |root| TreeHead { root, ..head })
}

fn signer() -> Signer {
    Signer::new("daybook.example/1", &[7; 32]).unwrap()
}

fn receipt(position: u64, size: u64) -> (Receipt, Key) {
    let (signer, all) = (signer(), tree(size));
    let root = CommitRoot {
        origin: signer.key().name().to_owned(),
        shard: 1,
        commit_no: 2,
        batch: [1; 16],
        writer: [2; 16],
        recorded_at_us: 1_795_248_042_461_000,
        head: all.head(),
    };
    let index = position - 1;
    let receipt = Receipt {
        position,
        leaf_hash: all.hash(Node { level: 0, index }).unwrap(),
        signature: root.sign(&signer).unwrap(),
        root,
        path: Some(all.prove(index).unwrap()),
    };
    (receipt, signer.key().clone())
}

/// Returns the receipt with each of its bits changed, one at a time.
fn spoiled_receipts(good: &Receipt) -> Vec<Receipt> {
    let mut all = vec![];
    let mut push = |change: &dyn Fn(&mut Receipt)| {
        let mut other = good.clone();
        change(&mut other);
        all.push(other);
    };
    flipped_number(good.position).for_each(|position| push(&|other| other.position = position));
    flipped_number(good.root.commit_no).for_each(|number| push(&|other| other.root.commit_no = number));
    flipped_number(good.root.head.size).for_each(|size| push(&|other| other.root.head.size = size));
    flipped(good.leaf_hash).for_each(|hash| push(&|other| other.leaf_hash = hash));
    flipped(good.root.head.root).for_each(|root| push(&|other| other.root.head.root = root));
    flipped(good.root.batch).for_each(|batch| push(&|other| other.root.batch = batch));
    flipped(good.root.writer).for_each(|writer| push(&|other| other.root.writer = writer));
    let shard = good.root.shard.to_be_bytes();
    flipped(shard).for_each(|shard| push(&|other| other.root.shard = i16::from_be_bytes(shard)));
    let at = good.root.recorded_at_us.to_be_bytes();
    flipped(at).for_each(|at| push(&|other| other.root.recorded_at_us = i64::from_be_bytes(at)));
    let signature = good.signature.to_bytes();
    flipped(signature)
        .for_each(|bytes| push(&|other| other.signature = Signature::from_bytes(&bytes).unwrap()));
    let path = good.path.clone().unwrap();
    for path in spoiled(&path) {
        push(&|other| other.path = Some(path.clone()));
    }
    for (place, letter) in good.root.origin.char_indices() {
        let other_letter = if letter == 'x' { "y" } else { "x" };
        push(&|other| other.root.origin.replace_range(place..=place, other_letter));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn changed_inclusion_path_is_rejected((index, size) in (1..600_u64).prop_flat_map(|size| (0..size, Just(size)))) {
        let all = tree(size);
        let (leaf, head) = (all.hash(Node { level: 0, index }).unwrap(), all.head());
        let path = all.prove(index).unwrap();
        prop_assert_eq!(inclusion::verify(&leaf, index, &path, &head), Ok(()));
        for spoiled in spoiled(&path) {
            prop_assert!(inclusion::verify(&leaf, index, &spoiled, &head).is_err());
        }
        for other in flipped(leaf) {
            prop_assert_eq!(inclusion::verify(&other, index, &path, &head), Err(Error::Root));
        }
        for other in flipped_number(index).chain((0..size).filter(|other| *other != index)) {
            prop_assert!(inclusion::verify(&leaf, other, &path, &head).is_err());
        }
        for other in with_root(head) {
            prop_assert_eq!(inclusion::verify(&leaf, index, &path, &other), Err(Error::Root));
        }
    }

    #[test]
    fn changed_consistency_proof_is_rejected((from, to) in (1..600_u64).prop_flat_map(|to| (0..=to, Just(to)))) {
        let all = tree(to);
        let (old, new) = (of::head(&all, from).unwrap(), all.head());
        let proof = consistency::prove(&all, from, to).unwrap();
        prop_assert_eq!(consistency::verify(&proof, &old, &new), Ok(()));
        for spoiled in spoiled(&proof) {
            prop_assert!(consistency::verify(&spoiled, &old, &new).is_err());
        }
        for other in with_root(old) {
            prop_assert_eq!(consistency::verify(&proof, &other, &new), Err(Error::Root));
        }
        // The empty tree is a prefix of every tree.
        for other in with_root(new).take(if from == 0 { 0 } else { 256 }) {
            prop_assert_eq!(consistency::verify(&proof, &old, &other), Err(Error::Root));
        }
    }

    /// Another history of the same length is no prefix of the tree.
    #[test]
    fn fork_is_rejected((from, to) in (2..300_u64).prop_flat_map(|to| (1..to, Just(to)))) {
        let other = daybook_proof::Growth::new(&daybook_proof::Frontier::default(), [[3; 32]].into_iter().chain(super::hashes(to)));
        let (old, new) = (of::head(&tree(to), from).unwrap(), of::head(&other, to).unwrap());
        for source in [&tree(to), &other] {
            let proof = consistency::prove(source, from, to).unwrap();
            prop_assert!(consistency::verify(&proof, &old, &new).is_err());
        }
    }
}

#[test]
fn receipt_with_one_changed_bit_is_rejected() {
    let (good, key) = receipt(6, 8);
    let keys = [key];
    assert_eq!(good.verify(&keys), Ok(()));
    for spoiled in spoiled_receipts(&good) {
        assert!(spoiled.verify(&keys).is_err(), "{spoiled:?}");
    }
}

#[test]
fn receipt_needs_the_key_of_its_log() {
    let (mut receipt, key) = receipt(4, 5);
    let witness = Signer::new("witness.example", &[7; 32]).unwrap();
    assert_eq!(receipt.verify(&[]), Err(Error::UnknownKey));
    assert_eq!(receipt.verify(&[witness.key().clone()]), Err(Error::UnknownKey));
    let mine = Signer::new(key.name(), &[8; 32]).unwrap();
    receipt.signature = receipt.root.sign(&mine).unwrap();
    assert_eq!(receipt.verify(std::slice::from_ref(&key)), Err(Error::UnknownKey));
    receipt.signature.key_id = key.id();
    assert_eq!(receipt.verify(&[key.clone(), mine.key().clone()]), Err(Error::Signature));
    receipt.path = None;
    receipt.signature = receipt.root.sign(&signer()).unwrap();
    assert_eq!(receipt.verify_signature(std::slice::from_ref(&key)), Ok(()));
    assert_eq!(receipt.verify(&[key]), Err(Error::NoPath));
}

#[test]
fn receipt_is_about_one_event() {
    let leaf = Leaf {
        shard: 1,
        position: 4,
        event_id: [1; 16],
        stream: [2; 16],
        stream_kind: 5,
        version: 1,
        event_type: 30,
        schema_version: 1,
        recorded_at_us: 0,
        effective_at_us: None,
        actor: None,
        cause_id: None,
        correlation_id: None,
        platform: [3; 16],
        data: b"{}",
        sealed_hash: None,
    };
    let (receipt, _) = receipt(4, 5);
    assert_eq!(receipt.is_of(&leaf), Err(Error::Other));
    let good = Receipt { leaf_hash: leaf.hash(), ..receipt };
    assert_eq!(good.is_of(&leaf), Ok(()));
    let moved = Receipt { position: 5, ..good.clone() };
    let elsewhere = Receipt { root: CommitRoot { shard: 2, ..good.root.clone() }, ..good };
    assert_eq!(moved.is_of(&leaf), Err(Error::Other));
    assert_eq!(elsewhere.is_of(&leaf), Err(Error::Other));
}

#[test]
fn later_trees_contain_the_receipt() {
    let (receipt, _) = receipt(4, 5);
    let later = tree(9);
    let proof = consistency::prove(&later, 5, 9).unwrap();
    let checkpoint = |origin: &str, head| Checkpoint { origin: origin.to_owned(), head, extensions: vec![] };
    let origin = receipt.root.origin.as_str();
    let (old, new) = (checkpoint(origin, receipt.root.head), checkpoint(origin, later.head()));
    assert_eq!(receipt.verify_kept(&proof, &new), Ok(()));
    assert_eq!(old.verify_grown(&new, &proof), Ok(()));
    let longer = checkpoint(origin, tree(10).head());
    assert_eq!(receipt.verify_kept(&proof, &longer), Err(Error::Root));
    assert_eq!(old.verify_grown(&longer, &proof), Err(Error::Root));
    let foreign = checkpoint("daybook.example/2", later.head());
    assert_eq!(receipt.verify_kept(&proof, &foreign), Err(Error::Other));
    assert_eq!(old.verify_grown(&foreign, &proof), Err(Error::Other));
}

#[test]
fn commit_signature_is_no_checkpoint_signature() {
    let (mut receipt, key) = receipt(4, 5);
    let text = receipt.root.text().unwrap();
    assert!(Checkpoint::parse(&text).is_err());
    let mut note = Note::new(&text).unwrap();
    note.add(&key, receipt.signature).unwrap();
    assert!(Checkpoint::open(note.render().as_bytes(), &[key]).is_err());
    for origin in ["", "daybook-commit/v1", "a b", "a\nshard 2", "a+b"] {
        origin.clone_into(&mut receipt.root.origin);
        assert_eq!(receipt.root.text(), Err(Error::Malformed("an origin")));
    }
}

#[test]
fn checkpoint_with_one_changed_bit_is_rejected() {
    let signer = signer();
    let origin = signer.key().name().to_owned();
    let checkpoint = Checkpoint { origin, head: tree(5).head(), extensions: vec![] };
    let note = checkpoint.sign(std::slice::from_ref(&signer)).unwrap().render().into_bytes();
    let keys = [signer.key().clone()];
    assert_eq!(Checkpoint::open(&note, &keys), Ok(checkpoint));
    for bit in 0..note.len() * 8 {
        let mut spoiled = note.clone();
        spoiled[bit / 8] ^= 1 << (bit % 8);
        assert!(
            Checkpoint::open(&spoiled, &keys).is_err(),
            "bit {bit}: {}",
            String::from_utf8_lossy(&spoiled)
        );
    }
    for end in 0..note.len() {
        assert!(Checkpoint::open(&note[..end], &keys).is_err());
    }
}

proptest! {
    #[test]
    fn parsers_never_panic(bytes: Vec<u8>, text in "\\PC*", lines in "([—\n+ /.ptilex0-9A-Za-z=]|\\PC){0,80}") {
        let keys = [signer().key().clone()];
        for bytes in [&bytes, text.as_bytes(), lines.as_bytes()] {
            let _ = Checkpoint::open(bytes, &keys);
            let _ = Signature::from_bytes(bytes);
        }
        for text in [&text, &lines] {
            let _ = (Checkpoint::parse(text), Key::parse(text), Signer::parse(text), Tile::parse(text));
            let _ = (Tile::parse(&format!("tile/{text}")), Tile::parse_entries(&format!("tile/entries/{text}")));
            let _ = (Key::parse(&format!("a+{text}")), Signer::parse(&format!("PRIVATE+KEY+{text}")));
        }
    }

    #[test]
    fn damaged_note_is_rejected(cut in 0..300_usize, length in 1..40_usize, inserted in "[—\n A=]{0,5}") {
        let signer = signer();
        let origin = signer.key().name().to_owned();
        let checkpoint = Checkpoint { origin, head: tree(5).head(), extensions: vec![] };
        let note = checkpoint.sign(std::slice::from_ref(&signer)).unwrap().render().into_bytes();
        let (start, end) = (cut.min(note.len()), (cut + length).min(note.len()));
        let damaged = [&note[..start], inserted.as_bytes(), &note[end..]].concat();
        prop_assume!(damaged != note);
        prop_assert!(Checkpoint::open(&damaged, &[signer.key().clone()]).is_err());
    }

    #[test]
    fn random_proofs_are_rejected_without_a_panic(
        index: u64, size: u64, level: u8, root: [u8; 32], path in prop::collection::vec(any::<[u8; 32]>(), 0..70),
    ) {
        let (old, new) = (TreeHead { size: index, root }, TreeHead { size, root });
        prop_assert!(inclusion::verify(&[0; 32], index, &path, &new).is_err());
        prop_assert!(consistency::verify(&path, &old, &new).is_err() || index == size);
        let none = |_| None;
        for size in [size, u64::MAX] {
            let _ = (inclusion::prove(&none, index, size), consistency::prove(&none, index, size));
            let _ = (of::head(&none, size), daybook_proof::Frontier::needs(size));
            let _ = Tile::holding(Node { level, index }, size);
            let _ = (Tile::all(size).next(), Tile::grown(index, size).next());
        }
    }
}
