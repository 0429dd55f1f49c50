use serde_json::{Value, json};

use super::*;

fn today() -> Day {
    "2026-06-15".parse().unwrap()
}

/// Ids that count up.
fn ids() -> Ids<'static> {
    let (mut drawn, mut attached) = (0, 0);
    let document = Box::new(move || {
        drawn += 1;
        [drawn; 32]
    });
    let attachment = Box::new(move || {
        attached += 1;
        attached
    });
    Ids { document, attachment, today: today() }
}

fn read(json: Value) -> DocumentIn {
    serde_json::from_value(json).unwrap()
}

/// Ada's document with all parts verified.
fn known() -> (Document, DocumentContents) {
    let new = read(json!({
        "email": "a@b.c", "name": "Ada", "day": 1, "month": 2, "year": 1990, "address_street": "1 Market St",
        "virtual_docs": [{"document_type": "SSN", "document_value": "2222"}],
        "physical_docs": [{"document_type": "GOVT_ID", "document_value": "data:image/png;base64,AAAA"}],
    }));
    let mut new = new.parse(&mut ids()).ok().unwrap();
    new.document.parts.iter_mut().for_each(|part| part.status = SubDocumentStatus::Valid);
    (new.document, new.contents)
}

fn merge(json: Value) -> NewDocument {
    let (document, contents) = known();
    let mut later = Ids { document: Box::new(|| [0xee; 32]), attachment: Box::new(|| 77), today: today() };
    read(json).merge(document, contents, &mut later).ok().unwrap()
}

/// Returns the types of the parts that wait for their review.
fn in_review(new: &NewDocument) -> Vec<&str> {
    let parts = new.document.parts.iter().filter(|part| part.status == SubDocumentStatus::Reviewing);
    parts.map(|part| part.document_type.as_str()).collect()
}

#[test]
fn images_are_beside_the_document() {
    let (document, contents) = known();
    assert_eq!(contents.values, [("07".repeat(32), "2222".to_owned())]);
    assert_eq!(document.parts.last().and_then(|part| part.image), Some(AttachmentId::from_u128(1)));
}

#[test]
fn changed_field_sends_dependent_parts_to_review() {
    let table = [
        (json!({"entity_scope": "Lawyer", "entity_type": "F"}), vec![]),
        (json!({"email": "a@b.c", "year": 1990, "name": "Ada"}), vec![]),
        (json!({"email": "x@b.c"}), vec!["EMAIL"]),
        (json!({"phone_number": "5", "ip": "::1"}), vec!["PHONE_NUMBER", "IP"]),
        (json!({"address_city": "Rome"}), vec!["ADDRESS"]),
        (json!({"year": 1991}), vec!["DATE", "SSN", "GOVT_ID"]),
        (json!({"name": "Eve"}), vec!["EMAIL", "PHONE_NUMBER", "IP", "ADDRESS", "DATE", "SSN", "GOVT_ID"]),
        (json!({"alias": "E"}), vec!["EMAIL", "PHONE_NUMBER", "IP", "ADDRESS", "DATE", "SSN", "GOVT_ID"]),
    ];
    for (update, expected) in table {
        assert_eq!(in_review(&merge(update.clone())), expected, "{update}");
    }
}

#[test]
fn absent_fields_stay_unchanged() {
    let new = merge(json!({"email": null, "name": "Eve"}));
    assert_eq!((new.contents.email.as_deref(), new.contents.name.as_deref()), (Some("a@b.c"), Some("Eve")));
    assert_eq!(new.contents.values, [("07".repeat(32), "2222".to_owned())]);
}

#[test]
fn resubmitted_part_replaces_the_old_one() {
    let new = merge(json!({"virtual_docs": [{"document_type": "SSN", "document_value": "1111"}]}));
    assert_eq!(in_review(&new), ["SSN"]);
    assert_eq!(new.contents.values, [("07".repeat(32), "1111".to_owned())]);
    let image = json!([{"document_type": "GOVT_ID", "document_value": "data:image/png;base64,BBBB"}]);
    let new = merge(json!({"physical_docs": image}));
    assert_eq!(new.document.parts.last().and_then(|part| part.image), Some(AttachmentId::from_u128(77)));
    assert_eq!((new.images.len(), new.document.parts.len()), (1, 7));
}

