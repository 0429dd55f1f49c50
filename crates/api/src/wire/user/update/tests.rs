use serde_json::{Value, json};

use super::*;
use crate::body::Body;

fn parse(json: &Value) -> Result<UserUpdate, String> {
    let body = Body::from(actix_web::web::Bytes::from(json.to_string()));
    let update = body.json::<UpdateUser>().and_then(UpdateUser::parse);
    update.map_err(|error| error.to_string())
}

fn profile() -> Profile {
    let login = |email: &str, scope: &str| Login { email: email.to_owned(), scope: scope.to_owned() };
    Profile {
        logins: vec![login("a@b.c", "READ_AND_WRITE")],
        phone_numbers: vec!["555".to_owned()],
        legal_names: vec!["Ada".to_owned()],
        supp_id: Some("s".to_owned()),
    }
}

fn applied(update: &Value) -> Result<Profile, String> {
    let update = parse(&json!({ "update": update })).unwrap().profile.unwrap();
    update.apply(profile()).map_err(|error| error.to_string())
}

fn logins(profile: &Profile) -> Vec<(&str, &str)> {
    profile.logins.iter().map(|login| (login.email.as_str(), login.scope.as_str())).collect()
}

#[test]
fn profile_entries_are_added_and_removed() {
    let new = applied(&json!({
        "login": {"email": "x@y.z", "password": "letmein", "read_only": true},
        "phone_number": "777", "legal_name": "Eve", "cip_tag": 3,
    }));
    let new = new.unwrap();
    assert_eq!(logins(&new), [("a@b.c", "READ_AND_WRITE"), ("x@y.z", "READ")]);
    assert_eq!(
        (new.phone_numbers, new.legal_names),
        (vec!["555".into(), "777".into()], vec!["Ada".into(), "Eve".into()])
    );
    assert_eq!(new.supp_id.as_deref(), Some("s"));
    let swapped = applied(&json!({
        "login": {"email": "x@y.z"}, "remove_login": {"email": "a@b.c"},
        "phone_number": "777", "remove_phone_number": "555",
        "legal_name": "Eve", "remove_legal_name": "Ada",
    }));
    let swapped = swapped.unwrap();
    assert_eq!(logins(&swapped), [("x@y.z", "READ_AND_WRITE")]);
    assert_eq!(
        (swapped.phone_numbers, swapped.legal_names),
        (vec!["777".to_owned()], vec!["Eve".to_owned()])
    );
}

#[test]
fn redundant_update_changes_nothing() {
    let same = json!({"phone_number": "555", "legal_name": "Ada", "remove_login": {"email": "n@o.n"}});
    assert!(applied(&same).unwrap() == profile());
    let narrowed = applied(&json!({"login": {"email": "a@b.c", "read_only": true}})).unwrap();
    assert_eq!(logins(&narrowed), [("a@b.c", "READ")]);
}

#[test]
fn user_without_login_can_be_renamed() {
    let nobody = Profile { legal_names: vec!["Acme".to_owned()], ..Profile::default() };
    let update =
        parse(&json!({"update": {"legal_name": "Acme Inc.", "cip_tag": 2}})).unwrap().profile.unwrap();
    assert_eq!(update.apply(nobody).ok().unwrap().legal_names, ["Acme", "Acme Inc."]);
}

#[test]
fn last_entry_of_each_list_stays() {
    let table = [
        (json!({"remove_login": {"email": "a@b.c"}}), "logins must have 1 to 100 entries."),
        (json!({"remove_phone_number": "555"}), "phone_numbers must have 1 to 100 entries."),
        (json!({"remove_legal_name": "Ada"}), "legal_names must have 1 to 100 entries."),
    ];
    for (update, expected) in table {
        assert_eq!(applied(&update).err().as_deref(), Some(expected));
    }
}

#[test]
fn invalid_field_is_named() {
    let nothing = "body must have update, documents or permission.";
    let twice = json!([{"id": "ab", "name": "x"}, {"id": "ab", "name": "y"}]);
    let table = [
        (json!({}), nothing),
        (json!({"refresh_token": "r"}), nothing),
        (json!({"documents": []}), nothing),
        (json!({"documents": vec![json!({}); 21]}), "documents must have at most 20 entries."),
        (json!({"documents": twice}), "documents must name each document once."),
        (json!({"documents": [{"permission_scope": "DELETE_DOCUMENT"}]}), "documents[0].id is required."),
        (json!({"update": []}), "update must be an object."),
        (json!({"update": {"login": "a@b.c"}}), "update.login must be an object."),
        (json!({"update": {"cip_tag": "1"}}), "update.cip_tag must be a whole number from 0 to 2147483647."),
        (json!({"update": {"remove_login": {}}}), "update.remove_login.email is required."),
        (json!({"update": {"login": {}}}), "update.login.email is required."),
        (json!({"permission": 1}), "permission must be a string."),
    ];
    for (body, expected) in table {
        assert_eq!(parse(&body).err().as_deref(), Some(expected), "{body}");
    }
    for permission in ["SEND-AND-RECEIVE", "RECEIVE", "closed", ""] {
        let expected = "permission must be UNVERIFIED, LOCKED, CLOSED or MAKE-IT-GO-AWAY.";
        assert_eq!(
            parse(&json!({"permission": permission})).err().as_deref(),
            Some(expected),
            "{permission}"
        );
    }
    let lowered = parse(&json!({"permission": "MAKE-IT-GO-AWAY"})).unwrap();
    assert_eq!(lowered.permission, Some(Permission::MakeItGoAway));
}
