//! Test vectors of Certificate Transparency: a tree of eight leaves.

use daybook_proof::tree::{empty_root, leaf_hash};
use daybook_proof::{Frontier, Growth, Hash, TreeHead, consistency, inclusion};

const LEAVES: [&str; 8] =
    ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];

const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/// Index, size, inclusion path.
const INCLUSION: [(u64, u64, &[&str]); 7] = [
    (0, 1, &[]),
    (0, 2, &["96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"]),
    (1, 2, &["6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"]),
    (2, 3, &["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    (
        1,
        5,
        &[
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
    (
        0,
        8,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        5,
        8,
        &[
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
];

/// Old size, new size, consistency proof.
const CONSISTENCY: [(u64, u64, &[&str]); 4] = [
    (1, 1, &[]),
    (
        1,
        8,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        2,
        5,
        &[
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
    (
        6,
        8,
        &[
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
];

fn hash(hexadecimal: &str) -> Hash {
    hex::decode(hexadecimal).unwrap().try_into().unwrap()
}

fn leaves() -> impl Iterator<Item = Hash> {
    LEAVES.into_iter().map(|leaf| leaf_hash(&hex::decode(leaf).unwrap()))
}

fn head(size: u64) -> TreeHead {
    TreeHead { size, root: hash(ROOTS[usize::try_from(size).unwrap()]) }
}

#[test]
fn roots_match_the_vectors() {
    assert_eq!(empty_root(), hash(ROOTS[0]));
    let mut frontier = Frontier::default();
    assert_eq!(frontier.head(), head(0));
    for (leaf, size) in leaves().zip(1..) {
        frontier.push(leaf);
        assert_eq!(frontier.head(), head(size));
    }
}

#[test]
fn inclusion_paths_match_the_vectors() {
    let leaves: Vec<_> = leaves().collect();
    let tree = Growth::new(&Frontier::default(), leaves.clone());
    for (index, size, path) in INCLUSION {
        let path: Vec<_> = path.iter().map(|text| hash(text)).collect();
        assert_eq!(inclusion::prove(&tree, index, size), Ok(path.clone()), "{index} of {size}");
        let leaf = &leaves[usize::try_from(index).unwrap()];
        assert_eq!(inclusion::verify(leaf, index, &path, &head(size)), Ok(()));
    }
}

#[test]
fn consistency_proofs_match_the_vectors() {
    let tree = Growth::new(&Frontier::default(), leaves());
    for (from, to, proof) in CONSISTENCY {
        let proof: Vec<_> = proof.iter().map(|text| hash(text)).collect();
        assert_eq!(consistency::prove(&tree, from, to), Ok(proof.clone()), "{from} to {to}");
        assert_eq!(consistency::verify(&proof, &head(from), &head(to)), Ok(()));
    }
}
