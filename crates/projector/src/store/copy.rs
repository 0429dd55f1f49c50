//! COPY: rows in PostgreSQL's binary format, handed over in large pieces. The driver's own writer hands over every four
//! kilobytes, and each time two tasks wake each other.

use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use futures::SinkExt;
use tokio_postgres::CopyInSink;
use tokio_postgres::types::{IsNull, ToSql, Type};

use crate::error::Error;

/// What a file of rows begins with: its name, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// About how many bytes are handed over at a time.
const PIECE: usize = 64 << 10;

/// Rows on their way into a table; dropped before [`Copying::finish`] they are not written.
pub(crate) struct Copying<'a> {
    sink: Pin<Box<CopyInSink<Bytes>>>,
    types: &'a [Type],
    piece: BytesMut,
}

impl<'a> Copying<'a> {
    /// Begins with no rows, whose columns have these types.
    pub(crate) fn into(sink: CopyInSink<Bytes>, types: &'a [Type]) -> Self {
        let mut piece = BytesMut::with_capacity(2 * PIECE);
        piece.extend_from_slice(HEADER);
        Self { sink: Box::pin(sink), types, piece }
    }

    /// Adds a row, a cell for each of the columns.
    pub(crate) async fn row<'c>(
        &mut self,
        cells: impl Iterator<Item = &'c (dyn ToSql + Sync)>,
    ) -> Result<(), Error> {
        put(&mut self.piece, self.types, cells).map_err(Error::Unwritable)?;
        if self.piece.len() > PIECE {
            let piece = std::mem::replace(&mut self.piece, BytesMut::with_capacity(2 * PIECE));
            self.sink.send(piece.freeze()).await?;
        }
        Ok(())
    }

    /// Ends; answers how many rows the table took.
    pub(crate) async fn finish(mut self) -> Result<u64, Error> {
        self.piece.extend_from_slice(&(-1_i16).to_be_bytes());
        self.sink.send(self.piece.freeze()).await?;
        Ok(self.sink.as_mut().finish().await?)
    }
}

/// Adds a row to a piece: the number of its cells, and each behind its length; of a null the length is -1.
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
    fn a_row_is_the_number_of_its_cells_and_each_behind_its_length() {
        let types = [Type::INT2, Type::TEXT, Type::INT8];
        let row = put_one(&types, &[&7_i16, &"ab", &None::<i64>]).expect("fits");
        assert_eq!(row, [&[0, 3, 0, 0, 0, 2, 0, 7, 0, 0, 0, 2][..], b"ab", &[255; 4]].concat());
    }

    #[test]
    fn what_does_not_fit_its_column_or_is_missing_is_refused() {
        assert!(put_one(&[Type::INT2], &[&"ab"]).is_err());
        assert!(put_one(&[Type::INT2, Type::INT2], &[&7_i16]).is_err());
    }
}
