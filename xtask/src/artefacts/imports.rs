//! What an artefact asks of its host. The core reads no clock and draws no seed, and here that is
//! proven: a component and a raw module ask for nothing, the glued module only for its glue.

use anyhow::{Result, bail, ensure};
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

/// Fails when a module or component imports anything.
pub(super) fn none(bytes: &[u8]) -> Result<()> {
    let imports = of(bytes)?;
    ensure!(imports.is_empty(), "it must import nothing, but asks for {}", list(&imports));
    Ok(())
}

/// Fails when a component imports anything but these interfaces, in whatever version.
pub(super) fn among(bytes: &[u8], allowed: &[&str]) -> Result<()> {
    let mut foreign = of(bytes)?;
    foreign.retain(|(name, _)| {
        let interface = name.split('@').next().unwrap_or_default();
        !allowed.contains(&interface)
    });
    ensure!(
        foreign.is_empty(),
        "it may import {} only, but asks for {}",
        allowed.join(", "),
        list(&foreign)
    );
    Ok(())
}

/// Fails when a module imports anything from elsewhere than `module`.
pub(super) fn only_from(bytes: &[u8], module: &str) -> Result<()> {
    let mut foreign = of(bytes)?;
    foreign.retain(|(from, _)| from != module);
    ensure!(
        foreign.is_empty(),
        "it may import from `{module}` only, but asks for {}",
        list(&foreign)
    );
    Ok(())
}

/// The imports of the outermost module or component, as module and name.
fn of(bytes: &[u8]) -> Result<Vec<(String, String)>> {
    if let Err(error) = Validator::new_with_features(WasmFeatures::all()).validate_all(bytes) {
        bail!("it is not valid WebAssembly: {error}");
    }
    let mut imports = Vec::new();
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ImportSection(section) if depth == 0 => {
                for import in section.into_imports() {
                    let import = import?;
                    imports.push((import.module.to_owned(), import.name.to_owned()));
                }
            }
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    imports.push((import?.name.name.to_owned(), String::new()));
                }
            }
            _ => {}
        }
    }
    Ok(imports)
}

fn list(imports: &[(String, String)]) -> String {
    let one = |(from, name): &(String, String)| {
        if name.is_empty() { format!("`{from}`") } else { format!("`{name}` from `{from}`") }
    };
    imports.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(module (import "env" "now" (func)))`
    const IMPORTS_NOW: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x0b\x01\x03env\x03now\0\0";
    const EMPTY: &[u8] = b"\0asm\x01\0\0\0";
    /// A component that holds the module above: what is inside it asks, the component does not.
    const HOLDS_IT: &[u8] =
        b"\0asm\x0d\0\x01\0\x01\x1b\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x0b\x01\x03env\x03now\0\0";

    #[test]
    fn a_module_that_asks_for_a_clock_is_refused_by_name() {
        let error = none(IMPORTS_NOW).unwrap_err().to_string();
        assert_eq!(error, "it must import nothing, but asks for `now` from `env`");
        let error = only_from(IMPORTS_NOW, "./glue.js").unwrap_err().to_string();
        assert!(error.contains("`now` from `env`"), "{error}");
    }

    #[test]
    fn a_module_that_asks_for_nothing_passes() {
        none(EMPTY).unwrap();
        only_from(IMPORTS_NOW, "env").unwrap();
        none(HOLDS_IT).unwrap();
    }

    #[test]
    fn a_component_that_asks_for_more_than_it_may_is_refused_by_name() {
        /// `(component (import "wasi:cli/exit@0.3.0" (instance)))`
        const EXITS: &[u8] =
            b"\0asm\x0d\0\x01\0\x07\x03\x01\x42\0\x0a\x18\x01\0\x13wasi:cli/exit@0.3.0\x05\0";
        among(EXITS, &["wasi:cli/exit"]).unwrap();
        let error = among(EXITS, &["wasi:http/types"]).unwrap_err().to_string();
        assert!(error.contains("`wasi:cli/exit@0.3.0`"), "{error}");
    }

    #[test]
    fn what_is_not_webassembly_is_said_to_be_so() {
        assert!(none(b"hello").unwrap_err().to_string().starts_with("it is not valid WebAssembly"));
    }
}
