//! Calls derived from the description: valid and invalid values for every property of every body and for every
//! parameter. The service must never refuse a valid value as malformed, must refuse every invalid value with the name
//! of the field, and must never answer 5xx.

mod bases;
mod exceptions;
mod parameters;
mod places;
mod pool;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use daybook_tests::http::{Answer, Call};
use futures::stream::{self, StreamExt};
use jsonschema::Validator;
use serde_json::{Value, json};

use super::{description, operation};
use crate::routes::{ROUTES, Route};
use crate::town::Town;
use exceptions::Exceptions;

/// Number of concurrent calls.
const CONCURRENT_CALLS: usize = 8;

/// Number of retries of a call that was answered with 503.
const AGAIN: usize = 5;

/// Validator for a schema of the description, including the formats of texts.
fn validator(api: &Value, shape: &Value) -> Validator {
    let whole = json!({"components": api["components"], "allOf": [shape]});
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&whole).unwrap_or_else(|error| panic!("{error}"))
}

/// Schema of a route's body.
fn shape<'a>(api: &'a Value, route: &Route) -> Option<&'a Value> {
    operation(api, route)["requestBody"]["content"].get("application/json").map(|content| &content["schema"])
}

/// A body in which one property has another value or is missing.
struct Case {
    route: &'static Route,
    place: String,
    what: String,
    body: Value,
    is_valid: bool,
}

fn cases(api: &Value, town: &Town, route: &'static Route, shape: &Value) -> Vec<Case> {
    let is_valid = validator(api, shape);
    let bases = bases::of(route, &town.people[0].ids);
    let (mut found, mut tried) = (vec![], BTreeSet::new());
    for base in &bases {
        let wrong: Vec<_> = is_valid.iter_errors(base).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{}: {base} is no body: {wrong:?}", route.name);
        for place in places::of(api, shape, base) {
            // A place that was already tried with another base is skipped.
            if !tried.insert((place.name(), place.shapes.iter().map(Value::to_string).collect::<Vec<_>>())) {
                continue;
            }
            for value in pool::of(&place, base) {
                let body = place.with(base, value.clone());
                let what = value.map_or("nothing".to_owned(), |value| format!("{value:.60}"));
                let is_valid = is_valid.is_valid(&body);
                found.push(Case { route, place: place.name(), what, body, is_valid });
            }
        }
    }
    found
}

impl Case {
    /// Sends the body, as a dry run where the route supports that.
    async fn send(&self, town: &Town) -> Answer {
        let call = || town.call(self.route, &town.people[0], &town.people[0].ids).json(&self.body);
        let path = call().line().split_once(' ').expect("a method").1.to_owned();
        let dry = patient(call().at(&format!("{path}?dry_run=true"))).await;
        let is_about_it =
            |answer: &Answer| answer.status == 400 && answer.json()["error"]["field"] == "dry_run";
        if is_about_it(&dry) { patient(call()).await } else { dry }
    }

    /// Result of the call. In a batch, each entry has its own result.
    fn outcome(&self, answer: &Answer) -> Value {
        let body = if answer.body.is_empty() { Value::Null } else { answer.json() };
        match self.place.strip_prefix("transactions[0]") {
            Some(_) if answer.status == 200 && body["trans"][0].get("error").is_some() => {
                let mut outcome = body["trans"][0].clone();
                let field = outcome["error"]["field"].as_str().map(|field| match field {
                    "body" => "transactions[0]".to_owned(),
                    field => format!("transactions[0].{field}"),
                });
                outcome["error"]["field"] = field.into();
                outcome
            }
            _ => body,
        }
    }

