//! Credentials and parameters that an endpoint requires, derived from the types of its handler's arguments.

use actix_web::{HttpRequest, web};
use daybook_engine::access::Scope;
use utoipa::openapi::path::Parameter;

use super::{Caller, Gateway, Operator, PlatformOrPublicKey, RequiredScope, Sandbox};
use crate::app::App;
use crate::body::{Body, Upload};
use crate::in_query::{InQuery, Parameters, described};
use crate::page::Page;
use crate::path::InPath;

/// Credentials that an endpoint requires.
#[derive(Clone, Copy)]
pub(crate) enum Credentials {
    /// A platform's client id and secret. With a scope, a public key that has this scope is accepted as well.
    Platform(Option<Scope>),
    /// A user's OAuth key with this scope.
    User(Scope),
    /// An operator's id and secret.
    Operator,
}

/// An argument of a handler, or the tuple of all its arguments.
pub(crate) trait Argument {
    /// Credentials that the argument is read from; `None` if it needs none.
    const CREDENTIALS: Option<Credentials> = None;

    /// Returns the query parameters that the argument is read from.
    fn parameters() -> Vec<Parameter> {
        vec![]
    }
}

impl Argument for web::Data<App> {}
impl Argument for HttpRequest {}
impl Argument for Body {}
impl Argument for Upload {}
impl<T> Argument for InPath<T> {}

impl Argument for Page {
    fn parameters() -> Vec<Parameter> {
        described::<Self>()
    }
}

impl<T: Parameters> Argument for InQuery<T> {
    fn parameters() -> Vec<Parameter> {
        described::<T>()
    }
}

impl Argument for Gateway {
    const CREDENTIALS: Option<Credentials> = Some(Credentials::Platform(None));
}

impl Argument for Sandbox {
    const CREDENTIALS: Option<Credentials> = Gateway::CREDENTIALS;
}

impl<N: RequiredScope> Argument for PlatformOrPublicKey<N> {
    const CREDENTIALS: Option<Credentials> = Some(Credentials::Platform(Some(N::SCOPE)));
}

impl<N: RequiredScope> Argument for Caller<N> {
    const CREDENTIALS: Option<Credentials> = Some(Credentials::User(N::SCOPE));
}

impl Argument for Operator {
    const CREDENTIALS: Option<Credentials> = Some(Credentials::Operator);
}

/// Returns the credentials of the first argument that needs any.
const fn first(of: &[Option<Credentials>]) -> Option<Credentials> {
    match of {
        [] => None,
        [None, rest @ ..] => first(rest),
        [found, ..] => *found,
    }
}

macro_rules! arguments {
    ($(($($argument:ident),*))*) => {$(
        impl<$($argument: Argument),*> Argument for ($($argument,)*) {
            const CREDENTIALS: Option<Credentials> = first(&[$($argument::CREDENTIALS),*]);

            fn parameters() -> Vec<Parameter> {
                let all: &[Vec<Parameter>] = &[$($argument::parameters()),*];
                all.concat()
            }
        }
    )*};
}

arguments! { () (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) }
