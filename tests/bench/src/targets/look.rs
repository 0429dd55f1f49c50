//! Target 8: reads of a transaction and of a node through HTTP, compared with a pooled SELECT.

use std::sync::Arc;
use std::time::Duration;

use super::create::{FEW_CLIENTS, closed};
use crate::baselines::select;
use crate::error::Error;
use crate::figures::{Line, Run, Sample};
use crate::load::{Ask, Load, Pace, Traffic};
use crate::stage::running::Running;

/// Measures B4 and B6, and both reads right after them.
pub(crate) async fn measure(running: &Running<'_>, duration: Duration, run: &mut Run) -> Result<(), Error> {
    let earlier = running.processes().cpu();
    let (latencies, elapsed) = select::bare(running, duration).await?;
    let cores = running.processes().cpu().cores_since(earlier, elapsed.as_secs_f64());
    let baseline = Sample::rate(latencies.len() as u64, elapsed).latencies(&latencies);
    let bare = baseline.value;
    run.put(Line::Select, baseline.cores(cores));
    run.put(Line::SelectBehindHttp, behind_http(running, duration).await?);
    let looks = [(Line::LookAtTransaction, Ask::LookAtTransaction), (Line::LookAtNode, Ask::LookAtNode)];
    for (line, ask) in looks {
        let sample = closed(running, FEW_CLIENTS, ask, duration).await?.sample();
        let ratio = sample.value / bare;
        run.put(line, sample.also("ratio to B4", ratio));
    }
    Ok(())
}

/// Measures B6, with the same load as on the service.
async fn behind_http(running: &Running<'_>, duration: Duration) -> Result<Sample, Error> {
    let (address, server) = select::serve(running).await?;
    let traffic = Arc::new(Traffic::new(Arc::clone(running.nodes()), address));
    let earlier = running.processes().cpu();
    let load = Load::new(FEW_CLIENTS, Ask::LookAtTransaction, Pace::Closed(duration));
    let outcome = traffic.run(load).await?;
    let cores = running.processes().cpu().cores_since(earlier, outcome.elapsed.as_secs_f64());
    server.stop(true).await;
    outcome.check()?;
    let requests = outcome.latencies.len() as u64;
    Ok(Sample::rate(requests, outcome.elapsed).latencies(&outcome.latencies).cores(cores))
}
