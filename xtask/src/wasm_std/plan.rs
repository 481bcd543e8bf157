//! The choice, as a function of what was found.

use std::path::PathBuf;

use super::{
    TARGET, Version,
    offer::{self, Offers},
    toolchain::{Home, Std, Toolchain},
};

/// What was found on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The oldest compiler the crates accept.
    pub(crate) msrv: Version,
    /// The compiler this program was started with.
    pub(crate) ordinary: Option<Compiler>,
    /// The distribution's, where that is another one.
    pub(crate) distribution: Option<Compiler>,
    /// A WebAssembly linker on the search path that is new enough, else one of a rustup toolchain.
    pub(crate) linker: Option<PathBuf>,
    pub(crate) rustup: Rustup,
    pub(crate) apt: Apt,
}

/// One compiler, and what lies beside it.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is there or not, independent of the others"
)]
pub(crate) struct Compiler {
    /// The line `rustc -V` prints.
    pub(crate) name: String,
    pub(crate) version: Version,
    pub(crate) sysroot: PathBuf,
    /// The folder `rustc --print target-libdir` names holds a `core` for WebAssembly.
    pub(crate) has_wasm_std: bool,
    /// The source of std lies in its sysroot.
    pub(crate) has_source: bool,
    /// It knows the flag for panics that trap at once.
    pub(crate) has_bare_panics: bool,
    /// It brings a working linker of its own.
    pub(crate) has_linker: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rustup {
    Absent,
    /// `RUSTUP_AUTO_INSTALL=0`: it must not fetch anything.
    Forbidden,
    Usable,
    /// It was asked and could not.
    Tried,
}

#[derive(Clone, Debug)]
pub(crate) enum Apt {
    /// Not a Debian-like system, or not root.
    Unusable,
    /// Root, with apt-get; its package lists were not read yet.
    Unasked,
    Offers(Offers),
    /// Its packages were installed.
    Tried,
}

/// The next thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    Use(Toolchain),
    RustupAdd,
    AskApt,
    AptInstall(Vec<String>),
    /// Nothing can be done here without the person: this says what to type.
    Explain(String),
}

/// The order of the module's documentation, first match wins.
pub(crate) fn plan(facts: &Facts) -> Plan {
    if let Some(compiler) = facts.usable(facts.ordinary.as_ref()).filter(|c| c.has_wasm_std) {
        return Plan::Use(facts.toolchain(Home::Ordinary, compiler, Std::Installed));
    }
    if facts.rustup == Rustup::Usable {
        return Plan::RustupAdd;
    }
    if let Some(compiler) = facts.usable(facts.distribution.as_ref()).filter(|c| c.has_wasm_std) {
        return Plan::Use(facts.toolchain(Home::Distribution, compiler, Std::Installed));
    }
    let sources = [(Home::Ordinary, &facts.ordinary), (Home::Distribution, &facts.distribution)];
    for (home, compiler) in sources {
        let ready = |c: &&Compiler| c.has_source && (c.has_linker || facts.linker.is_some());
        if let Some(compiler) = facts.usable(compiler.as_ref()).filter(ready) {
            let std = Std::FromSource { bare_panics: compiler.has_bare_panics };
            return Plan::Use(facts.toolchain(home, compiler, std));
        }
    }
    match &facts.apt {
        Apt::Unasked => Plan::AskApt,
        Apt::Offers(offers) => offer::choose(offers, facts.msrv, facts.linker.is_some())
            .map_or_else(|| Plan::Explain(explain(facts)), Plan::AptInstall),
        Apt::Unusable | Apt::Tried => Plan::Explain(explain(facts)),
    }
}

impl Facts {
    /// A compiler too old for the crates is as good as none.
    fn usable<'a>(&self, compiler: Option<&'a Compiler>) -> Option<&'a Compiler> {
        compiler.filter(|compiler| compiler.version >= self.msrv)
    }

    fn toolchain(&self, home: Home, compiler: &Compiler, std: Std) -> Toolchain {
        let linker = if compiler.has_linker { None } else { self.linker.clone() };
        let (name, sysroot) = (compiler.name.clone(), compiler.sysroot.clone());
        Toolchain { home, name, version: compiler.version, sysroot, std, linker }
    }
}

fn explain(facts: &Facts) -> String {
    let why = match (facts.rustup, &facts.apt) {
        (_, Apt::Tried) => "the distribution's packages were installed and still do not provide it",
        (_, Apt::Offers(_)) => "the distribution offers no compiler that is new enough",
        (Rustup::Tried, _) => "rustup could not install it",
        (Rustup::Forbidden, _) => "RUSTUP_AUTO_INSTALL=0 forbids rustup to install it",
        _ => "there is no rustup to install it",
    };
    format!(
        "no Rust standard library for {TARGET} was found, and {why}.\n\
         Do one of these, then run the command again:\n\
         \x20 with rustup:                  rustup target add {TARGET}\n\
         \x20 with rustup, from source:     rustup component add rust-src\n\
         \x20 Debian 12 and 13, as root:    apt-get update && apt-get install --no-install-recommends {}\n\
         \x20 newer releases, as root:      apt-get update && apt-get install --no-install-recommends {}\n\
         Rust {} or newer is needed.",
        offer::SOURCE.join(" ") + " lld-19",
        offer::PREBUILT.join(" ") + " lld",
        facts.msrv,
    )
}

#[cfg(test)]
mod tests;
