//! Fields of the JSON that version 2.0 renamed.

/// Old and new names, by path in the report where a name occurs in several places.
pub const RENAMED: &[(&str, &str)] = &[
    ("risks", "findings"),
    ("cost.dearest", "cost.top_nodes"),
    ("cost.along_depth", "cost.by_depth"),
    ("architecture.drawing", "architecture.block_diagram"),
    ("architecture.flow_drawing", "architecture.flow_diagram"),
    ("quantization.in_float", "quantization.unquantized"),
    ("weights.ranges[].deviation", "weights.ranges[].std"),
    ("weights.ranges[].reach", "weights.ranges[].max_abs_z_score"),
    ("hardware.dearest", "hardware.top_kernels"),
    (
        "hardware.latency_ms (replayed)",
        "hardware.graph_ms; latency_ms is the headline of hardware.mode",
    ),
    ("hardware.issued_ms", "hardware.eager_ms"),
    ("hardware.weights_once_ms", "hardware.weight_read_floor_ms"),
    ("hardware.carried_over", "hardware.extrapolated"),
    ("hardware.batch_enough", "hardware.saturation_batch"),
    ("hardware.shares.launches_percent", "hardware.shares.launch_overhead_percent"),
    ("hardware.bottleneck: launches", "hardware.bottleneck: launch-overhead"),
    ("hardware.bottleneck: memory", "hardware.bottleneck: memory-bandwidth"),
    ("hardware.requirements.weighed", "hardware.requirements.devices_considered"),
    ("hardware.requirements.met", "hardware.requirements.target_met"),
    ("hardware.requirements.comfortable", "hardware.requirements.optimal"),
    ("launching.carried_over_from", "launching.extrapolated_from"),
    ("kind: nearest-neighbours", "kind: nearest-neighbors"),
    ("graph view: rooms", "graph view: groups"),
    ("graph view: sizes.knobs", "graph view: sizes.size_controls"),
    ("graph view: sizes.lives", "graph view: sizes.live_ranges"),
    ("graph view: lent", "graph view: borrowed"),
];
