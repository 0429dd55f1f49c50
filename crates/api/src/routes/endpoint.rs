//! Endpoints: what the attribute of a handler says of it is where the router finds it.

use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, Resource, Responder, Route, guard};
use utoipa::openapi::HttpMethod;
use utoipa::openapi::path::Parameter;

use crate::auth::{Argument, Credentials};
use crate::body::BodyLimit;
use crate::error::ApiError;

/// The path of an address, with names in place of ids: what a request came to, in few words.
#[derive(Clone, Copy)]
pub(crate) struct Pattern(pub(crate) &'static str);

/// A handler and its place.
pub(crate) struct Endpoint {
    path: String,
    method: HttpMethod,
    credentials: Option<Credentials>,
    parameters: fn() -> Vec<Parameter>,
    to: Box<dyn Fn(Route) -> Route + Send + Sync>,
    body: BodyLimit,
}

impl Endpoint {
    /// The endpoint of `handler`: its place is what `P` says, which the attribute `utoipa::path` makes for it, and its
    /// arguments tell the credentials.
    #[expect(clippy::expect_used, reason = "the attribute refuses a handler without a method")]
    pub(super) fn of<P, F, A>(handler: F) -> Self
    where
        P: utoipa::Path,
        F: Handler<A, Output: Responder + 'static> + Send + Sync,
        A: FromRequest + Argument + 'static,
    {
        let method = P::methods().into_iter().next().expect("a method");
        let to = Box::new(move |route: Route| route.to(handler.clone()));
        let (credentials, parameters) = (A::CREDENTIALS, A::parameters);
        Self { path: P::path(), method, credentials, parameters, to, body: BodyLimit::default() }
    }

    /// The same for larger bodies.
    pub(super) fn within(self, body: BodyLimit) -> Self {
        Self { body, ..self }
    }

    /// Method and path.
    pub(super) fn call(&self) -> String {
        format!("{} {}", self.method(), self.path)
    }

    /// Answers whether it has this method, in any case, and this path.
    pub(super) fn is_at(&self, method: &str, path: &str) -> bool {
        self.path == path && self.method().eq_ignore_ascii_case(method)
    }

    /// The credentials that it asks for.
    pub(crate) const fn credentials(&self) -> Option<Credentials> {
        self.credentials
    }

    /// The parameters of its query.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        (self.parameters)()
    }

    const fn method(&self) -> &'static str {
        match self.method {
            HttpMethod::Get => "GET",
            HttpMethod::Post => "POST",
            HttpMethod::Put => "PUT",
            HttpMethod::Delete => "DELETE",
            HttpMethod::Options => "OPTIONS",
            HttpMethod::Head => "HEAD",
            HttpMethod::Patch => "PATCH",
            HttpMethod::Trace => "TRACE",
        }
    }

    fn route(&self) -> Route {
        let route = match self.method {
            HttpMethod::Get => get(),
            HttpMethod::Post => web::post(),
            HttpMethod::Put => web::put(),
            HttpMethod::Delete => web::delete(),
            HttpMethod::Options => web::route().guard(guard::Options()),
            HttpMethod::Head => web::head(),
            HttpMethod::Patch => web::patch(),
            HttpMethod::Trace => web::trace(),
        };
        (self.to)(route)
    }
}

/// An address with all methods that it has.
struct Address {
    path: &'static str,
    endpoints: Vec<&'static Endpoint>,
}

/// Endpoints by their addresses, in the order in which these come first.
pub(super) struct Addresses(Vec<Address>);

impl Addresses {
    /// The addresses of what will be served as long as the process lives.
    pub(super) fn of(endpoints: &'static [Endpoint]) -> Self {
        let mut all: Vec<Address> = vec![];
        for endpoint in endpoints {
            match all.iter_mut().find(|address| address.path == endpoint.path) {
                Some(address) => address.endpoints.push(endpoint),
                None => all.push(Address { path: &endpoint.path, endpoints: vec![endpoint] }),
            }
        }
        Self(all)
    }

    /// Registers them.
    pub(super) fn configure(&self, config: &mut ServiceConfig) {
        for Address { path, endpoints } in &self.0 {
            let largest = endpoints.iter().map(|endpoint| endpoint.body.0).fold(0, usize::max);
            let resource = at(path).app_data(BodyLimit(largest));
            config.service(
                endpoints.iter().fold(resource, |resource, endpoint| resource.route(endpoint.route())),
            );
        }
    }
}

/// An address; a method that it does not have is answered 400/"410".
pub(super) fn at(path: &'static str) -> Resource {
    web::resource(path).app_data(Pattern(path)).default_service(web::to(unsupported))
}

/// A GET; a HEAD comes to the same handler, and its answer is sent without its body.
pub(super) fn get() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

async fn unsupported() -> Result<&'static str, ApiError> {
    Err(ApiError::Unsupported("method_not_supported", "This address does not support the method.".into()))
}

/// Lists handlers in the order of the router. Path, method and name stand in the attribute of each. `users::list::{list},` is
///
/// - in `all()` an endpoint: `Endpoint::of::<users::list::__path_list, _, _>(users::list::list)`, where `__path_list` is
///   what the attribute makes;
/// - in `Described` an operation of the description: `paths(users::list::list)`.
///
/// `USER` behind it is [`BodyLimit::USER`], for the whole address.
macro_rules! endpoints {
    ($($($module:ident ::)+ { $handler:ident } $($limit:ident)?),* $(,)?) => {
        fn all() -> Vec<Endpoint> {
            vec![$(
                pastey::paste!(
                    Endpoint::of::<$($module::)+ [<__path_ $handler>], _, _>($($module::)+ $handler)
                )
                $(.within(BodyLimit::$limit))?
            ),*]
        }

        /// Operations of the description, one for each handler.
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($($module::)+ $handler),*))]
        pub(crate) struct Described;
    };
}

pub(super) use endpoints;