#[test]
fn part_without_value_keeps_its_value() {
    let shown = json!([{"document_type": "SSN", "id": "x", "status": "SUBMITTED|VALID"}]);
    let image = json!([{"document_type": "GOVT_ID"}]);
    let new = merge(json!({"virtual_docs": shown, "physical_docs": image}));
    assert_eq!(in_review(&new), ["SSN", "GOVT_ID"]);
    assert_eq!(new.contents.values, [("07".repeat(32), "2222".to_owned())]);
    assert_eq!(new.document.parts.last().and_then(|part| part.image), Some(AttachmentId::from_u128(1)));
}

#[test]
fn two_parts_of_one_type_both_stay() {
    let two = json!(vec![json!({"document_type": "OTHER", "document_value": "data:a/b;base64,AA=="}); 2]);
    let new = merge(json!({"physical_docs": two, "social_docs": [{"document_type": "FACEBOOK"}]}));
    assert_eq!(in_review(&new), ["FACEBOOK", "OTHER", "OTHER"]);
    assert_eq!(new.images.len(), 2);
}

#[test]
fn document_has_at_most_fifty_parts() {
    let many = |count| json!({"social_docs": vec![json!({"document_type": "FACEBOOK"}); count]});
    assert!(read(many(MAX_PARTS - BASE_PARTS.len())).parse(&mut ids()).is_ok());
    let refused = read(many(MAX_PARTS - BASE_PARTS.len() + 1)).parse(&mut ids()).err();
    assert_eq!(refused.unwrap().to_string(), "social_docs must have at most 45 entries.");
    let (some, few) = (&many(40)["social_docs"], &many(6)["social_docs"]);
    let refused = read(json!({"social_docs": some, "virtual_docs": few})).parse(&mut ids()).err();
    assert_eq!(refused.unwrap().to_string(), "body must have at most 50 parts.");
}

#[test]
fn an_image_is_a_data_uri() {
    let odd = json!({"physical_docs": [{"document_type": "GOVT_ID", "document_value": "AAAA"}]});
    let refused = serde_json::from_value::<DocumentIn>(odd).err().unwrap().to_string();
    assert_eq!(refused, "must be a data URI in base64");
}

#[test]
fn dates_are_judged_with_known_parts() {
    let merged = |json| {
        let (document, contents) = known();
        read(json).merge(document, contents, &mut ids()).map_err(|error| error.to_string())
    };
    let none = "day must be a day of its month.";
    assert!(merged(json!({"day": 28})).is_ok() && merged(json!({"day": 29, "year": 2000})).is_ok());
    for json in [json!({"day": 29}), json!({"month": 4, "day": 31}), json!({"day": 30})] {
        assert_eq!(merged(json.clone()).err().as_deref(), Some(none), "{json}");
    }
    let later = "year must be of a date that is not in the future.";
    for (json, refused) in [
        (json!({"day": 16, "month": 6, "year": 2026}), None),
        (json!({"day": 17, "month": 6, "year": 2026}), Some(later)),
        (json!({"month": 7, "year": 2026}), Some(later)),
        (json!({"year": 2027}), Some(later)),
    ] {
        assert_eq!(merged(json.clone()).err().as_deref(), refused, "{json}");
    }
    // A date that was stored before is refused only if the change names a date.
    let (document, mut contents) = known();
    contents.month = Some(13);
    assert!(read(json!({"name": "Eve"})).merge(document, contents, &mut ids()).is_ok());
}

#[test]
fn document_can_be_removed() {
    let gone = read(json!({"id": "ab", "permission_scope": "DELETE_DOCUMENT"}));
    assert!(gone.is_removal() && gone.known_id() == Some("ab"));
    assert!(!read(json!({"id": "ab", "permission_scope": "SEND-AND-RECEIVE"})).is_removal());
}
