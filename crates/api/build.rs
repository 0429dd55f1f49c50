//! Takes Swagger UI out of the archive that a crate brings along: the two files that its page needs. Nothing is
//! downloaded.

use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::{Cursor, copy};
use std::path::Path;

use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

const FILES: [&str; 2] = ["swagger-ui-bundle.js", "swagger-ui.css"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var("OUT_DIR")?;
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for name in FILES {
        let end = format!("/dist/{name}");
        let path = archive.file_names().flatten().find(|path| path.ends_with(&end)).map(Cow::into_owned);
        let path = path.ok_or_else(|| format!("the archive has no {name}"))?;
        copy(&mut archive.by_name(&path)?, &mut File::create(Path::new(&folder).join(name))?)?;
    }
    Ok(())
}
