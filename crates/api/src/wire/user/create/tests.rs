use daybook_domain::user::{SubDocumentGroup, SubDocumentStatus};
use serde_json::{Value, json};

use super::*;
use crate::body::Body;

fn parse(json: &Value) -> Result<NewUser, String> {
    let body = Body::from(actix_web::web::Bytes::from(json.to_string()));
    let mut drawn = 0;
    let document = move || {
        drawn += 1;
        [drawn; 32]
    };
    let mut ids = Ids {
        document: Box::new(document),
        attachment: Box::new(|| 1),
        today: "2026-06-15".parse().unwrap(),
    };
    let user = body.json::<CreateUser>().and_then(|user| user.parse(&mut ids));
    user.map_err(|error| error.to_string())
}

/// Returns a body with `path` replaced by `value`, or removed if `value` is `None`.
fn with(pointer: &str, value: Option<Value>) -> Value {
    let mut body = json!({
        "logins": [{"email": "a@b.c"}], "phone_numbers": ["555"], "legal_names": ["Ada"],
        "documents": [{"name": "Ada", "day": 2, "virtual_docs": [{"document_type": "SSN", "document_value": "2222"}]}],
        "extra": {"supp_id": "s", "cip_tag": 12, "is_business": true}
    });
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => parent.insert(name.to_owned(), value),
        None => parent.remove(name),
    };
    body
}

#[test]
fn a_user_has_a_profile_and_documents() {
    let user = parse(&with("/other", Some(json!({"ignored": [1]})))).ok().unwrap();
    assert!(user.is_business);
    assert_eq!(user.cip_tag, 12);
    assert_eq!(user.profile.supp_id.as_deref(), Some("s"));
    assert_eq!(user.profile.logins[0].scope, "READ_AND_WRITE");
    let NewDocument { document, contents, .. } = &user.documents[0];
    assert_eq!(document.id.as_str(), "01".repeat(32));
    let parts: Vec<_> = document.parts.iter().map(|part| (part.document_type.as_str(), part.group)).collect();
    let (social, virtuals) = (SubDocumentGroup::Social, SubDocumentGroup::Virtual);
    let expected = [
        ("EMAIL", social),
        ("PHONE_NUMBER", social),
        ("IP", social),
        ("ADDRESS", social),
        ("DATE", social),
        ("SSN", virtuals),
    ];
    assert_eq!(parts, expected);
    assert!(document.parts.iter().all(|part| part.status == SubDocumentStatus::Reviewing));
    assert_eq!(contents.values, [("07".repeat(32), "2222".to_owned())]);
    assert_eq!((contents.name.as_deref(), contents.day, contents.year), (Some("Ada"), Some(2), None));
}

#[test]
fn optional_fields_may_be_null_or_absent() {
    for pointer in ["/documents", "/extra", "/extra/supp_id", "/extra/cip_tag", "/extra/is_business"] {
        assert!(parse(&with(pointer, None)).is_ok(), "{pointer}");
        assert!(parse(&with(pointer, Some(Value::Null))).is_ok(), "{pointer}");
    }
    let user = parse(&with("/extra", None)).ok().unwrap();
    assert_eq!((user.is_business, user.cip_tag, user.profile.supp_id), (false, 1, None));
    let sparse = json!([{"virtual_docs": [{"document_type": "SSN", "document_value": null}], "day": null}]);
    assert_eq!(parse(&with("/documents", Some(sparse))).ok().unwrap().documents[0].contents.values, []);
}

#[test]
fn login_may_be_read_only() {
    let table = [
        (json!({"email": "a@b.c"}), "READ_AND_WRITE"),
        (json!({"email": "a@b.c", "scope": "READ"}), "READ"),
        (json!({"email": "a@b.c", "scope": null, "read_only": true}), "READ"),
        (json!({"email": "a@b.c", "scope": "READ_AND_WRITE", "read_only": true}), "READ_AND_WRITE"),
    ];
    for (login, scope) in table {
        let user = parse(&with("/logins", Some(json!([login])))).ok().unwrap();
        assert_eq!(user.profile.logins[0].scope, scope, "{login}");
    }
}

