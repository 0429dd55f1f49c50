//! Work that nobody asked for: it has connections of its own, so that requests never keep it from going on.

tokio::task_local! {
    static IS_IT: ();
}

/// Does `work` as what nobody asked for: read models, what is due, calls to subscriptions, erasures. A task that it spawns is
/// that only if it says so, too.
pub async fn unasked<T>(work: impl Future<Output = T>) -> T {
    IS_IT.scope((), work).await
}

/// Whether what runs now is such work.
pub(crate) fn is_it() -> bool {
    IS_IT.try_with(|()| ()).is_ok()
}
