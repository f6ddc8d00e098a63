//! Paths in Rust as in JSON: a flattened part is reached without its name, as `report.cost.macs`.

use std::ops::{Deref, DerefMut};

use crate::{
    Cost, DepthSegment, DeviceRow, GraphGroup, Layer, LayerCost, LayerTotal, Operand, OperatorCost,
    Requirement, RunEstimate, ScalingRow, Scope, SweepPoint, TopNode, ValueShape, ViewNode,
    ViewValue, Work,
};

macro_rules! flattened {
    ($($outer:ty => $field:ident: $inner:ty,)*) => {$(
        impl Deref for $outer {
            type Target = $inner;

            fn deref(&self) -> &$inner {
                &self.$field
            }
        }

        impl DerefMut for $outer {
            fn deref_mut(&mut self) -> &mut $inner {
                &mut self.$field
            }
        }
    )*};
}

flattened! {
    Cost => work: Work,
    TopNode => work: Work,
    DepthSegment => work: Work,
    DeviceRow => run: RunEstimate,
    Layer => cost: LayerCost,
    LayerCost => work: Work,
    LayerTotal => cost: LayerCost,
    Operand => value: ValueShape,
    OperatorCost => work: Work,
    Requirement => run: RunEstimate,
    GraphGroup => work: Work,
    ScalingRow => run: RunEstimate,
    Scope => cost: LayerCost,
    SweepPoint => work: Work,
    ViewNode => cost: LayerCost,
}

// Shared, so it is read only.
impl Deref for ViewValue {
    type Target = ValueShape;

    fn deref(&self) -> &ValueShape {
        &self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_rust_is_the_path_in_json() {
        let work = Work { macs: Some(3), ..Work::default() };
        let layer = Layer { cost: LayerCost { work, ..LayerCost::default() }, ..Layer::default() };
        assert_eq!(layer.macs, Some(3));
        assert_eq!(serde_json::to_value(&layer).unwrap()["macs"], 3);
    }
}
