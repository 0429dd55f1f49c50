//! Copies the two files of Swagger UI that its page needs out of the archive that the crate
//! `utoipa-swagger-ui-vendored` contains: once uncompressed and once compressed with gzip. Downloads nothing.

use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::{Cursor, Write, copy};
use std::path::Path;

use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::{CompressionMethod, ZipArchive};

const FILES: [&str; 2] = ["swagger-ui-bundle.js", "swagger-ui.css"];

/// Header of a gzip file (RFC 1952): compressed with deflate, without file name, time or operating system.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var("OUT_DIR")?;
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for name in FILES {
        let end = format!("/dist/{name}");
        let path = archive.file_names().flatten().find(|path| path.ends_with(&end)).map(Cow::into_owned);
        let path = path.ok_or_else(|| format!("the archive has no {name}"))?;
        copy(&mut archive.by_name(&path)?, &mut File::create(Path::new(&folder).join(name))?)?;
        let place = archive.index_for_name(&path).ok_or("it was there")?;
        let mut packed = archive.by_index_raw(place)?;
        if packed.compression() != CompressionMethod::Deflated {
            return Err(format!("{name} is not packed by deflate").into());
        }
        let mut file = File::create(Path::new(&folder).join(format!("{name}.gz")))?;
        file.write_all(&GZIP)?;
        copy(&mut packed, &mut file)?;
        file.write_all(&packed.crc32().to_le_bytes())?;
        file.write_all(&u32::try_from(packed.size())?.to_le_bytes())?;
    }
    Ok(())
}
