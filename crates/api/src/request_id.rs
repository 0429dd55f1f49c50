//! The id of the request that is being answered: what the customer quotes and the log is searched for.
//!
//! It travels with the task rather than through every signature: a failure deep inside must be able to name it, and
//! nothing else may depend on it. Who makes the id, and of what, this file does not know.

use std::future::Future;

tokio::task_local! {
    static CURRENT: String;
}

/// Runs `request` as the request `id`.
pub async fn scope<F: Future>(id: String, request: F) -> F::Output {
    CURRENT.scope(id, request).await
}

/// The id of the request that is being answered; `-` outside of any.
#[must_use]
pub fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_else(|_| "-".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn the_id_is_known_inside_its_request_only() {
        assert_eq!(scope("01J".to_owned(), async { current() }).await, "01J");
        assert_eq!(current(), "-");
    }
}
