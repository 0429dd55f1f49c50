//! Id of the request that is being answered. Customers quote it, and operators search the log for it.
//!
//! It is a task-local value instead of a parameter of every function: a failure in any layer can name the request, and
//! no decision depends on it. This module does not know how ids are made.

use std::future::Future;

tokio::task_local! {
    static CURRENT: String;
}

/// Runs `request` with `id` as the current request id.
pub async fn scope<F: Future>(id: String, request: F) -> F::Output {
    CURRENT.scope(id, request).await
}

/// Returns the id of the request that is being answered; `-` outside of a request.
#[must_use]
pub fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_else(|_| "-".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn request_id_is_known_inside_its_request() {
        assert_eq!(scope("01J".to_owned(), async { current() }).await, "01J");
        assert_eq!(current(), "-");
    }
}
