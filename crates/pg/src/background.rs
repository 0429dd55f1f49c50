//! Background work: work that no request waits for. It has connections of its own, so that requests cannot block it.

tokio::task_local! {
    static IS_BACKGROUND: ();
}

/// Runs `work` as background work: read models, due to-dos, webhooks, erasures. A task that it spawns is background
/// work only if it is marked as well.
pub async fn in_background<T>(work: impl Future<Output = T>) -> T {
    IS_BACKGROUND.scope((), work).await
}

/// Returns true if the current task is background work.
pub(crate) fn is_background() -> bool {
    IS_BACKGROUND.try_with(|()| ()).is_ok()
}
