use actix_web::test::TestRequest;
use actix_web::{App, HttpResponse, test as http, web};
use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
struct Outer {
    list: Vec<Inner>,
    #[serde(default)]
    day: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct Inner {
    id: String,
}

fn field_of(json: impl Into<Vec<u8>>) -> (String, String) {
    match Body::from(Bytes::from(json.into())).json::<Outer>() {
        Err(ApiError::Invalid { field, text }) => (field.into_owned(), text.into_owned()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn invalid_json_is_explained_without_repeating_it() {
    let table: &[(&str, &str, &str)] = &[
        ("", "body", "must be JSON, and is empty"),
        ("[", "body", "must be an object"),
        (r#" [[{"id": "a"}], 5]"#, "body", "must be an object"),
        ("{", "body", "is not JSON at line 1, column 1"),
        ("\u{feff}{}", "body", "is not JSON at line 1, column 1"),
        ("{\"list\": []} x", "body", "must end where the JSON value ends"),
        (r#"{"list": [{"id": "\ud800"}]}"#, "body", "is not JSON at line 1, column 25"),
        (r#"{"list": [{"id": "\udc00 lone"}]}"#, "body", "is not JSON at line 1, column 24"),
        (r#""secret""#, "body", "must be an object"),
        ("{}", "list", "is required"),
        (r#"{"list": "secret, expected"}"#, "list", "must be an array"),
        (r#"{"list": [{}]}"#, "list[0].id", "is required"),
        (r#"{"list": [{"id": "a"}, {"id": 5}]}"#, "list[1].id", "must be a string"),
        (r#"{"list": [], "day": "secret"}"#, "day", "must be an integer within its range"),
        (r#"{"list": [], "day": 1.5}"#, "day", "must be an integer within its range"),
        (r#"{"list": [], "day": 9223372036854775808}"#, "day", "must be an integer within its range"),
        (r#"{"list": [], "list": []}"#, "list", "must be given once"),
        (r#"{"list": [], "secret": }"#, "body", "is not JSON at line 1, column 24"),
    ];
    for (json, field, text) in table {
        assert_eq!(field_of(*json), ((*field).to_owned(), (*text).to_owned()), "{json}");
    }
    assert_eq!(field_of(b"{\"list\": [\"\xff\"]}").1, "must be UTF-8");
}

#[test]
fn deep_nesting_is_refused_in_unknown_fields() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let ignored = |levels| format!(r#"{{"list": [], "other": {}}}"#, nested(levels));
    assert_eq!(field_of(nested(20_000)).1, "is nested too deeply");
    assert_eq!(field_of(ignored(20_000)).1, "is nested too deeply");
    assert_eq!(field_of(ignored(128)).1, "is nested too deeply");
    assert!(Body::from(Bytes::from(ignored(127))).json::<Outer>().is_ok());
}

#[test]
fn unknown_fields_are_ignored() {
    let body = Body::from(Bytes::from(r#"{"list": [{"id": "a", "x": {}}], "day": null, "y": 1}"#));
    let outer: Outer = body.json().unwrap();
    assert_eq!((outer.list[0].id.as_str(), outer.day), ("a", None));
}

#[test]
fn fingerprint_is_sha256_of_the_bytes() {
    let hex = hex::encode(Body::from(Bytes::from("abc")).fingerprint());
    assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

async fn status_of(request: TestRequest) -> u16 {
    let length = |body: Body| async move { HttpResponse::Ok().body(body.bytes.len().to_string()) };
    let small = web::resource("/").app_data(BodyLimit(10)).to(length);
    let app = http::init_service(App::new().service(small)).await;
    http::call_service(&app, request.uri("/").to_request()).await.status().as_u16()
}

#[actix_web::test]
async fn size_and_media_type_are_checked() {
    let post = |body: &'static str| TestRequest::post().set_payload(body);
    let typed = |body, content_type| post(body).insert_header(("content-type", content_type));
    assert_eq!(status_of(post("0123456789")).await, 200);
    assert_eq!(status_of(post("0123456789a")).await, 413);
    assert_eq!(status_of(typed("{}", "Application/JSON; charset=utf-8")).await, 200);
    assert_eq!(status_of(typed("{}", "text/plain")).await, 415);
    assert_eq!(status_of(typed("", "text/plain")).await, 200);
    assert_eq!(status_of(typed("{}", "application/jsonx")).await, 415);
    assert_eq!(status_of(post("{}").insert_header(("content-encoding", "gzip"))).await, 415);
}
