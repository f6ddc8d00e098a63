use super::*;
use crate::testing::{a, b, e, k};

#[test]
fn what_exporters_write() {
    let p = |name: &str| Expr::from(Symbol::new(name));
    assert_eq!(e("past_sequence_length + 1"), p("past_sequence_length") + 1);
    assert_eq!(e("encoder_sequence_length / 2"), p("encoder_sequence_length").floor_div(&k(2)));
    assert_eq!(e("2*s0"), 2 * p("s0"));
    assert_eq!(e("s0 - 1"), p("s0") - 1);
    assert_eq!(e("(batch*seq)//8"), (p("batch") * p("seq")).floor_div(&k(8)));
    assert_eq!(e("Max(1, s0)"), p("s0").max(k(1)));
    assert_eq!(e("floor(L/2 - 1/2)"), (p("L") - 1).floor_div(&k(2)));
    assert_eq!(e("ceiling(L/2 + 1/3)"), (3 * p("L") + 2).ceil_div(&k(6)));
    assert_eq!(e("FloorDiv(s0, 2)*Mod(s0, 8)"), e("s0//2 * (s0 % 8)"));
    assert_eq!(e("unk__492"), p("unk__492"));
    assert_eq!(e("Loopy_dim_0"), p("Loopy_dim_0"));
    assert_eq!(e("партия"), p("партия"));
    assert_eq!(e("input.1:0"), p("input.1:0"));
}

#[test]
fn operators_bind_as_usual() {
    assert_eq!(e("-a^2"), -a().pow(2));
    assert_eq!(e("-a**2 + +b"), b() - a().pow(2));
    assert_eq!(e("a - b - 1"), a() - b() - 1);
    assert_eq!(e("- - a"), a());
    assert_eq!(e("a/2*2"), a().floor_div(&k(2)) * 2);
    assert_eq!(e("floor(a/2*2)"), a());
    assert_eq!(e("2*a mod 3"), (2 * a()).modulo(&k(3)));
    assert_eq!(e("floor((a + 1)//2/3)"), (a() + 1).floor_div(&k(6)));
    assert_eq!(e("floor((a/2)^2)"), a().pow(2).floor_div(&k(4)));
    assert_eq!(e("max + 1"), Expr::from(Symbol::new("max")) + 1);
}

#[test]
fn other_strings_are_refused() {
    for text in [
        "",
        " ",
        "?",
        "batch\"}]; alert(1)//",
        "sequence length",
        "a +",
        "(a",
        "a)",
        "2a",
        "1.5",
        "f(a)",
        "min()",
        "floor(a, b)",
        "Mod(a)",
        "a^b",
        "a^-1",
        "a^256",
        "a mod",
        "mod",
        "mod a",
        "a,b",
        "1/0",
        "a // (b - b)",
        "`a",
        "a..b c",
        "()",
        "floor(a/2 mod 3)",
    ] {
        assert!(parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn errors_say_where() {
    assert_eq!(parse("ab + ?").unwrap_err().offset_bytes(), 5);
    assert_eq!(parse("sequence length").unwrap_err().offset_bytes(), 9);
    assert_eq!(parse("a +").unwrap_err().to_string(), "the expression is not finished (at byte 3)");
}

#[test]
fn what_does_not_parse_is_one_name() {
    for text in ["batch\"}]; alert(1)//", "?", "", "sequence length", "1/0", "`"] {
        let dimension = Expr::from_dimension(text, 1);
        assert_eq!(dimension.as_symbol().map(Symbol::name), Some(text));
        assert_eq!(dimension.lower_bound(), Some(1));
        assert_eq!(e(&dimension.to_string()), dimension);
    }
    assert_eq!(Expr::from_dimension("batch", 1).lower_bound(), Some(1));
    assert_eq!(Expr::from_dimension("Max(1, s0)", 1).to_string(), "s0");
    assert_eq!(Expr::from_dimension("32", 1), 32);
}

#[test]
fn hostile_strings_end_soon() {
    let nested = format!("{}a{}", "(".repeat(2000), ")".repeat(2000));
    assert!(parse(&nested).is_err());
    assert!(parse(&"a".repeat(5000)).is_err());
    assert!(parse(&format!("{}a", "-".repeat(4000))).is_ok());
    assert!(parse(&"floor(".repeat(600)).is_err());
    let power = "(a+b+c+d+f+g)^9*".repeat(200);
    assert!(parse(&format!("{power}1")).is_err());
    let tower = "((((a+b)^99)^99)^99)^99";
    assert!(parse(tower).is_err());
    let sum: String = (0..800).map(|i| format!("+s{i}")).collect();
    assert!(parse(&sum[1..]).is_ok());
    let extremum: String = (0..500).map(|i| format!(",s{i}")).collect();
    assert!(parse(&format!("max({})", &extremum[1..])).is_err());
    assert!(parse(&"9".repeat(4000)).is_err());
}

#[test]
fn slashes_and_hyphens_between_names_belong_to_the_name() {
    for name in ["Reshape/encoder/out_dim_1", "batch-size", "model.0/attn/Add:0", "a-b/c"] {
        assert_eq!(Expr::from_dimension(name, 1), Expr::from(Symbol::at_least(name, 1)), "{name}");
    }
    let path = Expr::from(Symbol::at_least("Add/out_dim_0", 1));
    assert_eq!(Expr::from_dimension("2*Add/out_dim_0 + 1", 1), path * 2 + 1);
}

#[test]
fn slashes_and_signs_of_expressions_stay_operators() {
    let same = |text: &str, shown: &str| {
        assert_eq!(Expr::from_dimension(text, 1).to_string(), shown, "{text}");
    };
    same("s0/2", "floor(s0/2)");
    same("s0-1", "s0 - 1");
    same("a - b", "a - b");
    same("a//b", "floor(a/b)");
    same("floor(H/S)", "floor(H/S)");
    same("(a-b)*2", "2*a - 2*b");
}
