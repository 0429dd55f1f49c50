//! Bad input as data: calls that no honest client sends, each with the answer that it must get.
//!
//! Each file is a table with tabs between its columns; a line that begins with `#` is a comment. Columns are the name
//! of the case, the call, any number of changes to it, and the answer: status, `error_code`, and optionally the field
//! or the slug. The call is the name of a route in `tests/it/routes.rs`, which means a call with valid body and
//! credentials; or a group of routes (`every body`, [`Case::of`]); or method and path.

mod change;
mod files;
mod words;

pub(crate) use words::padded;

use std::collections::BTreeSet;

use daybook_tests::http::{Answer, send_raw};
use futures::stream::{self, StreamExt};
use serde_json::Value;

use crate::routes::{ROUTES, Route, named, slots};
use crate::town::Town;
use change::Request;

/// Number of concurrent calls.
const CONCURRENT_CALLS: usize = 16;

/// A request and the expected answer.
struct Case {
    name: String,
    request: Request,
    /// Status, `error_code`, and optionally the field or slug.
    expected: Vec<String>,
}

impl Case {
    /// The cases of one line: one for each route that its call names.
    fn of(line: &str) -> Vec<Self> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, call, changes @ .., answer] = columns.as_slice() else {
            panic!("too few columns: {line}")
        };
        let case = |place: &str, mut request: Request, field: &str| {
            for change in changes {
                request.change(change);
            }
            let expected =
                answer.split(' ').map(|word| if word == "@" { field } else { word }.to_owned()).collect();
            Self { name: format!("{name}: {place}"), request, expected }
        };
        let each = |routes: &mut dyn Iterator<Item = &'static Route>| -> Vec<Self> {
            routes.map(|route| case(route.name, Request::of(route), "")).collect()
        };
        match *call {
            "every route" => each(&mut ROUTES.iter()),
            "every body" => each(&mut ROUTES.iter().filter(|route| route.has_body())),
            "every list" => each(&mut ROUTES.iter().filter(|route| route.is_list())),
            // The change is the value for each text field.
            "every text" => {
                let texts = ROUTES
                    .iter()
                    .flat_map(|route| route.texts.split_whitespace().map(move |text| (route, text)));
                let case = |(route, pointer): (&'static Route, &str)| {
                    let place = format!("{} {pointer}", route.name);
                    case(&place, Request::at(route, pointer), &field(pointer))
                };
                texts.map(case).collect()
            }
            // The change is the value for each id in a path.
            "every id" => {
                let ids = ROUTES
                    .iter()
                    .flat_map(|route| slots(route.path()).into_iter().map(move |id| (route, id)));
                let case = |(route, id): (&'static Route, &str)| {
                    case(&format!("{} {id}", route.name), Request::of_id(route, id), "")
                };
                ids.map(case).collect()
            }
            // The change is the method. Paths that have this method are left out.
            "every address" => {
                let method = changes[0].trim_start_matches("method ");
                let has_it = |path: &str| ROUTES.iter().any(|route| route.call == format!("{method} {path}"));
                let paths: BTreeSet<_> =
                    ROUTES.iter().map(Route::path).filter(|path| !has_it(path)).collect();
                let route = |path: &&str| ROUTES.iter().find(|route| route.path() == *path);
                each(&mut paths.iter().filter_map(route))
            }
            "raw" => vec![case("", Request::Raw(String::new()), "")],
            _ if call.contains('/') => vec![case(call, Request::to(call), "")],
            _ => vec![case(call, Request::of(named(call)), "")],
        }
    }

    /// Description of the difference between the answer and the expected one, if any.
    fn judge(&self, answer: Option<&Answer>) -> Option<String> {
        let Some(answer) = answer else { return Some(format!("{}: no answer", self.name)) };
        let fits = told(answer).is_some_and(|[status, code, field, slug]| match self.expected.as_slice() {
            [wanted, as_code] => [wanted, as_code] == [&status, &code],
            [wanted, as_code, what] => [wanted, as_code] == [&status, &code] && [field, slug].contains(what),
            _ => panic!("{}: status, error_code, and field or slug", self.name),
        });
        // No answer may repeat the input.
        let repeats = answer.text().contains("canary");
        (!fits || repeats).then(|| {
            let (name, expected) = (&self.name, self.expected.join(" "));
            format!("{name}: {expected} rather than {} {:.300}", answer.status, answer.text())
        })
    }
}

/// Converts a JSON pointer to the name of the field in answers.
fn field(pointer: &str) -> String {
    let parts = pointer.trim_start_matches('/').split('/');
    let add = |path: String, part: &str| match part.parse::<usize>() {
        Ok(index) => format!("{path}[{index}]"),
        Err(_) if path.is_empty() => part.to_owned(),
        Err(_) => format!("{path}.{part}"),
    };
    parts.fold(String::new(), add)
}

/// Status, `error_code`, field and slug of a refusal, if it has the shape of the API contract.
fn told(answer: &Answer) -> Option<[String; 4]> {
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    let text = |pointer: &str| body.pointer(pointer)?.as_str().map(str::to_owned);
    let is_json = answer.headers.get("content-type").is_some_and(|kind| kind == "application/json");
    let is_refusal = (400..500).contains(&answer.status) && body["success"] == false;
    text("/error/en").filter(|text| is_json && is_refusal && !text.is_empty())?;
    let status = text("/http_code").filter(|status| *status == answer.status.to_string())?;
    Some([status, text("/error_code")?, text("/error/field").unwrap_or_default(), text("/error/code")?])
}

/// Sends every case of a file. Fails with the list of all unexpected answers, or if anything was recorded.
async fn bad_input_is_refused_in_contract_shape(table: &str) {
    let town = Town::new().await;
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cases: Vec<Case> = lines.flat_map(Case::of).collect();
    let before = town.state().await;
    let judged = stream::iter(&cases).map(async |case| {
        let bytes = case.request.bytes(&town);
        case.judge(send_raw(town.app.address, &bytes).await.as_ref())
    });
    let wrong: Vec<String> =
        judged.buffer_unordered(CONCURRENT_CALLS).filter_map(async |wrong| wrong).collect().await;
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert_eq!(town.state().await, before, "something was recorded");
    town.is_well().await;
}

macro_rules! files {
    ($($test:ident $file:literal)*) => {$(
        #[tokio::test]
        async fn $test() {
            bad_input_is_refused_in_contract_shape(include_str!($file)).await;
        }
    )*};
}

files! {
    audit_call_beyond_log_is_refused "audit.tsv"
    body_without_valid_json_is_refused "bodies.tsv"
    field_of_wrong_type_is_refused "fields.tsv"
    invalid_header_is_refused "headers.tsv"
    malformed_http_is_refused "http.tsv"
    unknown_id_is_not_found "ids.tsv"
    query_out_of_range_is_refused "lists.tsv"
    other_media_type_is_refused "media.tsv"
    unsupported_method_is_refused "methods.tsv"
    number_out_of_range_is_refused "numbers.tsv"
    oversized_body_is_refused "sizes.tsv"
    invalid_text_is_refused "texts.tsv"
}
