//! Intake: bounded reading of files and bundle segments that come from outside.
//!
//! Everything read here was made by others and is not trusted. Each input has a maximum number of bytes, which is
//! checked before anything of the content is used, and no input can block its reader for ever.
//!
//! - [`file`] opens and reads regular files and, on request, pipes. Folders, devices and sockets are refused.
//! - `segment` (feature `segment`) checks what the manifest of a bundle claims about a segment, and unpacks the segment
//!   only up to that claim. This stops decompression bombs.
//!
//! # Example
//!
//! ```
//! use std::path::Path;
//!
//! use daybook_intake::file::{self, Pipes};
//!
//! // The limit is in bytes. A device is refused before anything is read from it.
//! let refused = file::read(Path::new("/dev/zero"), 1 << 20, Pipes::Refused);
//! assert_eq!(refused.unwrap_err().to_string(), "it is a device, a file is expected");
//! ```

pub mod file;
#[cfg(feature = "segment")]
pub mod segment;
