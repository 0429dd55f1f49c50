//! Batching of queries: a caller who comes while a query is under way waits for the next one, which is for all who wait.
//! So a busy database is asked a few large questions instead of many small ones.
//!
//! A question is put after everybody whom it is for has come: no answer is older than it would be alone.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use daybook_log::Position;
use tokio::sync::oneshot;
use tracing::Instrument;

/// Whoever asks about more keys than this asks alone.
const SMALL: usize = 16;

/// Answers about keys `K`, each a `V`.
#[derive(Debug)]
pub(crate) struct Batcher<K, V>(Arc<Mutex<Callers<K, V>>>);

#[derive(Debug)]
struct Callers<K, V> {
    /// Whether a question is on its way: one at a time, for each of several would be for fewer.
    is_asking: bool,
    waiting: Vec<Caller<K, V>>,
}

/// One who waits, and what for.
#[derive(Debug)]
struct Caller<K, V> {
    /// Where the log ended when they came.
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
    /// What `of` answers about `keys` when the log had come to `head`, be it asked for them alone or for others as well.
    ///
    /// # Errors
    ///
    /// That of `ask` about `keys` alone: nobody suffers from what others ask for.
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
        if keys.len() > SMALL {
            return ask(of.clone(), head, keys).await;
        }
        let (reply, answer) = oneshot::channel();
        if let Some(turn) = self.wait(Caller { head, keys: keys.clone(), reply }) {
            // A task of its own: a caller who goes away takes nobody's answer along. What is logged in it names the request
            // that began it.
            let of = of.clone();
            tokio::spawn(turn.take(move |head, keys| ask(of.clone(), head, keys)).in_current_span());
        }
        match answer.await {
            Ok(answer) => Ok(answer),
            Err(_) => ask(of.clone(), head, keys).await,
        }
    }

    /// Has `caller` wait; answers a turn if somebody has to ask.
    fn wait(&self, caller: Caller<K, V>) -> Option<Turn<K, V>> {
        let mut callers = lock(&self.0);
        callers.waiting.push(caller);
        let is_first = !mem::replace(&mut callers.is_asking, true);
        is_first.then(|| Turn { callers: Arc::clone(&self.0), is_over: false })
    }
}

/// The right to ask for all who wait, until nobody does.
struct Turn<K, V> {
    callers: Arc<Mutex<Callers<K, V>>>,
    is_over: bool,
}

impl<K: Copy + Eq + Hash, V: Clone> Turn<K, V> {
    async fn take<E, F>(mut self, ask: impl Fn(Position, Vec<K>) -> F)
    where
        F: Future<Output = Result<HashMap<K, V>, E>>,
    {
        while let Some(callers) = self.next() {
            let head = callers.iter().map(|caller| caller.head).max().unwrap_or_default();
            let keys: HashSet<K> = callers.iter().flat_map(|caller| caller.keys.iter().copied()).collect();
            // Without an answer each of them asks alone, and learns what is wrong with its own keys.
            if let Ok(found) = ask(head, keys.into_iter().collect()).await {
                for Caller { keys, reply, .. } in callers {
                    let own = keys.iter().filter_map(|key| Some((*key, found.get(key)?.clone())));
                    // Whoever went away needs no answer.
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

impl<K, V> Drop for Turn<K, V> {
    /// A turn that ends in between, by a panic or with its runtime, sends those who wait to ask alone.
    fn drop(&mut self) {
        if !self.is_over {
            let mut callers = lock(&self.callers);
            callers.is_asking = false;
            callers.waiting.clear();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is done under the lock that could panic half way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// A database that answers ten times a key, one question for each permit; it fails if it is asked for 13.
    struct Asked {
        count: AtomicUsize,
        permits: Semaphore,
    }

    impl Asked {
        /// Waits until so many questions were put.
        async fn has_come_to(&self, questions: usize) {
            for _ in 0..100 {
                if self.count.load(Ordering::SeqCst) == questions {
                    return;
                }
                tokio::task::yield_now().await;
            }
            panic!("{} questions, not {questions}", self.count.load(Ordering::SeqCst));
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
    async fn many_callers_share_a_question_and_each_gets_its_own_answer() {
        let (together, asked) = (Arc::new(Batcher::default()), asked(100));
        let all = join_all((0..100).filter(|key| *key != 13).map(|key| ask(&together, &asked, key))).await;
        for (found, key) in all.into_iter().zip((0..100).filter(|key| *key != 13)) {
            assert_eq!(found, Ok(HashMap::from([(key, 10 * key)])));
        }
        let count = asked.count.load(Ordering::SeqCst);
        assert!(count <= 2, "{count} questions for 99 callers");
    }

    #[tokio::test]
    async fn whoever_comes_while_a_question_is_under_way_is_asked_for_in_the_next() {
        let (together, asked) = (Arc::new(Batcher::default()), asked(0));
        let first = tokio::spawn(ask(&together, &asked, 1));
        asked.has_come_to(1).await;
        let later = tokio::spawn(join_all((2..9).map(|key| ask(&together, &asked, key))));
        tokio::task::yield_now().await;
        assert_eq!(asked.count.load(Ordering::SeqCst), 1, "nobody asked for them yet");
        asked.permits.add_permits(2);
        first.await.expect("joined").expect("answered");
        assert!(later.await.expect("joined").iter().all(Result::is_ok));
        assert_eq!(asked.count.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_failure_is_told_only_to_whom_it_is_about() {
        let (together, asked) = (Arc::new(Batcher::default()), asked(100));
        let all = join_all((10..16).map(|key| ask(&together, &asked, key))).await;
        for (found, key) in all.into_iter().zip(10..16) {
            let alone =
                if key == 13 { Err("13 among 1".into()) } else { Ok(HashMap::from([(key, 10 * key)])) };
            assert_eq!(found, alone);
        }
    }

    #[tokio::test]
    async fn a_caller_who_goes_away_takes_nobodys_answer_along() {
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
