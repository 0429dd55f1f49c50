//! Missing key files: every command ends with the same exit code.

use daybook_tests::database::Database;

use super::refused;
use crate::restart::folder_with_key;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_key_file_has_one_exit_code() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let key = folder.path().join("master.key").display().to_string();
    let missing = folder.path().join("missing.key").display().to_string();
    let url = database.url();
    for command in [
        &["client", "create", "Acme"][..],
        &["operator", "create", "--name", "Ada"],
        &["vault", "rotate", "--new-master-key", &key],
        &["webhook", "replay", "01M7ZZ6PZ190BGGZEGZ2M6RJBA", "--from", "1"],
        &["subject", "verify-erased", "01M7ZZ6PZ190BGGZEGZ2M6RJBA"],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        let place = ["--database-url", &url, "--master-key", &missing];
        let (said, code) = refused(&[command, &place].concat());
        assert_eq!(code, Some(2), "{command:?}: {said}");
        assert!(said.contains(&missing), "{command:?}: {said}");
    }
    for command in [&["client", "create", "Acme"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let place = ["--database-url", &url, "--master-key", &key, "--signing-key", &missing];
        let (said, code) = refused(&[command, &place].concat());
        assert_eq!(code, Some(2), "{command:?}: {said}");
        assert!(said.contains(&missing), "{command:?}: {said}");
    }
}
