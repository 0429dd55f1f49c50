//! Time of a refusal: measured by `just constant-time`, never in an ordinary test run.

use std::time::Instant;

use daybook_engine::access::Scopes;
use daybook_random::Random;
use daybook_tests::app::TestApp;
use daybook_tests::client::Client;
use daybook_tests::operator::Operator;

/// Number of timed calls of each kind.
const ITERATIONS: usize = 20_000;
/// Largest Welch's t of two samples that counts as no difference.
const MAX_T: f64 = 4.5;

/// Count, mean and sum of squared deviations, by Welford's algorithm.
#[derive(Clone, Copy, Default)]
struct Sample(f64, f64, f64);

impl Sample {
    fn take(&mut self, value: f64) {
        let delta = value - self.1;
        self.0 += 1.0;
        self.1 += delta / self.0;
        self.2 += delta * (value - self.1);
    }

    /// Returns Welch's t of the two samples.
    fn t(self, other: Self) -> f64 {
        let error = |it: Self| it.2 / (it.0 - 1.0) / it.0;
        (self.1 - other.1) / (error(self) + error(other)).sqrt()
    }
}

/// Makes calls of each kind in random order. Panics if their durations reveal the kind.
async fn tells_nothing<const N: usize>(kinds: [&str; N], ask: impl AsyncFn(usize)) {
    let mut random = Random::of_test("constant-time");
    let mut times: [Vec<f64>; N] = std::array::from_fn(|_| vec![]);
    while times.iter().any(|times| times.len() < ITERATIONS) {
        let which = random.below(N);
        let start = Instant::now();
        ask(which).await;
        times[which].push(start.elapsed().as_secs_f64() * 1e6);
    }
    // Interruptions by the machine are longer than the differences looked for, so the slowest tenth is dropped.
    let samples = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        let mut sample = Sample::default();
        times.iter().take(ITERATIONS / 10 * 9).for_each(|time| sample.take(*time));
        sample
    });
    let mut worst = 0.0_f64;
    for (a, b) in (0..N).flat_map(|b| (0..b).map(move |a| (a, b))) {
        let t = samples[a].t(samples[b]);
        println!("{} {:.2} us, {} {:.2} us: t = {t:.2}", kinds[a], samples[a].1, kinds[b], samples[b].1);
        worst = worst.max(t.abs());
    }
    assert!(worst < MAX_T, "t = {worst:.2}");
}

/// Returns the same credentials wrong in four ways: the name of the case, the public half and the secret half.
fn wrong(id: &str, secret: &str, behind_all: String) -> [(&'static str, String, String); 4] {
    let unknown = format!("{}{}", &id[..id.len() - 1], if id.ends_with('X') { 'Y' } else { 'X' });
    [
        ("wrong first byte", id.to_owned(), format!("X{}", &secret[1..])),
        ("wrong last byte", id.to_owned(), format!("{}X", &secret[..secret.len() - 1])),
        ("unknown", unknown, secret.to_owned()),
        ("behind all", behind_all, secret.to_owned()),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement: just constant-time"]
async fn client_refusal_takes_constant_time() {
    let app = TestApp::start().await;
    let Client { client_id, client_secret, .. } = &app.client;
    let kinds = wrong(client_id, client_secret, "z".repeat(client_id.len()));
    let (access, now) = (app.service.engine.access(), app.service.engine.clock().now());
    let ask = async |which: usize| {
        let (_, id, secret) = &kinds[which];
        assert!(access.authenticate(id, secret, now).await.expect("an answer").right().is_none());
    };
    tells_nothing(kinds.each_ref().map(|kind| kind.0), ask).await;
}

/// Returns a key wrong in three ways: its last byte, an unknown platform, and a platform that sorts after all others.
fn wrong_keys(right: &str, short_id: &str) -> [(&'static str, String); 3] {
    let last = if right.ends_with('0') { '1' } else { '0' };
    let first = if short_id.starts_with('0') { '1' } else { '0' };
    let of = |short: String| right.replacen(short_id, &short, 1);
    [
        ("wrong last byte", format!("{}{last}", &right[..right.len() - 1])),
        ("unknown platform", of(format!("{first}{}", &short_id[1..]))),
        ("behind all", of("z".repeat(short_id.len()))),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement: just constant-time"]
async fn key_refusal_takes_constant_time() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada Lovelace").await;
    let access = app.service.engine.access();
    let now = app.service.engine.clock().now();
    let client = access.authenticate(&app.client.client_id, &app.client.client_secret, now).await;
    let client = client.expect("it reads").right().expect("it is right");
    let platform = &client.platform;
    let kinds = wrong_keys(&ada.oauth_key, &platform.short_id);
    let ask = async |which: usize| {
        let judged = access.session(&kinds[which].1, now).await.expect("an answer");
        assert!(judged.right().is_none());
    };
    tells_nothing(kinds.each_ref().map(|kind| kind.0), ask).await;
    let public = access.issue_public_key(&client, Scopes::PUBLIC, None, now).key;
    let kinds = wrong_keys(&public, &platform.short_id);
    let ask = async |which: usize| {
        let judged = access.public_key("", &kinds[which].1, now).await.expect("an answer");
        assert!(judged.right().is_none());
    };
    tells_nothing(kinds.each_ref().map(|kind| kind.0), ask).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement: just constant-time"]
async fn operator_refusal_takes_constant_time() {
    let app = TestApp::start().await;
    let Operator { operator_id, operator_secret, .. } = app.operator("Olga").await;
    let kinds = wrong(&operator_id, &operator_secret, format!("operator_id_7{}", "Z".repeat(25)));
    let access = app.service.engine.access();
    let ask = async |which: usize| {
        let (_, id, secret) = &kinds[which];
        assert!(access.authenticate_operator(id, secret).await.expect("an answer").is_none());
    };
    tells_nothing(kinds.each_ref().map(|kind| kind.0), ask).await;
}
