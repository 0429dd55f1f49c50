//! One month of a platform, as `docs/how-to/reconcile.md` tells it: the commands of the page are run one after another against
//! a sandbox, and their output is compared with that of the page. `DAYBOOK_BLESS=1 cargo test -p daybook-tests month` writes
//! the output into the page.

mod page;

use std::fs;
use std::path::Path;
use std::process::Command;

use daybook_tests::app::PUBLIC_KEY;
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, binary, on_terminal, run};
use page::Page;

use crate::architecture::root;
use crate::restart::folder_with_key;

const PAGE: &str = "docs/how-to/reconcile.md";

/// Address of the service that the page names.
const ADDRESS: &str = "http://127.0.0.1:8080";

/// Programs of the page that a machine may lack.
const PROGRAMS: [&str; 2] = ["curl", "jq"];

/// Returns true if this machine has the program.
fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|said| said.status.success())
}

/// Runs all blocks of the page in one shell on a terminal, and returns the output of each.
fn follow(page: &Page, service: &Daybook, url: &str, folder: &Path) -> Vec<String> {
    std::os::unix::fs::symlink(binary(), folder.join("daybook")).expect("a link");
    let script = folder.join("page.sh");
    fs::write(&script, page.script().replace(ADDRESS, &service.base_url)).expect("written");
    let own = folder.display().to_string();
    let path = format!("{own}:{}", std::env::var("PATH").unwrap_or_default());
    let key = folder.join("master.key").display().to_string();
    let variables =
        [("PATH", &*path), ("DAYBOOK_DATABASE_URL", url), ("DAYBOOK_MASTER_KEY", &key), ("no_proxy", "*")];
    let said = on_terminal(&format!("cd '{own}' && bash page.sh"), &variables);
    page.outputs(&said.replace(&service.base_url, ADDRESS))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn month_on_page_is_lived() {
    if let Some(missing) = PROGRAMS.into_iter().find(|program| !has(program)) {
        eprintln!("NOT CHECKED: {missing} is not installed; `apt-get install {missing}`");
        return;
    }
    let (database, folder) = (Database::create().await, folder_with_key());
    let (url, data) = (database.url(), folder.path().display().to_string());
    let key = folder.path().join("master.key").display().to_string();
    let on = ["--database-url", &url, "--data-dir", &data, "--master-key", &key];
    let service = Daybook::start([&["dev", "--listen", "127.0.0.1:0"], &on[..]].concat());

    let path = root().join(PAGE);
    let page = Page::read(fs::read_to_string(&path).expect("the page"));
    let outputs = follow(&page, &service, &url, folder.path());
    if std::env::var_os("DAYBOOK_BLESS").is_some_and(|bless| bless == "1") {
        fs::write(&path, page.with(&outputs)).expect("written");
    } else {
        let differences = page.differences(&outputs);
        assert!(differences.is_empty(), "{PAGE} shows another output:\n\n{}", differences.join("\n\n"));
    }
    assert!(service.terminate().success());
    for command in [&["log", "verify", "--key", PUBLIC_KEY][..], &["reconcile", "replay"]] {
        let said = run([command, &["--database-url", &url]].concat());
        assert!(said.status.success(), "{command:?}: {said:?}");
    }
}
