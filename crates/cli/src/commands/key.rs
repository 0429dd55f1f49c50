//! `daybook key`: the key that signs the log.

use serde_json::json;

use crate::config::Key;
use crate::error::Error;
use crate::keys::{create_signer, load_signer};
use crate::out;

/// Runs the command. Both commands print the public key.
///
/// # Errors
///
/// Fails if the file exists already, cannot be written, or does not contain a key.
pub fn run(command: Key) -> Result<(), Error> {
    let (file, is_json) = match command {
        Key::Create { origin, json, file } => {
            if file.try_exists()? {
                return Err(Error::Usage(format!("{} is there already", file.display())));
            }
            create_signer(&file, &origin)?;
            (file, json)
        }
        Key::Show { json, file } => (file, json),
    };
    let key = load_signer(&file)?.key().text();
    Ok(out::answer(is_json, &json!({"public_key": key}), &key)?)
}
