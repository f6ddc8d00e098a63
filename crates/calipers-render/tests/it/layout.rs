//! What holds for every layout: boxes do not overlap, arrows go down, the same task gives the same
//! sheet, and a box that grows in a row pushes only its neighbors.
use calipers_render::graph::{Sheet, Task, lay_out};
use proptest::prelude::*;

calipers_testkit::tests! {
    test: [
        boxes_keep_apart_and_arrows_go_down,
        arrows_along_the_order_never_go_up,
        a_chain_is_straight,
        nothing_to_lay_out_is_no_fault,
        a_group_of_many_boxes_and_long_arrows_is_laid_out,
    ];
}

fn check(task: &Task, sheet: &Sheet) {
    assert_eq!(sheet.boxes.len(), task.sizes.len());
    for (number, one) in sheet.boxes.iter().enumerate() {
        assert!(one.x.is_finite() && one.y.is_finite());
        assert!(one.x - one.width / 2.0 >= -1.0 && one.x + one.width / 2.0 <= sheet.width + 1.0);
        for other in &sheet.boxes[number + 1..] {
            let apart = (one.x - other.x).abs() >= (one.width + other.width) / 2.0 - 1.0
                || one.y + one.height <= other.y
                || other.y + other.height <= one.y;
            assert!(apart, "{one:?} and {other:?}");
        }
    }
    for ((from, to), bends) in task.arrows.iter().zip(&sheet.bends) {
        if from == to {
            continue;
        }
        let (from, to) = (sheet.boxes[*from], sheet.boxes[*to]);
        assert_ne!(from.rank, to.rank);
        let (above, below) = if from.rank < to.rank { (from, to) } else { (to, from) };
        assert!(above.y + above.height <= below.y);
        let ranks: Vec<usize> = bends.iter().map(|(rank, _)| *rank).collect();
        assert!(bends.is_empty() || ranks == (above.rank + 1..below.rank).collect::<Vec<_>>());
    }
}

fn tasks() -> impl Strategy<Value = Task> {
    (1_usize..60).prop_flat_map(|count| {
        let sizes = prop::collection::vec((6_u32..300, 6_u32..80), count);
        let arrows = prop::collection::vec((0..count, 0..count), 0..count * 3);
        (sizes, arrows, any::<bool>(), any::<bool>()).prop_map(|(sizes, arrows, top, bottom)| {
            let count = sizes.len();
            let sizes = sizes.into_iter().map(|(width, height)| (width.into(), height.into()));
            Task {
                sizes: sizes.collect(),
                arrows,
                order: (0..count).collect(),
                top: (top && count > 2).then_some(0),
                bottom: (bottom && count > 2).then_some(count - 1),
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    fn boxes_keep_apart_and_arrows_go_down(task in tasks()) {
        let sheet = lay_out(&task);
        check(&task, &sheet);
        prop_assert_eq!(&sheet, &lay_out(&task));
    }

    fn arrows_along_the_order_never_go_up(task in tasks()) {
        let arrows = task.arrows.iter().map(|(from, to)| (*from.min(to), *from.max(to)));
        let task = Task { arrows: arrows.collect(), top: None, bottom: None, ..task };
        let sheet = lay_out(&task);
        for (from, to) in task.arrows.iter().filter(|(from, to)| from != to) {
            prop_assert!(sheet.boxes[*from].rank < sheet.boxes[*to].rank);
        }
    }
}

fn a_chain_is_straight() {
    let task = Task {
        sizes: vec![(80.0, 30.0), (120.0, 30.0), (60.0, 44.0)],
        arrows: vec![(0, 1), (1, 2)],
        order: vec![0, 1, 2],
        ..Task::default()
    };
    let sheet = lay_out(&task);
    assert!(sheet.boxes.iter().all(|place| place.x == 60.0), "{sheet:?}");
    assert_eq!(sheet.width, 120.0);
    // Three rows and two spaces of 44 between them: 30 + 44 + 30 + 44 + 44.
    assert_eq!(sheet.height, 192.0);
}

fn nothing_to_lay_out_is_no_fault() {
    assert_eq!(lay_out(&Task::default()), Sheet::default());
    let lost = Task { sizes: vec![(10.0, 10.0)], arrows: vec![(0, 7), (9, 0)], ..Task::default() };
    assert_eq!(lay_out(&lost).boxes.len(), 1);
}

fn a_group_of_many_boxes_and_long_arrows_is_laid_out() {
    let count = 3000;
    let chain = (1..count).map(|to| (to - 1, to));
    let long = (0..count / 2).map(|from| (from, count - 1 - from));
    let task = Task {
        sizes: vec![(60.0, 30.0); count],
        arrows: chain.chain(long).collect(),
        order: (0..count).collect(),
        ..Task::default()
    };
    assert_eq!(lay_out(&task).bands.len(), count);
}
