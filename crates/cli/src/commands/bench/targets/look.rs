//! Target 8: looks at a transaction and at a node through HTTP, beside a pooled SELECT.

use std::time::Duration;

use super::super::baselines::select;
use super::super::figures::{Line, Run, Sample};
use super::super::load::Ask;
use super::super::stage::running::Running;
use super::create::{FEW, closed};
use crate::commands::Error;

/// Measures B4, and both looks right after it.
pub(crate) async fn measure(running: &Running<'_>, duration: Duration, run: &mut Run) -> Result<(), Error> {
    let earlier = running.processes().cpu();
    let (latencies, elapsed) = select::measure(running, duration).await?;
    let cores = running.processes().cpu().cores_since(earlier, elapsed.as_secs_f64());
    let baseline = Sample::rate(latencies.len() as u64, elapsed).latencies(&latencies);
    run.put(Line::Select, baseline.cores(cores));
    let looks = [(Line::LookAtTransaction, Ask::LookAtTransaction), (Line::LookAtNode, Ask::LookAtNode)];
    for (line, ask) in looks {
        run.put(line, closed(running, FEW, ask, duration).await?.sample());
    }
    Ok(())
}
