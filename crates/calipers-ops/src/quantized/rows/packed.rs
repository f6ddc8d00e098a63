//! Contractions and lookups with weights of few bits.

use super::super::packed;
use crate::InputRole::{Data, Scale, Table, Weight};
use crate::contrib::matmul;
use crate::contrib::pointwise;
use crate::cost::{self, Traffic};
use crate::row::{Operator, Packing};
use crate::traits::{Activation, Bits, Class, Lowering, Movement, family};

const PACKED_PRODUCT: Packing = Packing::Product { rows: "N", columns: "K", bits: "bits" };

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Contraction,
    [
        Operator::microsoft("GatherBlockQuantized", &[Table, Data, Scale, Scale])
            .passes(Movement::Gather)
            .lowers(Lowering::As("Gather", &[0, 1]))
            .packed(Packing::Bits { bits: "bits" })
            .infer(packed::gather)
            .costs(cost::per_output::<2>)
            .moves(Traffic::Gathered),
        Operator::microsoft(
            "MatMulBlockQuantizedFp4Weight",
            &[Data, Weight, Scale, Scale, Scale, Weight],
        )
        .unpacks_floats(&[1], 4)
        .lowers(Lowering::MatMul { factors: [0, 1], bias: Some(5), activation: None })
        .infer(matmul::matmul_rows)
        .costs(cost::contraction::matmul_packed),
        Operator::microsoft("MatMulBlockQuantizedFp8Weight", &[Data, Weight, Scale, Scale, Weight])
            .unpacks_floats(&[1], 8)
            .lowers(Lowering::MatMul { factors: [0, 1], bias: Some(4), activation: None })
            .infer(matmul::matmul_rows)
            .costs(cost::contraction::matmul_packed),
        Operator::microsoft("MatMulBnb4", &[Data, Weight, Scale])
            .unpacks(&[1], Bits::Fixed(4), None)
            .lowers(Lowering::As("MatMul", &[0, 1]))
            .packed(PACKED_PRODUCT)
            .infer(matmul::matmul_bnb4)
            .costs(cost::contraction::matmul_bnb4),
        Operator::microsoft("MatMulFpQ4", &[Data, Weight, Data])
            .unpacks(&[1], Bits::Fixed(4), None)
            .lowers(Lowering::As("MatMul", &[0, 1]))
            .infer(matmul::matmul_fpq4)
            .costs(cost::contraction::matmul_packed),
        Operator::microsoft("MatMulNBits", &[Data, Weight, Scale, Scale, Data, Weight])
            .unpacks(&[1], Bits::Attribute { name: "bits", default: 4 }, Some(3))
            .lowers(Lowering::MatMul { factors: [0, 1], bias: Some(5), activation: None })
            .packed(PACKED_PRODUCT)
            .infer(matmul::matmul_nbits)
            .costs(cost::contraction::matmul_nbits),
        Operator::microsoft(
            "MatMulNBitsMlp",
            &[Data, Data, Weight, Weight, Scale, Weight, Weight, Scale, Weight],
        )
        .unpacks(&[3, 6], Bits::Attribute { name: "bits", default: 4 }, None)
        .lowers(Lowering::MatMuls { weights: &[[3, 5], [6, 8]], gate: Some(Activation::Silu) })
        .packed(PACKED_PRODUCT)
        .infer(matmul::matmul_nbits_mlp)
        .costs(cost::contraction::matmul_nbits_mlp),
        Operator::microsoft(
            "MatMulNBitsQkv",
            &[
                Data, Data, Weight, Weight, Scale, Weight, Weight, Scale, Weight, Weight, Scale,
                Weight,
            ],
        )
        .unpacks(&[3, 6, 9], Bits::Attribute { name: "bits", default: 4 }, None)
        .lowers(Lowering::MatMuls { weights: &[[3, 5], [6, 8], [9, 11]], gate: None })
        .packed(Packing::Bits { bits: "bits" })
        .infer(matmul::matmul_nbits_qkv)
        .costs(cost::contraction::matmul_nbits_qkv),
        Operator::microsoft(
            "QMoE",
            &[
                Data, Data, Weight, Scale, Weight, Weight, Scale, Weight, Weight, Scale, Weight,
                Scale, Scale, Scale, Data, Scale, Scale, Scale, Scale, Scale, Scale,
            ],
        )
        .unpacks(&[2], Bits::Attribute { name: "expert_weight_bits", default: 4 }, Some(11))
        .lowers(Lowering::As("MoE", &[0, 1, 2, 4, 5, 7, 8, 10]))
        .packed(Packing::Bits { bits: "expert_weight_bits" })
        .infer(pointwise::same)
        .costs(cost::experts::packed_experts),
    ],
);
