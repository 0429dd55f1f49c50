//! Endpoints: the router and the description both take path and method from the attribute of the handler.

use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, Resource, Responder, Route, guard};
use utoipa::openapi::HttpMethod;
use utoipa::openapi::path::Parameter;

use crate::auth::{Argument, Credentials};
use crate::body::BodyLimit;
use crate::error::ApiError;

/// Pattern of a route: a path with names in place of ids. Used in logs and metrics.
#[derive(Clone, Copy)]
pub(crate) struct Pattern(pub(crate) &'static str);

/// A handler with its method and path.
pub(crate) struct Endpoint {
    path: String,
    method: HttpMethod,
    credentials: Option<Credentials>,
    parameters: fn() -> Vec<Parameter>,
    to: Box<dyn Fn(Route) -> Route + Send + Sync>,
    body: BodyLimit,
}

impl Endpoint {
    /// Makes the endpoint of `handler`. Method and path come from `P`, which the attribute `utoipa::path` generates;
    /// the credentials come from the types of the handler's arguments.
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

    /// Sets another limit for bodies.
    pub(super) fn within(self, body: BodyLimit) -> Self {
        Self { body, ..self }
    }

    /// Returns method and path.
    pub(super) fn call(&self) -> String {
        format!("{} {}", self.method(), self.path)
    }

    /// Returns true if the endpoint has this method, in any case, and this path.
    pub(super) fn is_at(&self, method: &str, path: &str) -> bool {
        self.path == path && self.method().eq_ignore_ascii_case(method)
    }

    /// Returns the credentials that the endpoint requires.
    pub(crate) const fn credentials(&self) -> Option<Credentials> {
        self.credentials
    }

    /// Returns the query parameters of the endpoint.
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

/// A path with the endpoints of all its methods.
struct Address {
    path: &'static str,
    endpoints: Vec<&'static Endpoint>,
}

/// Endpoints by path, in the order of the first endpoint of each path.
pub(super) struct Addresses(Vec<Address>);

impl Addresses {
    /// Groups endpoints, which are served until the process ends, by path.
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

    /// Registers all paths.
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

/// Makes the resource at `path`. A method that it does not have is answered 400/"410".
pub(super) fn at(path: &'static str) -> Resource {
    web::resource(path).app_data(Pattern(path)).default_service(web::to(unsupported))
}

/// Makes a GET route. HEAD is routed to the same handler; the server omits the body.
pub(super) fn get() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

async fn unsupported() -> Result<&'static str, ApiError> {
    Err(ApiError::Unsupported("method_not_supported", "This address does not support the method.".into()))
}

/// Lists handlers in the order of the router. Path, method and name are in the attribute of each handler.
/// `users::list::{list},` expands to
///
/// - an endpoint in `all()`: `Endpoint::of::<users::list::__path_list, _, _>(users::list::list)`, where the attribute
///   generates `__path_list`;
/// - an operation in `Described`: `paths(users::list::list)`.
///
/// A trailing `USER` sets [`BodyLimit::USER`] for the whole path.
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

        /// Operations of the description, one per handler.
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($($module::)+ $handler),*))]
        pub(crate) struct Described;
    };
}

pub(super) use endpoints;
