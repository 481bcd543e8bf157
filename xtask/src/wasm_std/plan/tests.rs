use super::*;

const MSRV: Version = Version::new(1, 88);

fn compiler(minor: u32) -> Compiler {
    Compiler {
        name: format!("rustc 1.{minor}.0"),
        version: Version::new(1, minor),
        sysroot: "/somewhere".into(),
        has_wasm_std: false,
        has_source: false,
        has_bare_panics: minor >= 92,
        has_linker: false,
    }
}

/// A rustup toolchain without the target, as most people have it.
fn rustup_toolchain() -> Compiler {
    Compiler { has_linker: true, ..compiler(95) }
}

fn with_source(minor: u32) -> Compiler {
    Compiler { has_source: true, ..compiler(minor) }
}

fn facts() -> Facts {
    Facts {
        msrv: MSRV,
        ordinary: Some(rustup_toolchain()),
        distribution: None,
        linker: None,
        rustup: Rustup::Forbidden,
        apt: Apt::Unusable,
    }
}

fn chosen(facts: &Facts) -> (Home, Std, Option<PathBuf>) {
    match plan(facts) {
        Plan::Use(toolchain) => (toolchain.home, toolchain.std, toolchain.linker),
        other => panic!("expected a toolchain, got {other:?}"),
    }
}

fn explained(facts: &Facts) -> String {
    match plan(facts) {
        Plan::Explain(text) => text,
        other => panic!("expected an explanation, got {other:?}"),
    }
}

#[test]
fn an_installed_target_is_used_whatever_else_is_there() {
    let ordinary = Compiler { has_wasm_std: true, ..rustup_toolchain() };
    let facts = Facts {
        ordinary: Some(ordinary),
        distribution: Some(with_source(96)),
        linker: Some("wasm-ld-19".into()),
        rustup: Rustup::Usable,
        ..facts()
    };
    assert_eq!(chosen(&facts), (Home::Ordinary, Std::Installed, None));
}

#[test]
fn rustup_is_asked_only_when_it_may_install() {
    for (rustup, asked) in [
        (Rustup::Usable, true),
        (Rustup::Forbidden, false),
        (Rustup::Absent, false),
        (Rustup::Tried, false),
    ] {
        let facts = Facts { rustup, ..facts() };
        assert_eq!(plan(&facts) == Plan::RustupAdd, asked, "{rustup:?}");
    }
}

#[test]
fn a_failed_rustup_leads_on_to_the_source_build() {
    let facts = Facts {
        distribution: Some(with_source(96)),
        linker: Some("wasm-ld-19".into()),
        rustup: Rustup::Tried,
        ..facts()
    };
    let linker = Some("wasm-ld-19".into());
    let std = Std::FromSource { bare_panics: true };
    assert_eq!(chosen(&facts), (Home::Distribution, std, linker));
}

#[test]
fn the_distributions_ready_made_std_comes_before_a_source_build() {
    let distribution = Compiler { has_wasm_std: true, ..with_source(90) };
    let facts = Facts { distribution: Some(distribution), ..facts() };
    assert_eq!(chosen(&facts), (Home::Distribution, Std::Installed, None));
}

#[test]
fn the_compiler_in_use_builds_std_when_it_has_the_source() {
    let ordinary = Compiler { has_source: true, ..rustup_toolchain() };
    let facts = Facts { ordinary: Some(ordinary), distribution: Some(with_source(96)), ..facts() };
    let std = Std::FromSource { bare_panics: true };
    assert_eq!(chosen(&facts), (Home::Ordinary, std, None));
}

#[test]
fn a_compiler_that_is_too_old_is_as_good_as_none() {
    let old = Compiler { has_wasm_std: true, has_source: true, has_linker: true, ..compiler(85) };
    let facts = Facts { ordinary: Some(old.clone()), distribution: Some(old), ..facts() };
    assert!(explained(&facts).contains("Rust 1.88 or newer"));
}

#[test]
fn a_source_build_needs_a_linker() {
    let facts = Facts { distribution: Some(with_source(96)), apt: Apt::Unasked, ..facts() };
    assert_eq!(plan(&facts), Plan::AskApt);
}

#[test]
fn apt_is_asked_then_told_then_never_again() {
    let asked = Facts { apt: Apt::Unasked, ..facts() };
    assert_eq!(plan(&asked), Plan::AskApt);

    let offers =
        [("rustc-web", 1, 96), ("cargo-web", 1, 96), ("rust-web-src", 1, 96), ("lld-19", 19, 1)];
    let offers = offers.map(|(name, major, minor)| (name.to_owned(), Version::new(major, minor)));
    let told = Facts { apt: Apt::Offers(offers.into()), ..facts() };
    let packages = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"].map(str::to_owned);
    assert_eq!(plan(&told), Plan::AptInstall(packages.into()));

    let again = Facts { apt: Apt::Tried, ..facts() };
    assert!(explained(&again).contains("still do not provide it"));
}

#[test]
fn without_root_the_exact_commands_are_printed() {
    let text = explained(&facts());
    for command in [
        "rustup target add wasm32-unknown-unknown",
        "apt-get install --no-install-recommends rustc-web cargo-web rust-web-src lld-19",
        "apt-get install --no-install-recommends rustc cargo libstd-rust-dev-wasm32 lld",
        "RUSTUP_AUTO_INSTALL=0 forbids",
    ] {
        assert!(text.contains(command), "{command} is missing in\n{text}");
    }
}

#[test]
fn a_machine_without_any_compiler_but_the_one_that_runs_this_still_gets_an_answer() {
    let facts = Facts { ordinary: None, rustup: Rustup::Absent, ..facts() };
    assert!(explained(&facts).contains("there is no rustup"));
}
