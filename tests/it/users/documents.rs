//! Documents of a user: added, changed and removed, with effect on its permission.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::person_with;
use daybook_tests::client::Session;
use serde_json::{Value, json};

use super::{Patch, verdicts};

async fn changed(session: &Session, documents: Value) -> Value {
    session.patch(&json!({ "documents": documents })).await.ok();
    session.client.reviewed(&session.user_id).await
}

async fn without_ssn(app: &TestApp) -> Session {
    let made = app.client.create_user(&person_with("Ada", &json!([]))).await.ok();
    let id = made["_id"].as_str().expect("an id").to_owned();
    app.client.reviewed(&id).await;
    app.client.session(&id).await
}

fn id_of(user: &Value, document: usize) -> Value {
    user["documents"][document]["id"].clone()
}

#[tokio::test]
async fn later_ssn_changes_permission_to_send() {
    let app = TestApp::start().await;
    let ada = without_ssn(&app).await;
    let user = app.client.user(&ada.user_id).await;
    assert_eq!(user["permission"], "RECEIVE");
    let ssn = |value: &str| json!([{"id": id_of(&user, 0), "virtual_docs": [{"document_type": "SSN", "document_value": value}]}]);
    let with_ssn = changed(&ada, ssn("2222")).await;
    assert_eq!(with_ssn["permission"], "SEND-AND-RECEIVE");
    assert_eq!(id_of(&with_ssn, 0), id_of(&user, 0));
    let wrong = changed(&ada, ssn("1111")).await;
    assert_eq!(
        (&wrong["permission"], wrong["documents"][0]["virtual_docs"].as_array().map(Vec::len)),
        (&json!("UNVERIFIED"), Some(1))
    );
    assert_eq!(changed(&ada, ssn("2222")).await["permission"], "SEND-AND-RECEIVE");
}

#[tokio::test]
async fn changed_document_part_is_reviewed_alone() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let document = id_of(&app.client.user(&ada.user_id).await, 0);
    let moved = json!([{"id": document, "address_street": "123 Fail Address", "entity_scope": "Lawyer"}]);
    let at_once = ada.patch(&json!({ "documents": moved })).await.ok();
    let in_review: Vec<_> =
        verdicts(&at_once).into_iter().filter(|(_, status)| status.contains("REVIEWING")).collect();
    assert_eq!(in_review, [("ADDRESS", "SUBMITTED|REVIEWING")]);
    assert_eq!(at_once["permission"], "SEND-AND-RECEIVE");
    let after = app.client.reviewed(&ada.user_id).await;
    assert_eq!(after["permission"], "UNVERIFIED");
    assert!(verdicts(&after).contains(&("ADDRESS", "SUBMITTED|INVALID")));
}

#[tokio::test]
async fn document_can_be_added_and_removed() {
    let app = TestApp::start().await;
    let ada = without_ssn(&app).await;
    let mut business =
        person_with("Ada", &json!([{"document_type": "SSN", "document_value": "2222"}]))["documents"][0]
            .clone();
    business["name"] = json!("Ada Inc.");
    let two = changed(&ada, json!([business])).await;
    assert_eq!(
        (&two["permission"], &two["documents"][1]["name"]),
        (&json!("SEND-AND-RECEIVE"), &json!("Ada Inc."))
    );
    let back = json!([{"id": id_of(&two, 1), "permission_scope": "DELETE_DOCUMENT"}]);
    let one = changed(&ada, back.clone()).await;
    assert_eq!((&one["permission"], one["documents"].as_array().map(Vec::len)), (&json!("RECEIVE"), Some(1)));
    ada.patch(&json!({ "documents": back })).await.refused(404, "404");
}

#[tokio::test]
async fn document_images_are_accepted_and_reviewed() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let document = id_of(&app.client.user(&ada.user_id).await, 0);
    let image = |value: &str| json!([{"id": document, "physical_docs": [{"document_type": "GOVT_ID", "document_value": value}]}]);
    let after = changed(&ada, image("data:text/csv;base64,SUQs==")).await;
    let shown = after["documents"][0]["physical_docs"][0].as_object().expect("a part").clone();
    assert_eq!(shown.keys().collect::<Vec<_>>(), ["document_type", "id", "last_updated", "status"]);
    assert_eq!(
        (shown["status"].as_str(), &after["doc_status"]["physical_doc"]),
        (Some("SUBMITTED|VALID"), &json!("SUBMITTED|VALID"))
    );
    assert_eq!(after["permission"], "SEND-AND-RECEIVE");
    for bad in ["SUQs", "data:text/csv;base64,%%%", "data:text/csv;base64,", ""] {
        ada.patch(&json!({ "documents": image(bad) })).await.refused(400, "200");
    }
}
