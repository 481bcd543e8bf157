//! Puts a module into JavaScript with binaryen's `wasm2js`, for hosts without WebAssembly.
//!
//! Bit for bit the same answers are the point, so what `wasm2js` would put differently must not be
//! there: it takes a saturating conversion for a wrapping one. A module compiled with [`PLAIN`] has
//! none, since the compiler writes out the comparisons itself.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use wasmparser::{Operator, Parser, Payload};

use super::optimise::{Optimiser, write};
use crate::process;

/// WebAssembly as it first was: no saturating conversion, no bulk copy, no sign extension.
pub(super) const PLAIN: &str = "-Ctarget-cpu=mvp";

/// A JavaScript module whose default export makes an instance: the module's exports as an object.
/// Nothing happens at import. `scratch` is a path whose neighbours may be written.
pub(super) fn run(optimiser: &Optimiser, module: &[u8], scratch: &Path) -> Result<Vec<u8>> {
    let smaller = optimiser.run(module, scratch)?;
    nothing_saturates(&smaller)?;
    let (from, to) =
        (scratch.with_extension("after.wasm"), scratch.with_extension("translated.js"));
    let mut command = Command::new(optimiser.beside("wasm2js"));
    process::capture(command.arg("-O").arg(&from).arg("-o").arg(&to))
        .context("wasm2js refused the module")?;
    let code = wrapped(&String::from_utf8(process::read(&to)?)?)?;
    let file = scratch.with_extension("mjs");
    write(&file, code.as_bytes())?;
    loads_in_node(&from, &file)?;
    Ok(code.into_bytes())
}

/// `wasm2js` makes the instance at import, each export a binding. Here it is made when it is asked for.
fn wrapped(code: &str) -> Result<String> {
    const INSTANCE: &str = "var retasmFunc = asmFunc(";
    let (body, _) = code
        .split_once(INSTANCE)
        .context("wasm2js writes something else than it did: it makes no instance")?;
    ensure!(!body.contains("import "), "the module in JavaScript asks its host for something");
    Ok(format!("export default function instantiate() {{\n{body}return asmFunc({{}});\n}}\n"))
}

fn nothing_saturates(module: &[u8]) -> Result<()> {
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CodeSectionEntry(body) = payload? else { continue };
        for operator in body.get_operators_reader()? {
            ensure!(
                !saturates(&operator?),
                "the module converts with saturation, which wasm2js gets wrong: \
                 a std that was compiled with it cannot be used here"
            );
        }
    }
    Ok(())
}

const fn saturates(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::I32TruncSatF32S
            | Operator::I32TruncSatF32U
            | Operator::I32TruncSatF64S
            | Operator::I32TruncSatF64U
            | Operator::I64TruncSatF32S
            | Operator::I64TruncSatF32U
            | Operator::I64TruncSatF64S
            | Operator::I64TruncSatF64U
    )
}

/// Makes an instance of both in the installed Node: they must have the same exports and tables.
fn loads_in_node(module: &Path, code: &Path) -> Result<()> {
    const SCRIPT: &str = "
        const [, from, code] = process.argv;
        const { pathToFileURL } = require('node:url');
        const bytes = require('node:fs').readFileSync(from);
        const texts = (wasm) => Array.from({ length: 16 }, (_, number) => {
            const length = wasm.table(number);
            return Buffer.from(wasm.memory.buffer, wasm.text_address() >>> 0, length).toString();
        });
        const seen = (wasm) => JSON.stringify([Object.keys(wasm).filter((name) => !name.startsWith('__')).sort(), texts(wasm)]);
        import(pathToFileURL(code)).then(({ default: instantiate }) => {
            const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
            if (seen(instantiate()) !== seen(exports)) throw new Error('they differ');
        }).catch((error) => { console.error(String(error)); process.exit(1); });
    ";
    let mut node = Command::new("node");
    process::capture(node.args(["-e", SCRIPT]).arg(module).arg(code))
        .context("in the installed Node the module and the same in JavaScript are not the same")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function of a module without imports, as the bytes of its body.
    fn module(body: &[u8]) -> Vec<u8> {
        let mut bytes = b"\0asm\x01\0\0\0\x01\x05\x01\x60\x01\x7c\x00\x03\x02\x01\x00\x0a".to_vec();
        let length = u8::try_from(body.len()).unwrap() + 2;
        bytes.extend([length + 2, 1, length, 0]);
        bytes.extend(body);
        bytes.push(0x0b);
        bytes
    }

    #[test]
    fn a_saturating_conversion_is_refused() {
        // local.get 0, i32.trunc_sat_f64_u, drop
        let error = nothing_saturates(&module(b"\x20\x00\xfc\x03\x1a")).unwrap_err().to_string();
        assert!(error.contains("saturation"), "{error}");
        // local.get 0, i32.trunc_f64_u, drop
        nothing_saturates(&module(b"\x20\x00\xab\x1a")).unwrap();
    }

    #[test]
    fn nothing_is_left_at_the_top_but_the_function_that_makes_an_instance() {
        let code = "var view;\nfunction asmFunc(imports) {}\nvar retasmFunc = asmFunc({\n});\nexport var a = retasmFunc.a;\n";
        let wrapped = wrapped(code).unwrap();
        assert_eq!(
            wrapped,
            "export default function instantiate() {\nvar view;\nfunction asmFunc(imports) {}\nreturn asmFunc({});\n}\n"
        );
        assert!(super::wrapped("nothing").is_err());
    }
}
