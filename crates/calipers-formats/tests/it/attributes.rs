//! Attributes of all fourteen kinds, with their type stated, left out, or wrong.

use calipers_ir::{AttributeValue, GraphKind, Leaf, List, Model, StoredIn};

use crate::common::{Msg, msg, node, read_graph};

fn read_attribute(attribute: Msg) -> (Model, AttributeValue) {
    let attribute = msg().text(1, "a").and(attribute);
    let model = read_graph(msg().msg(1, node("Op", &["x"], &["y"]).msg(5, attribute)));
    let (id, _) = model.nodes().next().expect("a node");
    let value = model.attribute(id, "a").expect("the attribute").clone();
    assert!(model.unknown_fields.is_empty());
    (model, value)
}

/// The attribute with its type stated and with it left out, which must read alike.
fn both(kind: i64, contents: &Msg) -> (Model, AttributeValue) {
    let (_, implied) = read_attribute(contents.clone());
    let (model, stated) = read_attribute(contents.clone().int(20, kind));
    assert_eq!(std::mem::discriminant(&implied), std::mem::discriminant(&stated), "kind {kind}");
    let (_, first) = read_attribute(msg().int(20, kind).and(contents.clone()));
    assert_eq!(std::mem::discriminant(&first), std::mem::discriminant(&stated), "kind {kind}");
    (model, stated)
}

fn held<T: Clone>(list: &List<T>) -> Vec<T> {
    list.held().expect("held").to_vec()
}

#[test]
fn single_values() {
    assert_eq!(both(1, &msg().float(2, -0.5)).1, AttributeValue::Float(-0.5));
    assert_eq!(both(2, &msg().int(3, i64::MIN)).1, AttributeValue::Int(i64::MIN));
    let AttributeValue::Text(text) = both(3, &msg().bytes(4, b"NOT\xffSET")).1 else {
        panic!("a text")
    };
    assert_eq!(held(text.setting()), b"NOT\xffSET");
}

#[test]
fn messages() {
    let (model, value) = both(4, &msg().msg(5, msg().int(2, 7).text(8, "t").ints(7, &[3])));
    let AttributeValue::Tensor(id) = value else { panic!("a tensor") };
    assert_eq!(model.integers(id, 1), Ok(vec![3]));
    assert_eq!(model.tensor(id).stored_in, StoredIn::Attribute);
    let (model, value) = both(5, &msg().msg(6, msg().text(2, "inner")));
    let AttributeValue::Graph(id) = value else { panic!("a graph") };
    assert_eq!(model.name(model.graph(id).name), "inner");
    let GraphKind::Subgraph { attribute, .. } = model.graph(id).kind else { panic!("inside") };
    assert_eq!(model.name(attribute), "a");
    let (model, value) = both(11, &msg().msg(22, msg().msg(1, msg().text(8, "s")).int(3, 9)));
    let AttributeValue::SparseTensor(id) = value else { panic!("a sparse tensor") };
    assert_eq!(model.sparse_tensor(id).elements(), Ok(9));
    let values = model.sparse_tensor(id).values.expect("there");
    assert_eq!(model.tensor(values).stored_in, StoredIn::Sparse);
    let (model, value) = both(13, &msg().msg(14, msg().msg(7, msg().text(2, "o"))));
    let AttributeValue::Type(id) = value else { panic!("a type") };
    assert!(matches!(model.value_type(id).leaf, Leaf::Opaque { .. }));
}

