use daybook_domain::user::SubDocumentId;
use daybook_domain::{PlatformId, Timestamp};
use daybook_engine::Login;
use serde_json::{Value, json};

use super::*;

fn part(id: u8, group: SubDocumentGroup, document_type: &str, status: SubDocumentStatus) -> SubDocument {
    let document_type = document_type.to_owned();
    let updated_at = Timestamp::from_ms(1_700_000_002_000);
    SubDocument { id: SubDocumentId::new([id; 32]), group, document_type, status, updated_at, image: None }
}

fn user(permission: Permission, parts: Vec<SubDocument>) -> user::User {
    user::User {
        platform: PlatformId::from_u128(9),
        permitted: permission,
        is_locked: false,
        is_business: false,
        cip_tag: 1,
        profile: None,
        documents: vec![Document { id: SubDocumentId::new([1; 32]), parts, contents: None }],
        revision: 0,
        micro_deposits: None,
        retention: user::Retention::default(),
        erased: None,
        created_at: Timestamp::from_ms(1_700_000_000_000),
        updated_at: Timestamp::from_ms(1_700_000_002_000),
    }
}

fn show(user: &user::User, profile: &Profile, document_contents: &[DocumentContents]) -> Value {
    let client = Client { id: "client_id_1".to_owned(), name: "Acme".to_owned() };
    let (id, base_url) = (UserId::from_u128(1), "http://localhost:8080");
    let view =
        UserView { id, user, profile, document_contents, client: &client, refresh_token: "r1", base_url };
    serde_json::to_value(render(&view)).unwrap()
}

#[test]
fn user_record_has_the_contract_shape() {
    let parts = vec![
        part(2, SubDocumentGroup::Social, "EMAIL", SubDocumentStatus::Valid),
        part(3, SubDocumentGroup::Virtual, "SSN", SubDocumentStatus::Valid),
    ];
    let profile = Profile {
        logins: vec![Login { email: "a@b.c".to_owned(), scope: "READ".to_owned() }],
        phone_numbers: vec!["555".to_owned()],
        legal_names: vec!["Ada".to_owned()],
        supp_id: None,
    };
    let contents = DocumentContents { name: Some("Ada Lovelace".to_owned()), ..DocumentContents::default() };
    let shown = show(&user(Permission::SendAndReceive, parts), &profile, &[contents]);
    let expected = json!({
        "_id": "00000000000000000000000001",
        "_links": {"self": {"href": "http://localhost:8080/v3.1/users/00000000000000000000000001"}},
        "client": {"id": "client_id_1", "name": "Acme"},
        "doc_status": {"physical_doc": "MISSING|INVALID", "virtual_doc": "SUBMITTED|VALID"},
        "documents": [{
            "id": "01".repeat(32), "name": "Ada Lovelace", "permission_scope": "SEND-AND-RECEIVE",
            "physical_docs": [],
            "social_docs": [{
                "document_type": "EMAIL", "id": "02".repeat(32), "last_updated": 1_700_000_002_000_i64,
                "status": "SUBMITTED|VALID",
            }],
            "virtual_docs": [{
                "document_type": "SSN", "id": "03".repeat(32), "last_updated": 1_700_000_002_000_i64,
                "status": "SUBMITTED|VALID",
            }],
        }],
        "emails": [],
        "extra": {
            "cip_tag": 1, "date_joined": 1_700_000_000_000_i64, "extra_security": false, "is_business": false,
            "last_updated": 1_700_000_002_000_i64, "public_note": null, "supp_id": null,
        },
        "is_hidden": false,
        "legal_names": ["Ada"],
        "logins": [{"email": "a@b.c", "scope": "READ"}],
        "permission": "SEND-AND-RECEIVE",
        "phone_numbers": ["555"],
        "photos": [],
        "refresh_token": "r1",
    });
    assert_eq!(shown, expected);
}

#[test]
fn an_erased_person_has_no_names() {
    let parts = vec![part(2, SubDocumentGroup::Social, "EMAIL", SubDocumentStatus::Valid)];
    for contents in [&[][..], &[DocumentContents::default()]] {
        let shown = show(&user(Permission::Receive, parts.clone()), &Profile::default(), contents);
        assert_eq!(shown["documents"][0]["name"], "");
        assert_eq!((&shown["logins"], &shown["legal_names"]), (&json!([]), &json!([])));
    }
}

#[test]
fn group_status_is_that_of_worst_part() {
    use SubDocumentStatus::{Invalid, MfaPending, Reviewing, Valid};
    let table: [(&[SubDocumentStatus], &str, &str); 6] = [
        (&[], "MISSING|INVALID", "SEND-AND-RECEIVE"),
        (&[Reviewing, Valid], "MISSING|INVALID", "UNVERIFIED"),
        (&[Valid, Valid], "SUBMITTED|VALID", "SEND-AND-RECEIVE"),
        (&[Valid, MfaPending], "SUBMITTED|MFA_PENDING", "UNVERIFIED"),
        (&[MfaPending, Invalid], "SUBMITTED|INVALID", "UNVERIFIED"),
        (&[Invalid], "SUBMITTED|INVALID", "UNVERIFIED"),
    ];
    for (statuses, status, scope) in table {
        let parts = statuses.iter().map(|status| part(2, SubDocumentGroup::Physical, "GOVT_ID", *status));
        let shown = show(&user(Permission::SendAndReceive, parts.collect()), &Profile::default(), &[]);
        assert_eq!(shown["doc_status"]["physical_doc"], status, "{statuses:?}");
        assert_eq!(shown["documents"][0]["permission_scope"], scope, "{statuses:?}");
    }
}

#[test]
fn locked_users_documents_keep_their_permission() {
    let valid = part(1, SubDocumentGroup::Virtual, "SSN", SubDocumentStatus::Valid);
    let locked = user::User { is_locked: true, ..user(Permission::SendAndReceive, vec![valid]) };
    let shown = show(&locked, &Profile::default(), &[]);
    assert_eq!(shown["permission"], "LOCKED");
    assert_eq!(shown["documents"][0]["permission_scope"], "SEND-AND-RECEIVE");
}
