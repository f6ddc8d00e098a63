//! The console blocks of the README and of the guide, executed in the root of the repository.

calipers_testkit::tests! {
    test: [console_blocks_are_what_the_command_prints];
}

/// `scripts/regenerate readme` writes the blocks that differ.
fn console_blocks_are_what_the_command_prints() {
    let cases = trycmd::TestCases::new();
    cases
        .register_bin("calipers", trycmd::schema::Bin::Path(env!("CARGO_BIN_EXE_calipers").into()))
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .env("LANG", "C.UTF-8")
        .case("README.md")
        .case("docs/guide/*.md");
    cases.run();
}
