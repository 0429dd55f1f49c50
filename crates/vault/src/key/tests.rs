use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use super::*;

/// Fills with 1, then 2, then 3, …, so every draw differs from the one before.
fn counting() -> impl Fn(&mut [u8]) + Send + Sync {
    let next = AtomicU8::new(1);
    move |bytes| bytes.fill(next.fetch_add(1, Ordering::Relaxed))
}

fn bytes_of(key: &MasterKey) -> [u8; KEY_LENGTH] {
    *key.0
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn file_open_to_everybody_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    write(&path, &[9; KEY_LENGTH]);
    for (mode, is_taken) in
        [(0o600, true), (0o400, true), (0o440, true), (0o644, false), (0o604, false), (0o602, false)]
    {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let answer = MasterKey::load(&path);
        assert_eq!(answer.is_ok(), is_taken, "{mode:o}");
        if let Err(Error::MasterKeyFile { source, .. }) = answer {
            assert!(source.to_string().contains(&format!("(mode {mode:o}): chmod 600")), "{source}");
        }
    }
}

#[test]
fn missing_file_is_created_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    let made = MasterKey::load_or_create(&path, &counting()).unwrap();
    let read = MasterKey::load(&path).unwrap();
    assert_eq!(bytes_of(&made), bytes_of(&read));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a draft was left behind");
}

#[test]
fn existing_file_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    write(&path, &[9; KEY_LENGTH]);
    let read = MasterKey::load_or_create(&path, &counting()).unwrap();
    assert_eq!(bytes_of(&read), [9; KEY_LENGTH]);
}

#[test]
fn racing_processes_get_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    let entropy = counting();
    let keys = thread::scope(|scope| {
        let racers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| MasterKey::load_or_create(&path, &entropy).unwrap())).collect();
        racers.into_iter().map(|racer| bytes_of(&racer.join().unwrap())).collect::<Vec<_>>()
    });
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a draft was left behind");
}

#[test]
fn file_of_another_length_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    for length in [0, 31, 33] {
        write(&path, &vec![9; length]);
        let answer = MasterKey::load_or_create(&path, &counting());
        assert!(matches!(answer, Err(Error::MasterKeyLength { .. })), "{length} bytes");
    }
}

#[test]
fn error_names_the_missing_file() {
    let error = MasterKey::load(Path::new("/nowhere/master.key")).unwrap_err();
    assert!(error.to_string().contains("/nowhere/master.key"));
}

#[test]
fn master_key_is_not_printed() {
    assert_eq!(format!("{:?}", MasterKey::from_bytes([7; KEY_LENGTH])), "MasterKey(redacted)");
}
