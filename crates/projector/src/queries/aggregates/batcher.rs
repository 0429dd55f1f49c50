//! Batching of queries (request coalescing): a caller that comes while a query is under way waits for the next query,
//! which serves all waiting callers. A busy database gets few large queries instead of many small ones.
//!
//! A query starts after all callers that it serves have arrived. No answer is older than that of a separate query.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use daybook_log::Position;
use tokio::sync::oneshot;
use tracing::Instrument;

/// Maximum number of keys of a caller that joins a batch. A caller with more keys makes its own query.
const MAX_KEYS_BATCHED: usize = 16;

/// Batches queries for values `V` by keys `K`.
#[derive(Debug)]
pub(crate) struct Batcher<K, V>(Arc<Mutex<Callers<K, V>>>);

#[derive(Debug)]
struct Callers<K, V> {
    /// True if a query is under way. There is one at a time: several would each serve fewer callers.
    is_asking: bool,
    waiting: Vec<Caller<K, V>>,
}

/// A waiting caller and its keys.
#[derive(Debug)]
struct Caller<K, V> {
    /// Head of the log when the caller arrived.
    head: Position,
    keys: Vec<K>,
    reply: oneshot::Sender<HashMap<K, V>>,
}

impl<K, V> Default for Batcher<K, V> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Callers { is_asking: false, waiting: vec![] })))
    }
}

impl<K, V> Batcher<K, V>
where
    K: Copy + Eq + Hash + Send + 'static,
    V: Clone + Send + 'static,
{
    /// Returns the values of `keys` as of `head` or later. The query `ask` is batched with those of concurrent callers.
    ///
    /// # Errors
    ///
    /// The error of `ask` for `keys` alone. A key of another caller never causes an error.
    pub(crate) async fn ask<C, E, F>(
        &self,
        of: &C,
        head: Position,
        keys: Vec<K>,
        ask: impl Fn(C, Position, Vec<K>) -> F + Copy + Send + 'static,
    ) -> Result<HashMap<K, V>, E>
    where
        C: Clone + Send + 'static,
        E: Send + 'static,
        F: Future<Output = Result<HashMap<K, V>, E>> + Send + 'static,
    {
        if keys.len() > MAX_KEYS_BATCHED {
            return ask(of.clone(), head, keys).await;
        }
        let (reply, answer) = oneshot::channel();
        if let Some(turn) = self.wait(Caller { head, keys: keys.clone(), reply }) {
            // A separate task, so that a caller that is dropped does not lose the answers of the others. Its log lines
            // name the request that started it.
            let of = of.clone();
            tokio::spawn(turn.take(move |head, keys| ask(of.clone(), head, keys)).in_current_span());
        }
        match answer.await {
            Ok(answer) => Ok(answer),
            Err(_) => ask(of.clone(), head, keys).await,
        }
    }

    /// Adds `caller` to the waiting ones. Returns a turn if no query is under way, so that this caller has to start
    /// one.
    fn wait(&self, caller: Caller<K, V>) -> Option<BatchLeader<K, V>> {
        let mut callers = lock(&self.0);
        callers.waiting.push(caller);
        let is_first = !mem::replace(&mut callers.is_asking, true);
        is_first.then(|| BatchLeader { callers: Arc::clone(&self.0), is_over: false })
    }
}

/// The right to query for all waiting callers until there are none.
struct BatchLeader<K, V> {
    callers: Arc<Mutex<Callers<K, V>>>,
    is_over: bool,
}

impl<K: Copy + Eq + Hash, V: Clone> BatchLeader<K, V> {
    async fn take<E, F>(mut self, ask: impl Fn(Position, Vec<K>) -> F)
    where
        F: Future<Output = Result<HashMap<K, V>, E>>,
    {
        while let Some(callers) = self.next() {
            let head = callers.iter().map(|caller| caller.head).max().unwrap_or_default();
            let keys: HashSet<K> = callers.iter().flat_map(|caller| caller.keys.iter().copied()).collect();
            // Without an answer each caller queries alone and gets the error of its own keys.
            if let Ok(found) = ask(head, keys.into_iter().collect()).await {
                for Caller { keys, reply, .. } in callers {
                    let own = keys.iter().filter_map(|key| Some((*key, found.get(key)?.clone())));
                    // A caller that was dropped needs no answer.
                    let _ = reply.send(own.collect());
                }
            }
        }
    }

