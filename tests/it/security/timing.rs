//! How long a no takes: measured by `just constant-time`, never in a run of the tests.

use std::time::Instant;

use daybook_tests::app::TestApp;
use daybook_tests::random::Random;

/// How many of each kind are timed.
const TIMES: usize = 20_000;
/// A difference that is none: Welch's t of two samples.
const NONE: f64 = 4.5;

/// Count, mean and sum of squares, as Welford has them.
#[derive(Clone, Copy, Default)]
struct Sample(f64, f64, f64);

impl Sample {
    fn take(&mut self, value: f64) {
        let delta = value - self.1;
        self.0 += 1.0;
        self.1 += delta / self.0;
        self.2 += delta * (value - self.1);
    }

    /// Welch's t.
    fn t(self, other: Self) -> f64 {
        let error = |it: Self| it.2 / (it.0 - 1.0) / it.0;
        (self.1 - other.1) / (error(self) + error(other)).sqrt()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement: just constant-time"]
async fn a_no_takes_as_long_whatever_is_wrong() {
    let app = TestApp::start().await;
    let gateway = app.client.gateway();
    let (id, secret) = gateway.split_once('|').expect("two halves");
    let kinds = [
        ("wrong first byte", id.to_owned(), format!("X{}", &secret[1..])),
        ("wrong last byte", id.to_owned(), format!("{}X", &secret[..secret.len() - 1])),
        ("unknown client", format!("{}X", &id[..id.len() - 1]), secret.to_owned()),
        ("client behind all", "z".repeat(id.len()), secret.to_owned()),
    ];
    let access = app.service.engine.access();
    let mut random = Random::new("constant-time");
    let mut times: [Vec<f64>; 4] = Default::default();
    while times.iter().any(|times| times.len() < TIMES) {
        let which = random.below(4);
        let (_, id, secret) = &kinds[which];
        let start = Instant::now();
        let shown = access.authenticate(id, secret).await.expect("an answer");
        times[which].push(start.elapsed().as_secs_f64() * 1e6);
        assert!(shown.is_none());
    }
    // What the machine did meanwhile is longer than anything that is looked for: the slowest tenth does not count.
    let samples = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        let mut sample = Sample::default();
        times.iter().take(TIMES / 10 * 9).for_each(|time| sample.take(*time));
        sample
    });
    let mut worst = 0.0_f64;
    for (a, b) in (0..4).flat_map(|b| (0..b).map(move |a| (a, b))) {
        let t = samples[a].t(samples[b]);
        println!("{} {:.2} us, {} {:.2} us: t = {t:.2}", kinds[a].0, samples[a].1, kinds[b].0, samples[b].1);
        worst = worst.max(t.abs());
    }
    assert!(worst < NONE, "t = {worst:.2}");
}
