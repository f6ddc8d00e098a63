//! Secrets are put together here, so that no scanner takes this file for a leak.

use super::{Masks, find, find_in_entry, mask};

const RANDOM: &str = "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3fG5";

fn masked(text: &str) -> String {
    mask(text).into_owned()
}

#[test]
fn tokens_of_services_keep_their_prefix() {
    for (prefix, secret) in [
        ("sk-proj-", &RANDOM[..32]),
        ("sk-ant-", RANDOM),
        ("sk-", &RANDOM[..32]),
        ("hf_", &RANDOM[..34]),
        ("ghp_", RANDOM),
        ("glpat-", &RANDOM[..20]),
        ("AIza", &RANDOM[..35]),
        ("AKIA", "IOSFODNN7EXAMPLE"),
        ("xoxb-", "123456789012-aB3dE5gH7jK9mN1pQ3sT5vW7"),
        ("dckr_pat_", &RANDOM[..27]),
    ] {
        let shown = format!("{prefix}…({} characters)", secret.len());
        for (before, after) in
            [("", ""), ("export with ", " done"), ("/enc/", "/MatMul"), ("(", ")")]
        {
            let text = format!("{before}{prefix}{secret}{after}");
            assert_eq!(masked(&text), format!("{before}{shown}{after}"), "{text}");
        }
        assert_eq!(
            masked(&format!("x{prefix}{secret}")),
            format!("x{prefix}{secret}"),
            "in a word"
        );
    }
    let token = format!("{}.{}.{}", "eyJhbGciOiJIUzI1NiJ9", RANDOM, RANDOM);
    assert_eq!(masked(&token), format!("eyJ…({} characters)", token.len() - 3));
}

#[test]
fn assigned_values_are_masked() {
    for (text, shown) in [
        ("password = hunter2hunter2", "password = …(14 characters)"),
        ("passwd:hunter2x", "passwd:…(8 characters)"),
        ("pwd=pa55w0rd", "pwd=…(8 characters)"),
        ("secret=s3cr3t!", "secret=…(7 characters)"),
        ("DB_PASSWORD='x9#k2!pq' host", "DB_PASSWORD='…(8 characters)' host"),
        ("{\"api_key\": \"abc123def\"}", "{\"api_key\": \"…(9 characters)\"}"),
        ("clientSecret: \"Zx81kk2\"", "clientSecret: \"…(7 characters)\""),
        ("train --password hunter2x --lr 3", "train --password …(8 characters) --lr 3"),
    ] {
        assert_eq!(masked(text), shown);
    }
    let key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    assert_eq!(
        masked(&format!("AWS_SECRET_ACCESS_KEY={key}")),
        "AWS_SECRET_ACCESS_KEY=…(40 characters)"
    );
    for name in
        ["token = ", "auth_token: ", "--token ", "Authorization: Bearer ", "key=", "apiKey="]
    {
        assert_eq!(masked(&format!("{name}{RANDOM}")), format!("{name}…(36 characters)"));
    }
    let url = "https://user:pa55w0rd@host.example/x";
    assert_eq!(masked(url), "https://user:…(8 characters)@host.example/x");
    let key = format!("-----BEGIN {} KEY-----\nabc\n-----END x", "RSA PRIVATE");
    assert!(masked(&key).ends_with("KEY-----…(5 characters)-----END x"), "{}", masked(&key));
}

#[test]
fn an_entry_is_known_by_its_key() {
    assert_eq!(find_in_entry("password", "hunter2hunter2")[0].hidden, 0..14);
    assert_eq!(find_in_entry("db.api_key", "abc123def").len(), 1);
    for (key, value) in [
        ("password", "required"),
        ("token", "int64"),
        ("tokenizer", "aB3dE5gH7jK9mN1pQ3sT5"),
        ("secret", "see the 2 notes"),
        ("sha256", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        ("key", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        ("monkey", RANDOM),
    ] {
        assert_eq!(find_in_entry(key, value), [], "{key}: {value}");
    }
}

#[test]
fn prose_types_digests_and_names_are_left_alone() {
    for text in [
        "https://example.org/hf_models",
        "task-sk-learn-model-for-everyone-and-all-of-their-friends-2",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "key = 550e8400-e29b-41d4-a716-446655440000",
        "550e8400-e29b-41d4-a716-446655440000",
        "mail@example.org",
        "hf_transformers",
        "hf_model_encoder_layer_0_attention_self_query_weight",
        "password = required",
        "password: 8 characters or more",
        "token = int64",
        "secret = bfloat16",
        "password: float8e4m3fn",
        "tokenizer: bert-base-uncased-2023",
        "<pad> token: 0",
        "pad_token: [PAD1]",
        "eos_token = <|endoftext1|>",
        "max_token = 4096",
        "token: embed_tokens.weight.layer_12",
        "key: query_key_value_proj_weight_12",
        "password=${DB_PASSWORD1}",
        "password: <password1>",
        "PWD=/data/user1/models",
        "api_key: os.environ('KEY1')",
        "bearer of bad news since 1970",
        "https://user:{password1}@host",
        "/model/layers.0/self_attn/q_proj/MatMul_output_0",
        "attention: scaled_dot_product_attention_2",
        "past_key_values.0.key",
        "model.key=attention.weights.bias",
        "sk-",
        "",
        "AKIA",
        "password=",
        "password",
    ] {
        assert_eq!(find(text), [], "{text}");
        assert_eq!(masked(text), text);
    }
}

#[test]
fn equal_secrets_have_equal_masks() {
    let mut masks = Masks::default();
    let [one, two] = [RANDOM.to_owned(), RANDOM.to_lowercase()];
    let first = masks.mask(&format!("ghp_{one}")).into_owned();
    assert_eq!(first, "ghp_…(36 characters)");
    assert_eq!(masks.mask(&format!("ghp_{two}")), "ghp_…(36 characters, #2)");
    assert_eq!(masks.mask(&format!("token={one}")), "token=…(36 characters)");
    assert_eq!(masks.mask(&first), first, "a mask stays as it is");
}

#[test]
fn text_beyond_ascii_is_cut_between_characters() {
    assert_eq!(masked("password = pässwörd1"), "password = …(9 characters)");
    assert_eq!(masked("ключ password=x1y2z3ö"), "ключ password=…(7 characters)");
    for text in ["ö=", "ö password=ö", "é--", "日本:语言"] {
        assert_eq!(masked(text), text);
    }
}

#[test]
fn hostile_texts_take_time_in_proportion() {
    // Each takes well under a second even without optimization; the square of any would take hours.
    const SIZE: usize = 2_000_000;
    for part in [
        "a",
        "sk-",
        "password=",
        "password=a",
        "://",
        "a:b@",
        "-----BEGIN ",
        "key:",
        "--",
        "= ",
        "eyJ",
        "token=aB3",
    ] {
        let text = part.repeat(SIZE / part.len());
        let secrets = find(&text).len();
        assert!(secrets <= 1, "{part}: {secrets}");
    }
    let many = format!("hf_{} ", &RANDOM[..34]).repeat(20_000);
    assert_eq!(find(&many).len(), 20_000);
}
