//! The profile that ONNX Runtime writes: a list of events in Chrome's trace format.

use hashbrown::HashMap;
use serde::Deserialize;

use super::statistics::median;
use crate::Error;

/// A kernel that ran.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelEvent {
    /// The name of the node, as the runtime has it after its fusions.
    pub node: String,
    /// The operator that ran.
    pub op: String,
    /// Microseconds since the session began.
    pub start_us: f64,
    /// Microseconds that it took.
    pub us: f64,
    /// How often it ran in one run: nodes of the same name count together.
    pub count: u64,
}

/// The kernels of a usual run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelEvents {
    /// Runs that were profiled, without those of the warm-up.
    pub runs: u64,
    /// The kernels of one run, each with its median time over the runs. Those inside a control-flow
    /// operator are part of its time and left out.
    pub kernels: Vec<KernelEvent>,
}

#[derive(Deserialize)]
struct RawEvent {
    #[serde(default)]
    cat: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    args: RawArgs,
}

#[derive(Default, Deserialize)]
struct RawArgs {
    #[serde(default)]
    op_name: String,
}

const SUFFIX: &str = "_kernel_time";

/// Operators whose time includes that of the nodes in their graphs.
const CONTROL_FLOW: [&str; 3] = ["If", "Loop", "Scan"];

/// Parses a profile, without the first `warmup` runs.
///
/// # Errors
///
/// [`Error::Request`] if it is not a profile of ONNX Runtime.
pub fn parse(text: &str, warmup: usize) -> Result<KernelEvents, Error> {
    let unreadable = |why: String| Error::Request(format!("the profile cannot be read: {why}"));
    let events: Vec<RawEvent> =
        serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
    let mut runs: Vec<f64> = events
        .iter()
        .filter(|event| event.cat == "Session" && event.name == "model_run")
        .map(|event| event.ts)
        .collect();
    runs.sort_by(f64::total_cmp);
    let Some(start) = runs.get(warmup).copied() else {
        return Err(unreadable(format!("it has {} runs", runs.len())));
    };
    let mut kernels: Vec<KernelEvent> = events
        .into_iter()
        .filter(|event| event.cat == "Node" && event.ts >= start)
        .filter_map(|event| {
            let node = event.name.strip_suffix(SUFFIX)?.to_owned();
            let (op, start_us, us) = (event.args.op_name, event.ts, event.dur);
            Some(KernelEvent { node, op, start_us, us, count: 1 })
        })
        .collect();
    // An operator before what is inside it: both may begin in the same microsecond.
    kernels.sort_by(|a, b| a.start_us.total_cmp(&b.start_us).then(b.us.total_cmp(&a.us)));
    let mut busy_until = f64::NEG_INFINITY;
    kernels.retain(|kernel| {
        if kernel.start_us + kernel.us <= busy_until {
            return false;
        }
        if CONTROL_FLOW.contains(&kernel.op.as_str()) {
            busy_until = kernel.start_us + kernel.us;
        }
        true
    });
    let runs = &runs[warmup..];
    Ok(KernelEvents { runs: runs.len() as u64, kernels: medians(kernels, runs) })
}

/// One run of kernels with the median of their times: a run that was interrupted must not count.
fn medians(kernels: Vec<KernelEvent>, starts: &[f64]) -> Vec<KernelEvent> {
    let mut found: Vec<(KernelEvent, Vec<f64>, u64)> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for kernel in kernels {
        let run = starts.partition_point(|start| *start <= kernel.start_us).saturating_sub(1);
        let key = (kernel.node.clone(), kernel.op.clone());
        let us = kernel.us;
        let place = *places.entry(key).or_insert_with(|| {
            found.push((kernel, vec![0.0; starts.len()], 0));
            found.len() - 1
        });
        if let Some(sum) = found[place].1.get_mut(run) {
            *sum += us;
        }
        found[place].2 += 1;
    }
    let usual = |(kernel, all, events): (KernelEvent, Vec<f64>, u64)| KernelEvent {
        us: median(&all),
        count: events.div_ceil(starts.len().max(1) as u64),
        ..kernel
    };
    found.into_iter().map(usual).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE: &str = r#"[
        {"cat":"Session","dur":9,"ts":0,"ph":"X","name":"session_initialization","args":{}},
        {"cat":"Node","dur":90,"ts":11,"name":"a_kernel_time","args":{"op_name":"Conv"}},
        {"cat":"Session","dur":100,"ts":10,"name":"model_run","args":{}},
        {"cat":"Node","dur":1,"ts":200,"name":"a_fence_before","args":{"op_name":"Conv"}},
        {"cat":"Node","dur":40,"ts":201,"name":"a_kernel_time","args":{"op_name":"Conv","node_index":"3"}},
        {"cat":"Node","dur":5,"ts":251,"name":"inner_kernel_time","args":{"op_name":"Add"}},
        {"cat":"Node","dur":30,"ts":250,"name":"b_kernel_time","args":{"op_name":"If"}},
        {"cat":"Node","dur":3,"ts":290,"name":"c_kernel_time","args":{"op_name":"Relu"}},
        {"cat":"Session","dur":100,"ts":199,"name":"model_run","args":{}}
    ]"#;

    #[test]
    fn kernels_of_warm_runs_are_read() {
        let found = parse(PROFILE, 1).unwrap();
        let kernels: Vec<(&str, f64)> =
            found.kernels.iter().map(|kernel| (kernel.node.as_str(), kernel.us)).collect();
        assert_eq!(found.runs, 1);
        assert_eq!(kernels, [("a", 40.0), ("b", 30.0), ("c", 3.0)]);
        // The first run has one kernel of 90 us, the second three: (90 + 40) / 2 and 30 / 2.
        let both = parse(PROFILE, 0).unwrap();
        let times: Vec<f64> = both.kernels.iter().map(|kernel| kernel.us).collect();
        assert_eq!((both.runs, times), (2, vec![65.0, 15.0, 1.5]));
    }

    #[test]
    fn what_is_not_a_profile_is_an_error() {
        for text in ["", "{}", "[]", "[1]"] {
            assert!(parse(text, 0).is_err(), "{text}");
        }
        assert!(parse(PROFILE, 2).is_err());
    }
}
