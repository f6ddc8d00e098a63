//! How weights are quantized, as a description states it.

use serde_json::Value;

/// Bits of a weight, and how many weights share a scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) bits: Option<u64>,
    pub(super) size: Option<u64>,
}

/// A scheme; empty where nothing is stated.
#[derive(Debug, Default)]
pub(super) struct Scheme<'a> {
    /// The method, such as `gptq`.
    pub(super) method: &'a str,
    /// What holds for all layers.
    pub(super) group: Group,
    /// Groups of layers that each state their own.
    groups: Vec<Group>,
    config: Option<&'a Value>,
}

impl<'a> Scheme<'a> {
    /// The scheme that a description states.
    pub(super) fn new(config: Option<&'a Value>) -> Self {
        let Some(config) = config else { return Self::default() };
        // ModelOpt nests it.
        let config = match config.get("quantization") {
            Some(inner) if inner.is_object() => inner,
            _ => config,
        };
        let method = ["quant_method", "quant_algo", "quant_type"]
            .into_iter()
            .find_map(|key| config.get(key)?.as_str());
        let groups = config.get("config_groups").and_then(Value::as_object);
        let groups = groups.into_iter().flat_map(|groups| groups.values());
        let groups: Vec<Group> = groups.filter_map(|it| it.get("weights")).map(group_of).collect();
        let mut group = group_of(config);
        if let ([only], None) = (groups.as_slice(), group.bits) {
            group = *only;
        }
        // MLX names no method.
        let is_mlx = method.is_none() && group.bits.is_some() && group.size.is_some();
        let method = method.unwrap_or(if is_mlx { "mlx" } else { "" });
        Self { method, group, groups, config: Some(config) }
    }

    /// What holds for a layer, where `product` is the bits of a weight times the weights that share
    /// a scale, by the shapes.
    pub(super) fn bits_of(&self, layer: &str, product: Option<u64>, usual: &[u64]) -> Option<u64> {
        let own = self.config.and_then(|it| it.get(layer)).filter(|it| it.is_object());
        let stated =
            own.map(group_of).into_iter().chain([self.group]).chain(self.groups.iter().copied());
        let Some(product) = product else {
            return stated.filter_map(|group| group.bits).find(|bits| is_width(*bits));
        };
        let of_size = |size: u64| {
            let bits = product.checked_div(size)?;
            (product % size == 0 && is_width(bits)).then_some(bits)
        };
        let fits = |group: &Group| {
            group
                .bits
                .zip(group.size)
                .is_some_and(|(bits, size)| bits.checked_mul(size) == Some(product))
        };
        let groups: Vec<Group> = stated.collect();
        let exact = groups.iter().find(|group| fits(group)).and_then(|group| group.bits);
        let by_size = || groups.iter().filter_map(|group| group.size).find_map(of_size);
        // A scale for a whole row says nothing of the bits.
        let stated = || groups.iter().filter_map(|group| group.bits).find(|bits| is_width(*bits));
        exact.or_else(by_size).or_else(stated).or_else(|| usual.iter().copied().find_map(of_size))
    }
}

fn is_width(bits: u64) -> bool {
    (1..=8).contains(&bits)
}

fn group_of(config: &Value) -> Group {
    let number = |keys: &[&str]| keys.iter().find_map(|key| config.get(key)?.as_u64());
    let is_set = |key: &str| config.get(key).and_then(Value::as_bool) == Some(true);
    let loaded = match (is_set("load_in_4bit"), is_set("load_in_8bit")) {
        (true, _) => Some(4),
        (_, true) => Some(8),
        _ => None,
    };
    Group {
        bits: number(&["bits", "w_bit", "num_bits", "nbits"]).or(loaded),
        size: number(&["group_size", "q_group_size"]).filter(|size| *size > 0),
    }
}
