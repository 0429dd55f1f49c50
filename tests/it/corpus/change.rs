//! Calls and the changes that make them malformed.

use serde_json::{Value, json};

use super::words::expand;
use crate::routes::{By, Route, fill};
use crate::town::{Ids, Town};

/// Placeholder for a text that need not be JSON.
const MARK: &str = "5f0e8c1d-mark";

/// Input of a case.
pub(super) enum Request {
    /// A call with changes.
    Call(Box<Call>),
    /// Raw bytes, with the escapes `\r`, `\n` and `\0`.
    Raw(String),
}

/// A call of a route, and its differences from a valid one.
pub(super) struct Call {
    method: String,
    path: String,
    /// The route, if the table of routes has it.
    route: Option<&'static Route>,
    /// Target of a change that begins with `=`: a field of the body, or an id of the path.
    place: Place,
    /// Name of an id of the path, and the text that replaces it.
    id: Option<(String, String)>,
    body: Body,
    /// Changes to the headers. `Set` replaces earlier headers of the name, `Add` keeps them.
    headers: Vec<Header>,
}

enum Place {
    Nowhere,
    Field(String),
    Id(String),
}

enum Body {
    Good,
    Whole(String),
    /// The valid body with this text at the JSON pointer.
    With(String, String),
    /// The valid body without the value at the JSON pointer.
    Without(String),
    /// The valid body with one more member at its beginning.
    More(String),
}

enum Header {
    Set(String, String),
    Add(String, String),
    Remove(String),
}

impl Request {
    /// A valid call of a route.
    pub(super) fn of(route: &'static Route) -> Self {
        let mut call = Call::new(route.method(), route.path());
        call.route = Some(route);
        Self::Call(Box::new(call))
    }

    /// A call of a route whose field at `pointer` is to be changed.
    pub(super) fn at(route: &'static Route, pointer: &str) -> Self {
        let mut request = Self::of(route);
        if let Self::Call(call) = &mut request {
            call.place = Place::Field(pointer.to_owned());
        }
        request
    }

    /// A call of a route whose id `name` in the path is to be changed.
    pub(super) fn of_id(route: &'static Route, name: &str) -> Self {
        let mut request = Self::of(route);
        if let Self::Call(call) = &mut request {
            call.place = Place::Id(name.to_owned());
        }
        request
    }

    /// A call of any method and path, with the credentials of a user, a platform and an operator.
    pub(super) fn to(call: &str) -> Self {
        let (method, path) = call.split_once(' ').expect("method and path");
        Self::Call(Box::new(Call::new(method, path)))
    }

    /// Applies a change.
    pub(super) fn change(&mut self, change: &str) {
        match self {
            Self::Call(call) => call.change(change),
            Self::Raw(text) => change.clone_into(text),
        }
    }

    /// Bytes of the request, with the ids and credentials of the town's first person.
    pub(super) fn bytes(&self, town: &Town) -> Vec<u8> {
        match self {
            Self::Call(call) => call.bytes(town),
            Self::Raw(text) => {
                let text = text.replace("\\r", "\r").replace("\\n", "\n").replace("\\0", "\0");
                expand(&text.replace("{host}", &town.app.address.to_string()), ("", 0), &Ids::new())
            }
        }
    }
}

