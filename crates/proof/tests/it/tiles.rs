//! Tiles equal those of the crate `tlog_tiles`, and a client that has only tiles can make every proof.

use std::cell::RefCell;

use daybook_proof::tile::append_entry;
use daybook_proof::{Error, Growth, Tile, Tiles, consistency, inclusion, tree as of};
use proptest::prelude::*;
use tlog_tiles::tile::{TileHashReader, TileReader};
use tlog_tiles::tlog;

use super::tree;

/// Converts a tile of `tlog_tiles` to ours.
fn same(theirs: &tlog_tiles::Tile) -> Tile {
    let width = u16::try_from(theirs.width()).unwrap();
    Tile { level: theirs.level(), index: theirs.level_index(), width }
}

/// Serves our tiles to the client of `tlog_tiles`.
struct Server(Growth, RefCell<usize>);

impl TileReader for Server {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[tlog_tiles::Tile]) -> Result<Vec<Vec<u8>>, tlog::Error> {
        *self.1.borrow_mut() += tiles.len();
        Ok(tiles.iter().map(|tile| same(tile).bytes(&self.0).unwrap()).collect())
    }

    fn save_tiles(&self, _: &[tlog_tiles::Tile], _: &[Vec<u8>]) {}
}

/// Reads the tiles from which these hashes are computed.
fn fetch(server: &Growth, needs: &[daybook_proof::Node], size: u64) -> Tiles {
    let mut tiles = Tiles::default();
    for node in needs {
        let tile = Tile::holding(*node, size).unwrap();
        tiles.add(Tile::parse(&tile.path()).unwrap(), &tile.bytes(server).unwrap()).unwrap();
    }
    tiles
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn tiles_of_a_tree_equal_theirs(from in 0..200_000_u64, more in 0..200_000_u64) {
        let ours: Vec<_> = Tile::grown(from, from + more).collect();
        let theirs: Vec<_> = tlog_tiles::Tile::new_tiles(8, from, from + more).iter().map(same).collect();
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn tile_paths_equal_theirs_and_parse(level in 0..3_u8, index in 0..(1_u64 << 40), width in 1..=256_u16) {
        let tile = Tile { level, index, width };
        let theirs = tlog_tiles::Tile::new(8, level, index, u32::from(width), false).path();
        prop_assert_eq!(tile.path(), theirs.replace("tile/8/", "tile/"));
        prop_assert_eq!(Tile::parse(&tile.path()), Ok(tile));
        let leaves = Tile { level: 0, ..tile };
        prop_assert_eq!(Tile::parse_entries(&leaves.entries_path().unwrap()), Ok(leaves));
    }

    #[test]
    fn their_client_proves_with_our_tiles((index, size) in (1..10_000_u64).prop_flat_map(|size| (0..size, Just(size)))) {
        let server = Server(tree(size), RefCell::default());
        let head = server.0.head();
        let reader = TileHashReader::new(size, tlog::Hash(head.root), &server);
        let theirs = tlog::prove_record(size, index, &reader).unwrap();
        prop_assert!(*server.1.borrow() > 0);

        let needs = inclusion::needs(index, size).unwrap();
        let ours = inclusion::prove(&fetch(&server.0, &needs, size), index, size).unwrap();
        prop_assert_eq!(&ours, &theirs.iter().map(|hash| hash.0).collect::<Vec<_>>());

        let needs = consistency::needs(index, size).unwrap();
        let proof = consistency::prove(&fetch(&server.0, &needs, size), index, size).unwrap();
        let old = of::head(&server.0, index).unwrap();
        prop_assert_eq!(consistency::verify(&proof, &old, &head), Ok(()));
    }
}

#[test]
fn tree_of_70000_has_specified_tiles() {
    let count = |level, is_full| {
        let tiles = Tile::all(70_000).filter(|tile| tile.level == level && (tile.width == 256) == is_full);
        tiles.map(|tile| tile.width).collect::<Vec<_>>()
    };
    assert_eq!(count(0, true).len(), 273);
    assert_eq!(count(0, false), [112]);
    assert_eq!(count(1, true).len(), 1);
    assert_eq!(count(1, false), [17]);
    assert_eq!((count(2, true).len(), count(2, false)), (0, vec![1]));
    assert!(count(3, false).is_empty());
}

#[test]
fn every_other_path_is_rejected() {
    assert_eq!(Tile { level: 0, index: 1_234_067, width: 256 }.path(), "tile/0/x001/x234/067");
    assert_eq!(Tile { level: 1, index: 0, width: 7 }.entries_path(), None);
    for path in [
        "",
        "tile",
        "tile/0",
        "tile/0/",
        "tile/0/0",
        "tile/0/0000",
        "tile/00/000",
        "tile/8/000",
        "tile/-1/000",
        "tile/0/x000/001",
        "tile/0/001/002",
        "tile/0/x001",
        "tile/0/+01",
        "tile/0/000.p/0",
        "tile/0/000.p/256",
        "tile/0/000.p/05",
        "tile/0/000.p/",
        "/tile/0/000",
        "tile/0/000/",
        "tile/7/001",
        "tile/0/1000",
        "tile/0/x999/x999/x999/x999/x999/x999/999",
        "tile/0/ü00",
        "tile/entries/000",
    ] {
        assert_eq!(Tile::parse(path), Err(Error::Malformed("the path of a tile")), "{path}");
    }
    for path in ["tile/0/000", "tile/entries/0", "tile/entries/0/000", "tile/entries/000.p/256"] {
        assert!(Tile::parse_entries(path).is_err(), "{path}");
    }
}

#[test]
fn tile_of_another_width_is_rejected() {
    let tile = Tile { level: 0, index: 0, width: 2 };
    for length in [0, 32, 63, 65, 96] {
        assert!(Tiles::default().add(tile, &vec![0; length]).is_err());
    }
    let mut file = vec![];
    append_entry(&mut file, b"ab").unwrap();
    assert_eq!(file, b"\0\x02ab");
    assert!(append_entry(&mut file, &vec![0; 65_536]).is_err());
}