#[test]
fn images_may_be_large() {
    let image = format!("data:image/png;base64,{}", "A".repeat(5_000));
    let documents = json!([{"physical_docs": [{"document_type": "GOVT_ID", "document_value": image}]}]);
    let user = parse(&with("/documents", Some(documents))).ok().unwrap();
    assert_eq!(user.documents[0].images[0].1.base64, "A".repeat(5_000));
}

#[test]
fn invalid_field_is_named() {
    let part = |key: &str, kind: &str| json!([{key: [{"document_type": kind, "document_value": "v"}]}]);
    let table = [
        ("/logins", None, "logins is required."),
        ("/logins", Some(json!([])), "logins must have at least one entry."),
        ("/logins", Some(json!({})), "logins must be an array."),
        ("/logins", Some(json!([{"read_only": true}])), "logins[0].email is required."),
        ("/logins", Some(json!([{"email": null}])), "logins[0].email must be a string."),
        (
            "/logins",
            Some(json!([{"email": "ada"}])),
            "logins[0].email must be an e-mail address of at most 254 characters.",
        ),
        (
            "/logins",
            Some(json!([{"email": "a@b", "scope": "ALL"}])),
            "logins[0].scope must be READ or READ_AND_WRITE.",
        ),
        ("/phone_numbers", Some(Value::Null), "phone_numbers must be an array."),
        ("/phone_numbers", Some(json!([5])), "phone_numbers[0] must be a string."),
        (
            "/phone_numbers",
            Some(json!(["5", "none"])),
            "phone_numbers[1] must be a phone number: digits, and + ( ) . - / x # and blanks between them, at most 50 \
             characters.",
        ),
        ("/legal_names", Some(json!([" "])), "legal_names[0] is required."),
        ("/legal_names", None, "legal_names is required."),
        ("/legal_names", Some(json!(["a\0b"])), "legal_names[0] must not contain NUL."),
        (
            "/legal_names",
            Some(json!(["a".repeat(1_001)])),
            "legal_names[0] must be at most 1,000 characters.",
        ),
        ("/legal_names", Some(json!(vec!["a"; 101])), "legal_names must have at most 100 entries."),
        ("/documents", Some(json!([{"day": "1"}])), "documents[0].day must be a whole number from 1 to 31."),
        ("/documents", Some(json!([{"day": 1e30}])), "documents[0].day must be a whole number from 1 to 31."),
        (
            "/documents",
            Some(json!([{}, {"day": 0}])),
            "documents[1].day must be a whole number from 1 to 31.",
        ),
        (
            "/documents",
            Some(json!([{"month": 13}])),
            "documents[0].month must be a whole number from 1 to 12.",
        ),
        (
            "/documents",
            Some(json!([{"year": 99_999_999_999_i64}])),
            "documents[0].year must be a whole number from 1000 to 9999.",
        ),
        (
            "/documents",
            Some(json!([{"day": 31, "month": 6}])),
            "documents[0].day must be a day of its month.",
        ),
        (
            "/documents",
            Some(json!([{"day": 29, "month": 2, "year": 1989}])),
            "documents[0].day must be a day of its month.",
        ),
        (
            "/documents",
            Some(json!([{"ip": "none"}])),
            "documents[0].ip must be an IP address of version 4 or 6.",
        ),
        (
            "/documents",
            Some(json!([{"address_country_code": "USA"}])),
            "documents[0].address_country_code must be two letters.",
        ),
        (
            "/documents",
            Some(json!([{"virtual_docs": [{"document_value": "v"}]}])),
            "documents[0].virtual_docs[0].document_type is required.",
        ),
        (
            "/documents",
            Some(part("social_docs", "my number is 5")),
            "documents[0].social_docs[0].document_type must be the name of a document type: 1 to 64 capitals, digits \
             and _.",
        ),
        ("/extra/is_business", Some(json!("YES")), "extra.is_business must be a boolean."),
        ("/extra/cip_tag", Some(json!(1.5)), "extra.cip_tag must be a whole number from 0 to 2147483647."),
    ];
    for (pointer, value, expected) in table {
        assert_eq!(
            parse(&with(pointer, value.clone())).err().as_deref(),
            Some(expected),
            "{pointer} {value:?}"
        );
    }
}
