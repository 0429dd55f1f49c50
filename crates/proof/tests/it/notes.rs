//! Notes and checkpoints are compatible with the crates `signed_note` and `tlog_tiles`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_proof::{Checkpoint, Error, Key, Note, Signer, TreeHead};
use proptest::prelude::*;
use signed_note::{NoteError, StandardSigner, StandardVerifier, VerifierList};

const ORIGIN: &str = "daybook.example/1";

fn signer(name: &str, seed: u8) -> Signer {
    Signer::new(name, &[seed; 32]).unwrap()
}

fn checkpoint(size: u64, root: [u8; 32], extensions: Vec<String>) -> Checkpoint {
    Checkpoint { origin: ORIGIN.to_owned(), head: TreeHead { size, root }, extensions }
}

fn verifiers(signers: &[&Signer]) -> VerifierList {
    let verifier = |signer: &&Signer| StandardVerifier::new(&signer.key().text()).unwrap();
    VerifierList::new(signers.iter().map(|signer| Box::new(verifier(signer)) as Box<_>).collect())
}

proptest! {
    #[test]
    fn notes_are_compatible_in_both_directions(
        size: u64, root: [u8; 32], seed: u8, lines in prop::collection::vec("[ -~äß—]{1,20}", 0..3),
    ) {
        let signer = signer(ORIGIN, seed);
        let checkpoint = checkpoint(size, root, lines);
        let note = checkpoint.sign(std::slice::from_ref(&signer)).unwrap();

        let theirs = signed_note::Note::from_bytes(note.render().as_bytes()).unwrap();
        let (verified, unverified) = theirs.verify(&verifiers(&[&signer])).unwrap();
        prop_assert_eq!((verified.len(), unverified.len()), (1, 0));
        let read = tlog_tiles::Checkpoint::from_bytes(theirs.text()).unwrap();
        prop_assert_eq!((read.origin(), read.size(), read.hash().0), (ORIGIN, size, root));

        let mut theirs = signed_note::Note::new(checkpoint.text().unwrap().as_bytes(), &[]).unwrap();
        theirs.add_sigs(&[&StandardSigner::new(&signer.secret_text()).unwrap()]).unwrap();
        prop_assert_eq!(theirs.to_bytes(), note.render().into_bytes());
        prop_assert_eq!(Checkpoint::open(&theirs.to_bytes(), &[signer.key().clone()]), Ok(checkpoint));
    }

    #[test]
    fn notes_parse_as_in_signed_note(note in "[—\n abc+=\\PC\0]{0,60}\n?\n?(— [a+ ]{1,2} [A-Ba=]{0,9}\n){0,2}") {
        let ours = Note::parse(note.as_bytes());
        match signed_note::Note::from_bytes(note.as_bytes()) {
            Ok(theirs) => prop_assert_eq!(ours.unwrap().text().as_bytes().to_vec(), theirs.text().to_vec()),
            Err(NoteError::MalformedNote | NoteError::InvalidSigner) => prop_assert!(ours.is_err()),
            Err(_) => {}
        }
    }
}

#[test]
fn example_of_the_specification_is_read() {
    let note = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
                — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";
    let read = Note::parse(note.as_bytes()).unwrap();
    assert_eq!(read.render(), note);
    assert_eq!(Checkpoint::parse(read.text()).unwrap().head.size, 20_852_163);
}

#[test]
fn keys_survive_their_text_form() {
    let signer = signer(ORIGIN, 7);
    assert_eq!(Key::parse(&signer.key().text()).as_ref(), Ok(signer.key()));
    assert_eq!(Signer::parse(&signer.secret_text()).unwrap().secret_text(), signer.secret_text());
    for name in ["", "a b", "a+b", "a\nb", "a\u{a0}b"] {
        assert!(Signer::new(name, &[7; 32]).is_err(), "{name:?}");
    }
    let text = signer.key().text();
    for wrong in
        [text.to_uppercase(), text.replace(ORIGIN, "other"), format!("{text}="), text.replace("+A", "+B")]
    {
        assert!(Key::parse(&wrong).is_err(), "{wrong}");
    }
    // A weak point would accept signatures that no key made.
    let mut weak = [0; 32];
    weak[0] = 1;
    assert!(Key::new("weak", &weak).is_err());
}

