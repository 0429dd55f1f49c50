//! Shortens a failing run.

use super::{Fault, Plan, Report, live};

/// Returns a shorter run that also fails: operations and kinds of faults are left out as long as the run fails.
pub(crate) fn shrink(plan: &Plan) -> (Plan, Report) {
    let mut shortest = (plan.clone(), live(plan));
    for fault in Fault::ALL {
        let mut fewer = shortest.0.clone();
        fewer.spared.push(fault);
        keep_if_it_fails(&mut shortest, fewer);
    }
    let mut width = shortest.0.operations.len().div_ceil(2);
    while width > 0 {
        let mut from = 0;
        while from < shortest.0.operations.len() {
            let mut fewer = shortest.0.clone();
            fewer.operations.drain(from..(from + width).min(fewer.operations.len()));
            if !keep_if_it_fails(&mut shortest, fewer) {
                from += width;
            }
        }
        width /= 2;
    }
    shortest
}

fn keep_if_it_fails(shortest: &mut (Plan, Report), plan: Plan) -> bool {
    let report = live(&plan);
    let fails = report.failure.is_some();
    if fails {
        *shortest = (plan, report);
    }
    fails
}