impl Call {
    fn new(method: &str, path: &str) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        let (place, body) = (Place::Nowhere, Body::Good);
        Self { method, path, route: None, place, id: None, body, headers: vec![] }
    }

    fn change(&mut self, change: &str) {
        let rest = |from: usize| change[from..].trim_start().to_owned();
        let pair = |text: &str, by: char| {
            let (name, value) = text.split_once(by).unwrap_or_else(|| panic!("no change: {change}"));
            (name.to_owned(), value.trim_start().to_owned())
        };
        match (change.as_bytes()[0], &self.place) {
            (b'=', Place::Field(pointer)) => self.body = Body::With(pointer.clone(), rest(1)),
            (b'=', Place::Id(name)) => self.id = Some((name.clone(), rest(1))),
            (b'/', _) => {
                let (pointer, value) = pair(change, ' ');
                self.body = Body::With(pointer, value);
            }
            (b'{', _) => {
                let (name, value) = pair(&change[1..], '}');
                self.id = Some((name, value));
            }
            (b'?', _) => self.path.push_str(change),
            (b'+', _) if change.starts_with("+\"") => self.body = Body::More(rest(1)),
            (b'+', _) => {
                let (name, value) = pair(&change[1..], ':');
                self.headers.push(Header::Add(name, value));
            }
            (b'-', _) if change.starts_with("-/") => self.body = Body::Without(rest(1)),
            (b'-', _) => self.headers.push(Header::Remove(rest(1))),
            _ if change.starts_with("body ") => self.body = Body::Whole(rest(5)),
            _ if change.starts_with("method ") => self.method = rest(7),
            _ => {
                let (name, value) = pair(change, ':');
                self.headers.push(Header::Set(name, value));
            }
        }
    }

    fn bytes(&self, town: &Town) -> Vec<u8> {
        let person = &town.people[0];
        let mut ids = person.ids.clone();
        ids.insert("gateway", person.session.client.gateway());
        ids.insert("key", person.session.oauth_key.clone());
        ids.insert("operator", town.operator.credentials());
        let good = self.route.map(|route| fill(route.body, &ids)).unwrap_or_default();
        let limit = self.route.map_or(0, |route| route.mib << 20);
        let means = |text: &str| expand(&fill(text, &ids), (&good, limit), &ids);
        let path = match &self.id {
            Some((name, value)) => self.path.replace(&format!("{{{name}}}"), value),
            None => self.path.clone(),
        };
        let body = means(&self.body(&good));
        let mut bytes = [self.method.as_bytes(), b" ", &means(&path), b" HTTP/1.1\r\n"].concat();
        for (name, value) in self.headers(town, body.len()) {
            bytes.extend([name.as_bytes(), b": ", &means(&value), b"\r\n"].concat());
        }
        [&bytes[..], b"\r\n", &body].concat()
    }

    /// Headers of a valid call, with the changes applied.
    fn headers(&self, town: &Town, length: usize) -> Vec<(String, String)> {
        let user = ("X-SP-USER", "{key}|device-1");
        let gateway = ("X-SP-GATEWAY", "{gateway}");
        let operator = ("X-SP-OPERATOR", "{operator}");
        let credentials = match self.route.map(|route| route.by) {
            None => vec![user, gateway, operator],
            Some(By::User(_)) => vec![user],
            Some(By::Gateway | By::PlatformOrPublicKey(_)) => vec![gateway],
            Some(By::Operator) => vec![operator],
            Some(By::Nobody) => vec![],
        };
        let (host, length) = (town.app.address.to_string(), length.to_string());
        let common =
            [("Host", host.as_str()), ("Content-Type", "application/json"), ("Content-Length", &length)];
        let all = common.into_iter().chain(credentials);
        let mut headers: Vec<_> = all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        for header in &self.headers {
            match header {
                Header::Add(name, value) => headers.push((name.clone(), value.clone())),
                Header::Remove(name) => headers.retain(|(known, _)| known != name),
                Header::Set(name, value) => {
                    headers.retain(|(known, _)| known != name);
                    headers.push((name.clone(), value.clone()));
                }
            }
        }
        headers
    }

    /// The changed body, in which the words between `«` and `»` are not expanded yet.
    fn body(&self, good: &str) -> String {
        match &self.body {
            Body::Good => good.to_owned(),
            Body::Whole(text) => text.clone(),
            Body::More(member) => format!("{{{member}, {}", &good[1..]),
            Body::With(pointer, text) => {
                let mut body: Value = serde_json::from_str(good).expect("JSON");
                *place(&mut body, pointer) = json!(MARK);
                body.to_string().replace(&format!("\"{MARK}\""), text)
            }
            Body::Without(pointer) => {
                let mut body: Value = serde_json::from_str(good).expect("JSON");
                let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
                let parent = body.pointer_mut(parent).and_then(Value::as_object_mut);
                parent
                    .and_then(|parent| parent.remove(name))
                    .unwrap_or_else(|| panic!("no {pointer} in {good}"));
                body.to_string()
            }
        }
    }
}

/// The value at a JSON pointer. Missing objects and lists on the way are created.
fn place<'a>(body: &'a mut Value, pointer: &str) -> &'a mut Value {
    pointer.trim_start_matches('/').split('/').fold(body, |at, part| {
        if let Ok(index) = part.parse::<usize>() {
            if !at.is_array() {
                *at = json!([null]);
            }
            return &mut at[index];
        }
        if !at.is_object() {
            *at = json!({});
        }
        &mut at[part]
    })
}