#[test]
fn either_key_opens_during_a_replacement() {
    let (old, new, witness) = (signer(ORIGIN, 1), signer(ORIGIN, 2), signer("witness.example", 3));
    let signed = checkpoint(5, [9; 32], vec![]);
    let mut note = signed.sign(&[old.clone(), new.clone()]).unwrap();
    let added = witness.sign(note.text().as_bytes());
    note.add(witness.key(), added).unwrap();
    assert_eq!(note.add(witness.key(), old.sign(b"something else")), Err(Error::UnknownKey));
    assert_eq!(note.add(old.key(), old.sign(b"something else")), Err(Error::Signature));
    let note = note.render();

    for keys in [vec![&old], vec![&new], vec![&new, &old, &witness]] {
        let keys: Vec<_> = keys.into_iter().map(|signer| signer.key().clone()).collect();
        assert_eq!(Checkpoint::open(note.as_bytes(), &keys).as_ref(), Ok(&signed));
    }
    // A witness has seen the checkpoint; it cannot speak for the log.
    assert_eq!(Checkpoint::open(note.as_bytes(), &[witness.key().clone()]), Err(Error::UnknownKey));
    assert_eq!(Checkpoint::open(note.as_bytes(), &[]), Err(Error::UnknownKey));
    // A wrong signature under a known name is an error, even if other signatures are valid.
    let lines: Vec<&str> = note.lines().collect();
    let wrong = note.replace(lines[4], &lines[4].replace(&lines[4][lines[4].len() - 9..], "AAAAAAAA="));
    assert_eq!(
        Checkpoint::open(wrong.as_bytes(), &[old.key().clone(), new.key().clone()]),
        Err(Error::Signature)
    );
}

/// A renamed key verifies what its secret half signs under the new name, and nothing of the old name.
#[test]
fn renamed_key_has_another_id() {
    let [first, other] = ["daybook.example/1", "daybook.example/2"].map(|name| signer(name, 1));
    let renamed = first.key().renamed("daybook.example/2").unwrap();
    assert_eq!(&renamed, other.key());
    assert_ne!(renamed.id(), first.key().id());
    assert_eq!(renamed.verify(b"text", &first.sign(b"text")), Err(Error::UnknownKey));
    assert_eq!(renamed.verify(b"text", &other.sign(b"text")), Ok(()));
    assert_eq!(first.key().renamed("a b"), Err(Error::Malformed("the name of a key")));
}

#[test]
fn checkpoint_has_one_text() {
    let text = checkpoint(0, [0; 32], vec!["more".to_owned()]).text().unwrap();
    assert!(Checkpoint::parse(&text).is_ok());
    let wrong = [
        text.replace("\n0\n", "\n00\n"),
        text.replace("\n0\n", "\n+0\n"),
        text.replace("\n0\n", "\n18446744073709551616\n"),
        text.replace("\n0\n", "\n-1\n"),
        text.replace("AA=", "AB="),
        text.replace("AA=", "AA"),
        text.replace(ORIGIN, ""),
        text.replace("more", ""),
        text.trim_end().to_owned(),
        format!("{text}\n"),
        String::new(),
    ];
    for wrong in wrong {
        assert_eq!(Checkpoint::parse(&wrong), Err(Error::Malformed("a checkpoint")), "{wrong:?}");
    }
    for extension in ["", "a\nb", "\t"] {
        assert!(checkpoint(0, [0; 32], vec![extension.to_owned()]).text().is_err());
    }
}

/// Control characters are rejected, and so is base64 with unused bits set.
#[test]
fn note_has_one_canonical_form() {
    let signer = signer(ORIGIN, 1);
    let note = |text: &str| {
        let signature = STANDARD.encode(signer.sign(text.as_bytes()).to_bytes());
        format!("{text}\n— {ORIGIN} {signature}\n")
    };
    let good = note("a\n\nb\n");
    assert_eq!(Note::parse(good.as_bytes()).unwrap().text(), "a\n\nb\n");
    for text in ["a\tb\n", "a\r\n", "a\0\n"] {
        assert!(Note::new(text).is_err());
        assert!(Note::parse(note(text).as_bytes()).is_err(), "{text:?}");
    }
    assert!(Note::new("a").is_err());
    // The last base64 letter of 68 bytes has two unused bits, which must be zero.
    let (start, end) = good.split_at(good.len() - 3);
    let letters = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']);
    let read =
        letters.filter(|letter| Note::parse(format!("{start}{letter}{}", &end[1..]).as_bytes()).is_ok());
    assert_eq!(read.count(), 16);
    let line = "— a AAAAAAAA\n";
    assert!(Note::parse(format!("a\n\n{}", line.repeat(100)).as_bytes()).is_ok());
    assert!(Note::parse(format!("a\n\n{}", line.repeat(101)).as_bytes()).is_err());
    assert!(Note::parse(format!("{}\n\n{line}", "a".repeat(1 << 20)).as_bytes()).is_err());
}
