//! COPY: rows in PostgreSQL's binary format, sent in large pieces. The driver's own writer sends pieces of 4 kB, and
//! each piece costs two wakeups of tasks.

use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use futures::SinkExt;
use tokio_postgres::CopyInSink;
use tokio_postgres::types::{IsNull, ToSql, Type};

use crate::error::Error;

/// Header of the binary format: signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// Approximate size of the pieces, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// Rows that are being copied into a table. If it is dropped before [`Copying::finish`], no row is written.
pub(crate) struct Copying<'a> {
    sink: Pin<Box<CopyInSink<Bytes>>>,
    types: &'a [Type],
    piece: BytesMut,
}

impl<'a> Copying<'a> {
    /// Starts a copy of rows with columns of these types.
    pub(crate) fn into(sink: CopyInSink<Bytes>, types: &'a [Type]) -> Self {
        let mut piece = BytesMut::with_capacity(2 * CHUNK_BYTES);
        piece.extend_from_slice(HEADER);
        Self { sink: Box::pin(sink), types, piece }
    }

    /// Adds a row with one cell per column.
    pub(crate) async fn row<'c>(
        &mut self,
        cells: impl Iterator<Item = &'c (dyn ToSql + Sync)>,
    ) -> Result<(), Error> {
        put(&mut self.piece, self.types, cells).map_err(Error::Unwritable)?;
        if self.piece.len() > CHUNK_BYTES {
            let piece = std::mem::replace(&mut self.piece, BytesMut::with_capacity(2 * CHUNK_BYTES));
            self.sink.send(piece.freeze()).await?;
        }
        Ok(())
    }

    /// Ends the copy and returns the number of rows that the table took.
    pub(crate) async fn finish(mut self) -> Result<u64, Error> {
        self.piece.extend_from_slice(&(-1_i16).to_be_bytes());
        self.sink.send(self.piece.freeze()).await?;
        Ok(self.sink.as_mut().finish().await?)
    }
}

/// Appends a row to a piece: the number of its cells, then each cell after its length. The length of a null is -1.
fn put<'c>(
    piece: &mut BytesMut,
    types: &[Type],
    cells: impl Iterator<Item = &'c (dyn ToSql + Sync)>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    piece.extend_from_slice(&i16::try_from(types.len())?.to_be_bytes());
    let mut count = 0;
    for (cell, r#type) in cells.zip(types) {
        let at = piece.len();
        piece.extend_from_slice(&(-1_i32).to_be_bytes());
        if let IsNull::No = cell.to_sql_checked(r#type, piece)? {
            let length = i32::try_from(piece.len() - at - 4)?;
            piece[at..at + 4].copy_from_slice(&length.to_be_bytes());
        }
        count += 1;
    }
    if count == types.len() { Ok(()) } else { Err("a row has too few cells".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_one(types: &[Type], cells: &[&(dyn ToSql + Sync)]) -> Result<Vec<u8>, String> {
        let mut piece = BytesMut::new();
        put(&mut piece, types, cells.iter().copied()).map_err(|error| error.to_string())?;
        Ok(piece.to_vec())
    }

    #[test]
    fn copy_row_has_binary_layout() {
        let types = [Type::INT2, Type::TEXT, Type::INT8];
        let row = put_one(&types, &[&7_i16, &"ab", &None::<i64>]).expect("fits");
        assert_eq!(row, [&[0, 3, 0, 0, 0, 2, 0, 7, 0, 0, 0, 2][..], b"ab", &[255; 4]].concat());
    }

    #[test]
    fn wrong_or_missing_cell_is_refused() {
        assert!(put_one(&[Type::INT2], &[&"ab"]).is_err());
        assert!(put_one(&[Type::INT2, Type::INT2], &[&7_i16]).is_err());
    }
}
