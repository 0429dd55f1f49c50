//! Events as the log stores them. Input: name and version of the type on a line, then the data.

use daybook_domain::Event;
use daybook_domain::event::Schema;

use crate::chosen;

/// Checks that an event that decodes has one canonical form, which decodes to the same event, and that no other bytes
/// are accepted as this form.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some((name, data)) = chosen(data) else { return };
    let mut schemas = Event::schemas().chain(Event::outdated());
    let is_meant = |(schema, known): &(Schema, &str)| format!("{known} {}", schema.version) == name;
    let Some((schema, _)) = schemas.find(is_meant) else { return };
    let Ok(event) = Event::decode(schema, data, None) else { return };
    let written = event.encode().expect("what was read is written");
    let again = Event::decode(written.schema, &written.data, None).expect("what was written is read");
    assert_eq!(again, event);
    assert_eq!(again.encode().expect("written once more"), written);
    for at in 0..written.data.len().min(64) {
        changed(&event, written.schema, &written.data, at * 7 % written.data.len());
    }
}

/// Checks that a flipped bit is detected when the event is encoded again, as `log verify` does.
fn changed(event: &Event, schema: Schema, data: &[u8], at: usize) {
    let mut bytes = data.to_vec();
    bytes[at] ^= 1;
    if let Ok(other) = Event::decode(schema, &bytes, None) {
        let written = other.encode().expect("what was read is written").data;
        assert!(written != data || other == *event, "two events have one form");
        assert!(written != data || written != bytes, "a form that was changed is that of the event");
    }
}
