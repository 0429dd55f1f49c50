//! actix-web: routes, wire shapes, authentication, envelope, errors
