//! Places in a body, and the schemas that apply to each.

use std::collections::BTreeSet;
use std::slice::from_ref;

use serde_json::{Value, json};

use super::pool::sample;
use super::validator;

/// A property of an object or an entry of a list.
pub(super) struct Place {
    /// Steps from the outermost to the place. A number is the index in a list.
    steps: Vec<String>,
    /// All schemas that apply to the place.
    pub(super) shapes: Vec<Value>,
    /// Values of the enclosing places, for a body in which they are missing.
    outer: Vec<Value>,
}

impl Place {
    /// Name of the place in answers, such as `documents[0].ip`.
    pub(super) fn name(&self) -> String {
        named(&self.steps)
    }

    /// Name of the place in which every index of a list is `*`.
    pub(super) fn kind(&self) -> String {
        let steps: Vec<_> =
            self.steps.iter().map(|step| if step == "0" { "*".to_owned() } else { step.clone() }).collect();
        steps.join(".")
    }

    /// Value of the place in `body`.
    pub(super) fn value<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        self.steps.iter().try_fold(body, |at, step| {
            if let Ok(index) = step.parse::<usize>() { at.get(index) } else { at.get(step) }
        })
    }

    /// Copies `body` with this value at the place, or without the place. Missing enclosing values are created.
    pub(super) fn with(&self, body: &Value, value: Option<Value>) -> Value {
        let mut body = body.clone();
        let (last, before) = self.steps.split_last().expect("a step");
        let mut at = &mut body;
        for (step, outer) in before.iter().zip(&self.outer) {
            at = child(at, step);
            if at.is_null() {
                *at = outer.clone();
            }
        }
        match (value, last.parse::<usize>()) {
            (Some(value), _) => *child(at, last) = value,
            (None, Ok(index)) => drop(at.as_array_mut().map(|list| list.remove(index))),
            (None, Err(_)) => drop(at.as_object_mut().map(|map| map.remove(last))),
        }
        body
    }
}

fn child<'a>(at: &'a mut Value, step: &str) -> &'a mut Value {
    match step.parse::<usize>() {
        Ok(index) => {
            if at.get(index).is_none() {
                *at = json!([null]);
            }
            &mut at[index]
        }
        Err(_) => &mut at[step],
    }
}

fn named(steps: &[String]) -> String {
    steps.iter().fold(String::new(), |path, step| match step.parse::<usize>() {
        Ok(index) => format!("{path}[{index}]"),
        Err(_) if path.is_empty() => step.clone(),
        Err(_) => format!("{path}.{step}"),
    })
}

/// Every place that the schema describes for `body`, present or not.
pub(super) fn of(api: &Value, shape: &Value, body: &Value) -> Vec<Place> {
    let mut found = vec![];
    walk(api, from_ref(shape), body, (&[], &[]), &mut found);
    found
}

fn walk(
    api: &Value,
    shapes: &[Value],
    value: &Value,
    (steps, outer): (&[String], &[Value]),
    found: &mut Vec<Place>,
) {
    let parts = together(api, shapes, Some(value));
    let mut inner: Vec<(String, Vec<Value>)> = vec![];
    let mut add = |step: String, shape: &Value| match inner.iter_mut().find(|(known, _)| *known == step) {
        Some((_, shapes)) => shapes.push(shape.clone()),
        None => inner.push((step, vec![shape.clone()])),
    };
    for part in &parts {
        for (name, shape) in part["properties"].as_object().into_iter().flatten() {
            add(name.clone(), shape);
        }
        if let (Some(shape), true) = (part.get("items"), value.is_array()) {
            add("0".to_owned(), shape);
        }
        if let (Some(shape), Some(map)) = (part.get("additionalProperties"), value.as_object()) {
            map.keys().take(1).for_each(|key| add(key.clone(), shape));
        }
    }
    for (step, shapes) in inner {
        let there = if let Ok(index) = step.parse::<usize>() { value.get(index) } else { value.get(&step) };
        let there = there.filter(|there| !there.is_null()).cloned().unwrap_or_else(|| sample(api, &shapes));
        let steps = [steps, &[step]].concat();
        let outer_of_it = [outer, from_ref(&there)].concat();
        found.push(Place { steps: steps.clone(), shapes: flat(api, &shapes), outer: outer.to_vec() });
        walk(api, &shapes, &there, (&steps, &outer_of_it), found);
    }
}

/// The schemas and everything that they refer to, each by itself, including all alternatives.
pub(super) fn flat(api: &Value, shapes: &[Value]) -> Vec<Value> {
    together(api, shapes, None)
}

/// All schemas that apply to one value: the targets of references, and of alternatives only those that `value` fits, if
/// `value` is known and fits any.
pub(super) fn together(api: &Value, shapes: &[Value], value: Option<&Value>) -> Vec<Value> {
    let mut found = vec![];
    for shape in shapes {
        let mut own = shape.clone();
        if let Some(map) = own.as_object_mut() {
            map.retain(|name, _| {
                !["$ref", "allOf", "anyOf", "oneOf", "if", "then", "not"].contains(&name.as_str())
            });
        }
        found.push(own);
        if let Some(reference) = shape["$ref"].as_str() {
            let target = api.pointer(reference.trim_start_matches('#')).expect("a shape").clone();
            found.extend(together(api, &[target], value));
        }
        found.extend(together(api, shape["allOf"].as_array().map_or(&[], Vec::as_slice), value));
        for several in ["anyOf", "oneOf"] {
            let all = shape[several].as_array().map_or(&[][..], Vec::as_slice);
            let fit: Vec<Value> = all
                .iter()
                .filter(|one| value.is_some_and(|value| validator(api, one).is_valid(value)))
                .cloned()
                .collect();
            let not_null = |one: &&Value| one["type"] != "null" || value.is_none();
            let rest = || all.iter().filter(not_null).cloned().collect();
            found.extend(together(api, &if fit.is_empty() { rest() } else { fit }, value));
        }
    }
    found
}

/// Every kind of place that a schema describes, over all alternatives.
pub(super) fn all(api: &Value, shape: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(api, from_ref(shape), &[], &mut found);
    found
}

fn collect(api: &Value, shapes: &[Value], steps: &[String], found: &mut BTreeSet<String>) {
    for part in together(api, shapes, None) {
        let named =
            part["properties"].as_object().into_iter().flatten().map(|(name, shape)| (name.clone(), shape));
        let entries = part.get("items").map(|shape| ("*".to_owned(), shape));
        for (step, shape) in named.chain(entries) {
            let steps = [steps, &[step]].concat();
            found.insert(steps.join("."));
            collect(api, from_ref(shape), &steps, found);
        }
    }
}