    fn next(&mut self) -> Option<Vec<Caller<K, V>>> {
        let mut callers = lock(&self.callers);
        if callers.waiting.is_empty() {
            callers.is_asking = false;
            self.is_over = true;
            return None;
        }
        Some(mem::take(&mut callers.waiting))
    }
}

impl<K, V> Drop for BatchLeader<K, V> {
    /// Ends a turn early, after a panic or when its runtime stops: the waiting callers then query alone.
    fn drop(&mut self) {
        if !self.is_over {
            let mut callers = lock(&self.callers);
            callers.is_asking = false;
            callers.waiting.clear();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code under this lock can panic and leave an inconsistent state.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// A database that returns ten times the key and needs one permit per query. It fails if the keys contain 13.
    struct Asked {
        count: AtomicUsize,
        permits: Semaphore,
    }

    impl Asked {
        /// Waits until this number of queries was made.
        async fn has_come_to(&self, questions: usize) {
            for _ in 0..100 {
                if self.count.load(Ordering::SeqCst) == questions {
                    return;
                }
                tokio::task::yield_now().await;
            }
            panic!("{} queries, not {questions}", self.count.load(Ordering::SeqCst));
        }
    }

    fn asked(permits: usize) -> Arc<Asked> {
        Arc::new(Asked { count: AtomicUsize::new(0), permits: Semaphore::new(permits) })
    }

    async fn answer(asked: Arc<Asked>, _: Position, keys: Vec<u32>) -> Result<HashMap<u32, u32>, String> {
        asked.count.fetch_add(1, Ordering::SeqCst);
        asked.permits.acquire().await.expect("never closed").forget();
        if keys.contains(&13) {
            return Err(format!("13 among {}", keys.len()));
        }
        Ok(keys.into_iter().map(|key| (key, 10 * key)).collect())
    }

    fn ask(
        together: &Arc<Batcher<u32, u32>>,
        asked: &Arc<Asked>,
        key: u32,
    ) -> impl Future<Output = Result<HashMap<u32, u32>, String>> + use<> {
        let (together, asked) = (Arc::clone(together), Arc::clone(asked));
        async move { together.ask(&asked, 0, vec![key], answer).await }
    }

    #[tokio::test]
    async fn concurrent_callers_share_a_query() {
        let (together, asked) = (Arc::new(Batcher::default()), asked(100));
        let all = join_all((0..100).filter(|key| *key != 13).map(|key| ask(&together, &asked, key))).await;
        for (found, key) in all.into_iter().zip((0..100).filter(|key| *key != 13)) {
            assert_eq!(found, Ok(HashMap::from([(key, 10 * key)])));
        }
        let count = asked.count.load(Ordering::SeqCst);
        assert!(count <= 2, "{count} queries for 99 callers");
    }

    #[tokio::test]
    async fn late_caller_joins_next_batch() {
        let (together, asked) = (Arc::new(Batcher::default()), asked(0));
        let first = tokio::spawn(ask(&together, &asked, 1));
        asked.has_come_to(1).await;
        let later = tokio::spawn(join_all((2..9).map(|key| ask(&together, &asked, key))));
        tokio::task::yield_now().await;
        assert_eq!(asked.count.load(Ordering::SeqCst), 1, "late callers wait for the first query");
        asked.permits.add_permits(2);
        first.await.expect("joined").expect("answered");
        assert!(later.await.expect("joined").iter().all(Result::is_ok));
        assert_eq!(asked.count.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn failure_reaches_only_the_affected_caller() {
        let (together, asked) = (Arc::new(Batcher::default()), asked(100));
        let all = join_all((10..16).map(|key| ask(&together, &asked, key))).await;
        for (found, key) in all.into_iter().zip(10..16) {
            let alone =
                if key == 13 { Err("13 among 1".into()) } else { Ok(HashMap::from([(key, 10 * key)])) };
            assert_eq!(found, alone);
        }
    }

    #[tokio::test]
    async fn dropped_caller_keeps_answers_of_others() {
        let (together, asked) = (Arc::new(Batcher::default()), asked(0));
        let gone = tokio::spawn(ask(&together, &asked, 1));
        asked.has_come_to(1).await;
        let others: Vec<_> = (2..5).map(|key| tokio::spawn(ask(&together, &asked, key))).collect();
        tokio::task::yield_now().await;
        gone.abort();
        asked.permits.add_permits(100);
        for other in others {
            assert!(other.await.expect("joined").is_ok());
        }
        assert!(!lock(&together.0).is_asking);
    }
}
