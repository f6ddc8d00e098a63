//! Elements of tensors, of every type and in every form that `TensorProto` has for them. The
//! expected values are those of `onnx.numpy_helper.to_array` in release 1.23.

use calipers_ir::{DType, DecodeError, Model, SizeError, TensorId};

use crate::common::{Msg, msg, read_tensor};

/// Sixteen bytes with high and low bits in awkward places.
const RAW: [u8; 16] = [
    0x01, 0x80, 0xff, 0x7f, 0x00, 0x00, 0xfe, 0xc3, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
];

fn tensor(dtype: i64, count: usize) -> Msg {
    msg().int(1, i64::try_from(count).expect("a small number")).int(2, dtype)
}

fn first(model: &Model) -> TensorId {
    model.tensors().next().expect("a tensor").0
}

fn integers(message: Msg) -> Result<Vec<i64>, DecodeError> {
    let model = read_tensor(message);
    model.integers(first(&model), 100)
}

fn floats(message: Msg) -> Result<Vec<f64>, DecodeError> {
    let model = read_tensor(message);
    model.floats(first(&model), 100)
}

#[test]
fn raw_integers_of_every_type() {
    let cases: &[(i64, &[i64])] = &[
        (2, &[1, 128, 255, 127, 0, 0, 254, 195, 16, 50, 84, 118, 152, 186, 220, 254]),
        (3, &[1, -128, -1, 127, 0, 0, -2, -61, 16, 50, 84, 118, -104, -70, -36, -2]),
        (4, &[32769, 32767, 0, 50174, 12816, 30292, 47768, 65244]),
        (5, &[-32767, 32767, 0, -15362, 12816, 30292, -17768, -292]),
        (6, &[2147450881, -1006764032, 1985229328, -19088744]),
        (7, &[-4324018590081646591, -81985529216486896]),
        (9, &[1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
        (12, &[2147450881, 3288203264, 1985229328, 4275878552]),
        // Both are above what 63 bits hold.
        (13, &[i64::MAX, i64::MAX]),
        (
            21,
            &[
                1, 0, 0, 8, 15, 15, 15, 7, 0, 0, 0, 0, 14, 15, 3, 12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                10, 11, 12, 13, 14, 15,
            ],
        ),
        (
            22,
            &[
                1, 0, 0, -8, -1, -1, -1, 7, 0, 0, 0, 0, -2, -1, 3, -4, 0, 1, 2, 3, 4, 5, 6, 7, -8,
                -7, -6, -5, -4, -3, -2, -1,
            ],
        ),
        (
            25,
            &[
                1, 0, 0, 0, 0, 0, 0, 2, 3, 3, 3, 3, 3, 3, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 3, 3,
                3, 0, 0, 3, 0, 0, 1, 0, 2, 0, 3, 0, 0, 1, 1, 1, 2, 1, 3, 1, 0, 2, 1, 2, 2, 2, 3, 2,
                0, 3, 1, 3, 2, 3, 3, 3,
            ],
        ),
        (
            26,
            &[
                1, 0, 0, 0, 0, 0, 0, -2, -1, -1, -1, -1, -1, -1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0, -2,
                -1, -1, -1, -1, 0, 0, -1, 0, 0, 1, 0, -2, 0, -1, 0, 0, 1, 1, 1, -2, 1, -1, 1, 0,
                -2, 1, -2, -2, -2, -1, -2, 0, -1, 1, -1, -2, -1, -1, -1,
            ],
        ),
    ];
    for (dtype, expected) in cases {
        let found = integers(tensor(*dtype, expected.len()).bytes(9, &RAW));
        assert_eq!(found.as_deref(), Ok(*expected), "type {dtype}");
    }
}

#[test]
fn raw_floats_of_every_type() {
    let nan = f64::NAN;
    let cases: &[(i64, &[f64])] = &[
        (1, &[nan, -508.0, 1.0759592989650061e33, -1.4669950460731436e38]),
        (
            10,
            &[-5.960464477539063e-8, nan, 0.0, -3.99609375, 0.189453125, 25920.0, -0.82421875, nan],
        ),
        (11, &[-3.4587653934164218e19, -1.2313300687736946e303]),
        (
            16,
            &[
                -9.183549615799121e-41,
                nan,
                0.0,
                -508.0,
                8.381903171539307e-9,
                1.0749677089935385e33,
                -0.00115966796875,
                -1.4621507953634075e38,
            ],
        ),
    ];
    for (dtype, expected) in cases {
        let found = floats(tensor(*dtype, expected.len()).bytes(9, &RAW)).expect("floats");
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(*expected) {
            assert!(found == expected || found.is_nan() && expected.is_nan(), "type {dtype}");
        }
    }
}

#[test]
fn typed_integers_are_cut_to_their_type() {
    let top = u64::MAX.cast_signed();
    let cases: &[(i64, u32, &[i64], &[i64])] = &[
        (2, 5, &[0, 255, 256, -1, 300], &[0, 255, 0, 255, 44]),
        (3, 5, &[-128, 127, 200, -129], &[-128, 127, -56, 127]),
        (4, 5, &[65535, 65536, -1], &[65535, 0, 65535]),
        (5, 5, &[-32768, 40000], &[-32768, -25536]),
        (6, 5, &[-2147483648, 2147483647], &[-2147483648, 2147483647]),
        // A writer that spends five bytes on -1: protobuf keeps the lower half.
        (6, 5, &[0xffff_ffff], &[-1]),
        (7, 7, &[i64::MIN, i64::MAX], &[i64::MIN, i64::MAX]),
        (9, 5, &[0, 1, 2, -1], &[0, 1, 1, 1]),
        (12, 11, &[0, 4294967295, 4294967301], &[0, 4294967295, 5]),
        (13, 11, &[7, top], &[7, i64::MAX]),
        (21, 5, &[0x21, 0x8f], &[1, 2, 15, 8]),
        (22, 5, &[0x21, 0x8f], &[1, 2, -1, -8]),
        (22, 5, &[0x21, 0x8f], &[1, 2, -1]),
        (25, 5, &[0xe4], &[0, 1, 2, 3]),
        (26, 5, &[0xe4], &[0, 1, -2, -1]),
    ];
    for (dtype, field, written, expected) in cases {
        let whole = tensor(*dtype, expected.len());
        let packed = whole.clone().ints(*field, written);
        assert_eq!(integers(packed).as_deref(), Ok(*expected), "type {dtype}, packed");
        let unpacked = whole.clone().each_int(*field, written);
        assert_eq!(integers(unpacked).as_deref(), Ok(*expected), "type {dtype}, one by one");
        let (head, tail) = written.split_at(written.len() / 2);
        let mixed = whole.each_int(*field, head).ints(*field, tail);
        assert_eq!(integers(mixed).as_deref(), Ok(*expected), "type {dtype}, mixed");
    }
}

#[test]
fn typed_floats_packed_and_one_by_one() {
    let halves = [0x3c00, 0xc000, 0x7bff, 1, 0x7c00, 0xfc00];
    let expected = [1.0, -2.0, 65504.0, 5.960464477539063e-8, f64::INFINITY, f64::NEG_INFINITY];
    assert_eq!(floats(tensor(10, 6).ints(5, &halves)).as_deref(), Ok(&expected[..]));
    assert_eq!(floats(tensor(10, 6).each_int(5, &halves)).as_deref(), Ok(&expected[..]));
    let brains = [0x3f80, 0xc000, 0x7f80, 1];
    let expected = [1.0, -2.0, f64::INFINITY, 9.183549615799121e-41];
    assert_eq!(floats(tensor(16, 4).ints(5, &brains)).as_deref(), Ok(&expected[..]));
    let run: Vec<u8> = [1.5_f32, -2.25].iter().flat_map(|f| f.to_le_bytes()).collect();
    for message in [
        tensor(1, 2).bytes(4, &run),
        tensor(1, 2).float(4, 1.5).float(4, -2.25),
        tensor(1, 2).bytes(4, &run[..4]).bytes(4, &run[4..]),
        tensor(1, 2).float(4, 1.5).bytes(4, &run[4..]),
    ] {
        assert_eq!(floats(message), Ok(vec![1.5, -2.25]));
    }
    let run: Vec<u8> = [1e300_f64, 0.1].iter().flat_map(|f| f.to_le_bytes()).collect();
    for message in [
        tensor(11, 2).bytes(10, &run),
        tensor(11, 2).double(10, 1e300).double(10, 0.1),
        tensor(11, 2).double(10, 1e300).bytes(10, &run[8..]),
    ] {
        assert_eq!(floats(message), Ok(vec![1e300, 0.1]));
    }
}

#[test]
fn elements_come_from_the_field_of_their_type_only() {
    // The 7 is where elements of 32 bits do.
    assert_eq!(integers(tensor(7, 1).ints(5, &[7]).ints(7, &[9])), Ok(vec![9]));
    assert_eq!(integers(tensor(7, 1).ints(5, &[7])), Err(DecodeError::Short));
    assert_eq!(floats(tensor(1, 1).double(10, 7.0).float(4, 9.0)), Ok(vec![9.0]));
    // Raw data counts before typed data, wherever it is.
    assert_eq!(integers(tensor(3, 1).bytes(9, &[5]).ints(5, &[7])), Ok(vec![5]));
}

#[test]
fn what_cannot_be_decoded_says_why() {
    for dtype in [1, 8, 10, 11, 14, 15, 16, 17, 18, 19, 20, 23, 24, 27, 28, 0, 99, -1] {
        let named = DType::from_onnx(i32::try_from(dtype).expect("a small number"));
        let found = integers(tensor(dtype, 1).bytes(9, &RAW));
        assert_eq!(found, Err(DecodeError::Type(named)), "type {dtype}");
    }
    for dtype in [0, 2, 3, 6, 7, 8, 9, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 99] {
        let named = DType::from_onnx(i32::try_from(dtype).expect("a small number"));
        let found = floats(tensor(dtype, 1).bytes(9, &RAW));
        assert_eq!(found, Err(DecodeError::Type(named)), "type {dtype}");
    }
    assert_eq!(integers(tensor(7, 3).bytes(9, &RAW)), Err(DecodeError::Short));
    assert_eq!(integers(tensor(22, 33).bytes(9, &RAW)), Err(DecodeError::Short));
    assert_eq!(floats(tensor(1, 5).bytes(9, &RAW)), Err(DecodeError::Short));
    assert_eq!(integers(tensor(7, 2)), Err(DecodeError::Absent));
    assert_eq!(integers(tensor(7, 0)), Ok(vec![]));
    assert_eq!(integers(tensor(7, 101)), Err(DecodeError::TooMany { elements: 101 }));
    let external = tensor(7, 1).int(14, 1).msg(13, crate::common::entry("location", "w.bin"));
    assert_eq!(integers(external), Err(DecodeError::External));
    let negative = msg().ints(1, &[2, -3]).int(2, 7);
    assert_eq!(integers(negative), Err(DecodeError::Size(SizeError::Negative(-3))));
    let huge = msg().ints(1, &[1 << 40, 1 << 40]).int(2, 7);
    assert_eq!(integers(huge), Err(DecodeError::Size(SizeError::Overflow)));
    // A packed run that breaks off in the middle of a number.
    assert_eq!(integers(tensor(7, 2).bytes(7, &[0x01, 0x80])), Err(DecodeError::Short));
}

#[test]
fn a_scalar_has_one_element_and_a_zero_none() {
    assert_eq!(integers(msg().int(2, 7).ints(7, &[5])), Ok(vec![5]));
    assert_eq!(integers(msg().ints(1, &[i64::MAX, 0]).int(2, 7).ints(7, &[5])), Ok(vec![]));
    assert_eq!(floats(msg().ints(1, &[0]).int(2, 1)), Ok(vec![]));
}