    /// Description of the difference between the answer and the description, if any.
    fn judge(&self, answer: &Answer, exceptions: &Exceptions) -> Option<String> {
        let outcome = self.outcome(answer);
        let (status, code) = (outcome["http_code"].as_str().unwrap_or_default(), &outcome["error_code"]);
        let field = outcome["error"]["field"].as_str().unwrap_or_default();
        let is_refused = status.starts_with('4') && outcome["success"] == false;
        let is_malformed = is_refused && code == "200";
        let is_right = if self.is_valid {
            !is_malformed && !status.starts_with('5')
        } else {
            is_refused && names(field, &self.place) && outcome["error"]["en"].is_string()
        };
        let is_excepted = !is_right
            && answer.status < 500
            && exceptions.excuse(self.route.name, &self.place, self.is_valid);
        let called = if self.is_valid { "valid" } else { "invalid" };
        let told = || {
            let (name, place, what) = (self.route.name, &self.place, &self.what);
            format!("{name} {place}: {what} is called {called}: {} {:.200}", answer.status, answer.text())
        };
        (!is_right && !is_excepted).then(told)
    }
}

/// Returns true if `field` names `place`, or a place around it or in it.
fn names(field: &str, place: &str) -> bool {
    let is_in = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    // A list of one entry may also be written as the bare entry, and answers name it so.
    let (field, place) = (&field.replace("[0]", ""), &place.replace("[0]", ""));
    let is_at_the_top = !place.contains('.');
    is_in(field, place) || !field.is_empty() && is_in(place, field) || is_at_the_top && field == "body"
}

#[tokio::test]
async fn bodies_are_accepted_or_refused_as_described() {
    let (town, api) = (Town::new().await, description());
    let exceptions = Exceptions::default();
    let cases: Vec<Case> = ROUTES
        .iter()
        .filter_map(|route| Some((route, shape(&api, route)?)))
        .flat_map(|(route, shape)| cases(&api, &town, route, shape))
        .collect();
    let judged = stream::iter(&cases).map(async |case| case.judge(&case.send(&town).await, &exceptions));
    let wrong: Vec<String> =
        judged.buffer_unordered(CONCURRENT_CALLS).filter_map(async |wrong| wrong).collect().await;
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    exceptions.are_needed("body");
    // Each property is tried with at least one valid and one invalid value.
    let mut tried: BTreeMap<(&str, String), BTreeSet<bool>> = BTreeMap::new();
    for case in &cases {
        tried.entry((case.route.name, case.place.clone())).or_default().insert(case.is_valid);
    }
    let lopsided: Vec<_> =
        tried.into_iter().filter(|(_, tried)| tried.len() < 2).map(|(place, _)| place).collect();
    assert!(lopsided.is_empty(), "tried in one way only: {lopsided:#?}");
}

#[tokio::test]
async fn every_body_property_is_tried() {
    let (town, api) = (Town::new().await, description());
    let mut left_out = vec![];
    for (route, shape) in ROUTES.iter().filter_map(|route| Some((route, shape(&api, route)?))) {
        let bases = bases::of(route, &town.people[0].ids);
        let tried: BTreeSet<String> =
            bases.iter().flat_map(|base| places::of(&api, shape, base)).map(|place| place.kind()).collect();
        let all = places::all(&api, shape);
        left_out.extend(all.difference(&tried).map(|place| format!("{} {place}", route.name)));
    }
    assert!(left_out.is_empty(), "{left_out:#?}");
}

#[tokio::test]
async fn parameters_are_accepted_or_refused_as_described() {
    let (town, api) = (Town::new().await, description());
    let exceptions = Exceptions::default();
    let cases: Vec<_> = ROUTES.iter().flat_map(|route| parameters::cases(&api, route)).collect();
    let judged =
        stream::iter(&cases).map(async |case| case.judge(&patient(case.call(&town)).await, &exceptions));
    let wrong: Vec<String> =
        judged.buffer_unordered(CONCURRENT_CALLS).filter_map(async |wrong| wrong).collect().await;
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    exceptions.are_needed("parameter");
}

/// Sends a call and retries it after 503, which depends on the load of the machine and not on the call.
async fn patient(call: Call) -> Answer {
    for _ in 0..AGAIN {
        let answer = call.clone().send().await;
        if answer.status != 503 {
            return answer;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    call.send().await
}

/// A valid call of a route.
fn right(town: &Town, route: &Route) -> Call {
    town.call(route, &town.people[0], &town.people[0].ids)
}