#[test]
fn lists() {
    let floats = msg().bytes(7, &[0, 0, 128, 63, 0, 0, 0, 64]).float(7, 3.0);
    let AttributeValue::Floats(list) = both(6, &floats).1 else { panic!("numbers") };
    assert_eq!(held(&list), [1.0, 2.0, 3.0]);
    let ints = msg().ints(8, &[1, -1]).int(8, 5).ints(8, &[]).ints(8, &[i64::MAX]);
    let AttributeValue::Ints(list) = both(7, &ints).1 else { panic!("integers") };
    assert_eq!(held(&list), [1, -1, 5, i64::MAX]);
    let texts = msg().text(9, "one").text(9, "").text(9, "three");
    let (model, AttributeValue::Texts { count, bytes, first, .. }) = both(8, &texts) else {
        panic!("texts")
    };
    assert_eq!((count, bytes), (3, 8));
    assert_eq!(first.iter().map(|t| model.name(*t)).collect::<Vec<_>>(), ["one", "", "three"]);
    let tensors = msg().msg(10, msg().int(2, 1)).msg(10, msg().int(2, 7));
    let AttributeValue::Tensors(list) = both(9, &tensors).1 else { panic!("tensors") };
    assert_eq!(list.len(), 2);
    let (model, value) = both(10, &msg().msg(11, msg()).msg(11, msg().text(2, "second")));
    let AttributeValue::Graphs(list) = value else { panic!("graphs") };
    assert_eq!(model.name(model.graph(list[1]).name), "second");
    let AttributeValue::SparseTensors(list) = both(12, &msg().msg(23, msg())).1 else {
        panic!("sparse tensors")
    };
    assert_eq!(list.len(), 1);
    let types = msg().msg(15, msg()).msg(15, msg().msg(1, msg()));
    let AttributeValue::Types(list) = both(14, &types).1 else { panic!("types") };
    assert_eq!(list.len(), 2);
}

#[test]
fn a_stated_type_without_contents() {
    assert_eq!(read_attribute(msg().int(20, 1)).1, AttributeValue::Float(0.0));
    assert_eq!(read_attribute(msg().int(20, 2)).1, AttributeValue::Int(0));
    for kind in [4, 5, 11, 13] {
        let (_, value) = read_attribute(msg().int(20, kind));
        assert!(matches!(value, AttributeValue::Unknown(k) if i64::from(k) == kind));
    }
    let AttributeValue::Ints(list) = read_attribute(msg().int(20, 7)).1 else { panic!("a list") };
    assert!(list.is_empty());
}

#[test]
fn what_has_no_kind_is_unknown() {
    assert_eq!(read_attribute(msg()).1, AttributeValue::Unknown(0));
    assert_eq!(read_attribute(msg().int(20, 15).int(3, 1)).1, AttributeValue::Unknown(15));
    assert_eq!(read_attribute(msg().int(20, -1)).1, AttributeValue::Unknown(-1));
    // The stated type counts, not what else is there.
    assert_eq!(read_attribute(msg().float(2, 1.0).int(20, 2)).1, AttributeValue::Int(0));
}

#[test]
fn references_count_before_anything_else() {
    let (model, value) = read_attribute(msg().float(2, 1.0).int(20, 1).text(21, "outer"));
    let AttributeValue::Reference(name) = value else { panic!("a reference") };
    assert_eq!(model.name(name), "outer");
    assert_eq!(read_attribute(msg().int(20, 2).text(21, "")).1, AttributeValue::Int(0));
}

#[test]
fn large_lists_stay_in_the_file() {
    let few: Vec<i64> = vec![7; 1 << 20];
    let AttributeValue::Ints(list) = read_attribute(msg().ints(8, &few)).1 else { panic!("ints") };
    assert_eq!(list.held().map(<[_]>::len), Some(1 << 20));
    let many: Vec<i64> = vec![7; (1 << 20) + 1];
    for ints in [msg().ints(8, &many), msg().each_int(8, &many)] {
        let (model, AttributeValue::Ints(List::Stored { count, at })) = read_attribute(ints) else {
            panic!("left in the file")
        };
        assert_eq!(count, (1 << 20) + 1);
        assert!(model.source.slice(at).is_some_and(|bytes| bytes.starts_with(&[0x0a, 1, b'a'])));
    }
    let text = "x".repeat(2000);
    let (model, value) = read_attribute(msg().text(4, &text));
    let AttributeValue::Text(stored) = value else { panic!("a text") };
    let List::Stored { count: 2000, at } = stored.setting() else { panic!("left") };
    assert_eq!(model.source.slice(*at), Some(text.as_bytes()));
    let texts = (0..50).fold(msg(), |message, _| message.text(9, "label"));
    let AttributeValue::Texts { count, bytes, first, .. } = read_attribute(texts).1 else {
        panic!("texts")
    };
    assert_eq!((count, bytes, first.len()), (50, 250, 16));
}
