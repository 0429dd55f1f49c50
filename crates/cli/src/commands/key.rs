//! `daybook key`: the key that signs the log.

use crate::config::Key;
use crate::error::Error;
use crate::keys::{create_signer, load_signer};

/// Does what is asked for; both print the public key.
///
/// # Errors
///
/// If the file is there already, cannot be written, or is not a key.
pub fn run(command: Key) -> Result<(), Error> {
    let file = match command {
        Key::Create { origin, file } => {
            if file.try_exists()? {
                return Err(Error::Usage(format!("{} is there already", file.display())));
            }
            create_signer(&file, &origin)?;
            file
        }
        Key::Show { file } => file,
    };
    println!("{}", load_signer(&file)?.key().text());
    Ok(())
}
