//! Existence of a bank file at an earlier moment.

use daybook_domain::custody::Event as CustodyEvent;
use daybook_domain::{CustodyId, Event, FileId, Key};
use daybook_engine::access::PlatformRecord;

use super::View;
use crate::app::App;
use crate::error::ApiError;

/// Checks that the file was cut by the moment of `view`. For the current state there is no check: the caller looks up
/// the file itself.
pub(crate) async fn file_was_cut(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    custody: CustodyId,
    file: FileId,
) -> Result<(), ApiError> {
    if let View::Now(_) | View::After(_) = view {
        return Ok(());
    }
    let key = Key::from(custody);
    let events = view.timelines(app, platform, &[key]).await?.remove(&key).unwrap_or_default();
    let was_cut = events.iter().any(
        |happened| matches!(&happened.event, Event::Custody(CustodyEvent::FileCut(cut)) if cut.file == file),
    );
    if was_cut { Ok(()) } else { Err(ApiError::NotFound) }
}
