//! Paths and queries. Input: the target of a request, path and query.

use std::str::FromStr;

use actix_web::dev::Service;
use actix_web::test::{TestRequest, init_service};
use actix_web::{App, HttpRequest, rt};
use daybook_api::query::Query;
use daybook_api::routes;
use daybook_api::wire::event::Cursor;
use daybook_api::wire::moment;
use daybook_api::wire::statement::StatementId;
use daybook_api::wire::text::{MAX_CHARS, digits};
use daybook_domain::{NodeId, PlatformId};

/// Names of parameters of some lists.
const NAMES: [&str; 6] = ["page", "per_page", "query", "at", "show_refresh_tokens", "currency"];

/// Checks that every id has one spelling, that parameters are read as written, and that no target makes the router
/// panic.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for part in text.split(['/', '?', '&', '=']) {
        one_spelling::<NodeId>(part);
        one_spelling::<PlatformId>(part);
        one_spelling::<StatementId>(part);
        if let Some(cursor) = Cursor::parse(part) {
            assert!(cursor.text().eq_ignore_ascii_case(part), "{part:?}");
        }
        let _ = moment::parse(part);
        assert!(digits(part).is_none_or(|_| part.bytes().all(|byte| byte.is_ascii_digit())), "{part:?}");
    }
    // An invalid target is refused before the routing.
    let target = format!("/{}", text.trim_start_matches('/'));
    if target.parse::<actix_web::http::Uri>().is_ok() {
        asked(&TestRequest::with_uri(&target).to_http_request());
        routed(&target);
    }
}

fn one_spelling<T: FromStr + ToString>(text: &str) {
    if let Ok(id) = text.parse::<T>() {
        assert_eq!(id.to_string(), text);
    }
}

/// Checks that parameters are bounded, and contain only characters that the database accepts.
fn asked(request: &HttpRequest) {
    let query = Query::of(request);
    for name in NAMES {
        let _ = query.flag(name);
        if let Ok(Some(number)) = query.number(name, 100) {
            assert!((1..=100).contains(&number));
        }
        for value in query.texts(name).unwrap_or_default() {
            assert!(!value.contains('\0') && value.chars().count() <= MAX_CHARS, "{name}");
            let escaped = format!("/?{name}={}", escape(&value));
            let again = TestRequest::with_uri(&escaped).to_http_request();
            assert_eq!(Query::of(&again).text(name).ok().flatten(), Some(value));
        }
    }
}

/// Escapes every byte.
fn escape(text: &str) -> String {
    text.bytes().flat_map(|byte| format!("%{byte:02X}").into_bytes()).map(char::from).collect()
}

/// Checks that the router answers. There is no service behind the handlers, so only handlers without a service succeed.
fn routed(target: &str) {
    let status = ROUTER.with(|router| router(target));
    assert!((200..600).contains(&status), "{target}: {status}");
}

/// Function that returns the status of a GET.
type Router = Box<dyn Fn(&str) -> u16>;

thread_local! {
    /// Routes without the service.
    static ROUTER: Router = {
        let system = rt::System::new();
        let app = system.block_on(init_service(App::new().configure(routes::configure)));
        Box::new(move |target| {
            let answer = app.call(TestRequest::with_uri(target).to_request());
            match system.block_on(answer) {
                Ok(answer) => answer.status().as_u16(),
                Err(error) => error.as_response_error().status_code().as_u16(),
            }
        })
    };
}
