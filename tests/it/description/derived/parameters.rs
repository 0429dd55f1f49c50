//! Query parameters and the idempotency key.

use daybook_tests::http::{Answer, Call};
use serde_json::Value;

use super::exceptions::Exceptions;
use super::places::flat;
use super::{right, validator};
use crate::description::operation;
use crate::routes::Route;
use crate::town::Town;

/// Values that are tried with every parameter.
const VALUES: [&str; 16] = [
    "",
    " ",
    "x",
    "0",
    "1",
    "-1",
    "30",
    "31",
    "100",
    "101",
    "1.5",
    "true",
    "YES",
    "USD",
    "2026-01-01",
    "4294967296",
];

/// A call in which one parameter has this value.
pub(super) struct Case {
    route: &'static Route,
    name: String,
    is_header: bool,
    value: String,
    is_valid: bool,
}

/// All cases for the parameters of a route.
pub(super) fn cases(api: &Value, route: &'static Route) -> Vec<Case> {
    let said = operation(api, route)["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    let said = said.iter().map(|said| match said["$ref"].as_str() {
        Some(reference) => api.pointer(reference.trim_start_matches('#')).expect("a parameter"),
        None => said,
    });
    let looked_at = said.filter(|said| said["in"] != "path");
    looked_at.flat_map(|said| of_one(api, route, said)).collect()
}

fn of_one(api: &Value, route: &'static Route, said: &Value) -> Vec<Case> {
    let shape = &said["schema"];
    let is_valid = validator(api, shape);
    let is_text = shape["type"] == "string";
    let mut values: Vec<String> = VALUES.map(str::to_owned).into();
    for shape in flat(api, std::slice::from_ref(shape)) {
        let listed = shape["enum"].as_array().into_iter().flatten().take(3).filter_map(Value::as_str);
        values.extend(listed.map(str::to_owned));
    }
    values.extend(["x".repeat(1_000), "x".repeat(1_001)]);
    let read = |text: &str| match serde_json::from_str::<Value>(text) {
        Ok(value) if !is_text => value,
        _ => Value::from(text),
    };
    let is_header = said["in"] == "header";
    let name = said["name"].as_str().expect("a name");
    // Blanks around a header's value are not part of it.
    let values = values.into_iter().filter(|value| !is_header || value != " ");
    let case = |value: String| {
        let is_valid = is_valid.is_valid(&read(&value));
        Case { route, name: name.to_owned(), is_header, value, is_valid }
    };
    values.map(case).collect()
}

impl Case {
    /// The call of the table of routes with this parameter.
    pub(super) fn call(&self, town: &Town) -> Call {
        let call = right(town, self.route);
        if self.is_header {
            return call.header(&self.name, &self.value);
        }
        let path = call.line().split_once(' ').expect("a method").1.to_owned();
        let encoded = self.value.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
        let rest = required(self.route).iter().filter(|(name, _)| *name != self.name);
        let rest = rest.map(|(name, value)| format!("&{name}={value}")).collect::<Vec<_>>().concat();
        call.at(&format!("{path}?{}={encoded}{rest}", self.name))
    }

    /// Description of the difference between the answer and the description, if any.
    pub(super) fn judge(&self, answer: &Answer, exceptions: &Exceptions) -> Option<String> {
        let is_json = answer.headers.get("content-type").is_some_and(|kind| kind == "application/json");
        let body = if is_json { answer.json() } else { Value::Null };
        let names_it = body["error"]["field"] == self.name.as_str();
        let is_malformed = answer.status == 400 && body["error_code"] == "200" && names_it;
        let is_right = if self.is_valid {
            !is_malformed && answer.status < 500
        } else {
            (400..500).contains(&answer.status) && names_it
        };
        if is_right || answer.status < 500 && exceptions.excuse(self.route.name, &self.name, self.is_valid) {
            return None;
        }
        let (route, name, value, status) = (self.route.name, &self.name, &self.value, answer.status);
        Some(format!(
            "{route} {name}={value:.60} (valid: {}): {status} {:.200}",
            self.is_valid,
            answer.text()
        ))
    }
}

/// Other parameters that a route requires.
fn required(route: &Route) -> &'static [(&'static str, &'static str)] {
    match route.name {
        "client.public_key" => &[("issue_public_key", "YES"), ("scope", "USER|GET")],
        "audit.consistency" | "audit.shard.consistency" => &[("from", "1"), ("to", "1")],
        _ => &[],
    }
}
