//! A core module as the linker made it: what its functions are called and weigh, and the same
//! module with some of them emptied.

use core::ops::Range;
use std::collections::BTreeMap;

use anyhow::{Result, bail};
use wasm_encoder::{CodeSection, Module, RawSection};
use wasmparser::{KnownCustom, Name, Parser, Payload, TypeRef, ValType};

/// What a module weighs.
#[derive(Default)]
pub(super) struct Weights {
    /// Each function's demangled name and its bytes, in the order of the module.
    pub(super) functions: Vec<(String, usize)>,
    pub(super) data: usize,
    /// All that is neither: types, tables, exports, and what sections begin with.
    pub(super) rest: usize,
}

const CODE: u8 = 10;
const DATA: u8 = 11;

/// Reads a module; custom sections, names among them, weigh nothing, since none ships.
pub(super) fn weigh(module: &[u8]) -> Result<Weights> {
    let (mut imports, mut names, mut bodies) = (0, BTreeMap::new(), Vec::new());
    let (mut all, mut data) = (8, 0);
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        if let Some((id, range)) = payload.as_section().filter(|&(id, _)| id != 0) {
            let bytes = with_length(length(&range));
            all += 1 + bytes;
            if id == DATA {
                data = bytes;
            }
        }
        match payload {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    imports += usize::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(with_length(length(&body.range()))),
            Payload::CustomSection(section) => {
                let KnownCustom::Name(subsections) = section.as_known() else { continue };
                for subsection in subsections {
                    let Name::Function(map) = subsection? else { continue };
                    for naming in map {
                        let naming = naming?;
                        names.insert(naming.index as usize, demangled(naming.name));
                    }
                }
            }
            _ => {}
        }
    }
    let code: usize = bodies.iter().sum();
    let named = bodies
        .into_iter()
        .enumerate()
        .map(|(number, bytes)| (names.remove(&(imports + number)).unwrap_or_default(), bytes));
    Ok(Weights { functions: named.collect(), data, rest: all - code - data })
}

/// The module with every function emptied that `emptied` says, by its place among those that the
/// module defines: it answers what stands somewhere in memory, or the optimiser would conclude from
/// the answer that others are not reached either. Without `data`, memory begins as zeros.
pub(super) fn without(
    module: &[u8],
    emptied: impl Fn(usize) -> bool,
    data: bool,
) -> Result<Vec<u8>> {
    let (mut results, mut types) = (Vec::new(), Vec::new());
    let (mut code, mut expected, mut made) = (CodeSection::new(), 0, Module::new());
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        match payload.as_section() {
            Some((CODE, _)) | None => {}
            Some((DATA, _)) if !data => {}
            Some((id, range)) => {
                made.section(&RawSection { id, data: &module[within(&range)] });
            }
        }
        match payload {
            Payload::TypeSection(section) => {
                for ty in section.into_iter_err_on_gc_types() {
                    results.push(ty?.results().to_vec());
                }
            }
            Payload::FunctionSection(section) => {
                types = section.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::CodeSectionStart { count, .. } => expected = count,
            Payload::CodeSectionEntry(body) => {
                let number = code.len() as usize;
                if emptied(number) {
                    code.raw(&any(&results[types[number] as usize])?);
                } else {
                    code.raw(&module[within(&body.range())]);
                }
                if code.len() == expected {
                    made.section(&code);
                }
            }
            _ => {}
        }
    }
    Ok(made.finish())
}

/// How much of a component is not its largest core module; nothing of what is no component.
pub(super) fn around(artefact: &[u8]) -> Result<usize> {
    let mut largest = None;
    if Parser::is_component(artefact) {
        for payload in Parser::new(0).parse_all(artefact) {
            if let Payload::ModuleSection { unchecked_range, .. } = payload? {
                largest = largest.max(Some(length(&unchecked_range)));
            }
        }
    }
    Ok(largest.map_or(0, |largest| artefact.len() - largest))
}

/// A body without locals that answers what stands at 1024, each a load: its code, its alignment.
fn any(results: &[ValType]) -> Result<Vec<u8>> {
    let mut body = vec![0];
    for result in results {
        let load = match result {
            ValType::I32 => [0x28, 2],
            ValType::I64 => [0x29, 3],
            ValType::F32 => [0x2a, 2],
            ValType::F64 => [0x2b, 3],
            other => bail!("a function that answers {other} cannot be left out"),
        };
        body.extend([0x41, 0x80, 0x08, load[0], load[1], 0]);
    }
    body.push(0x0b);
    Ok(body)
}

/// Without the hashes of crates.
fn demangled(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

/// Some bytes, and those that say how many they are.
fn with_length(bytes: usize) -> usize {
    let significant = usize::BITS - bytes.leading_zeros();
    bytes + significant.div_ceil(7).max(1) as usize
}

fn length(range: &Range<u64>) -> usize {
    within(range).len()
}

fn within(range: &Range<u64>) -> Range<usize> {
    range.start as usize..range.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        ExportKind, ExportSection, Function, FunctionSection, MemorySection, MemoryType, NameMap,
        NameSection, TypeSection,
    };

    /// Two functions, `first` and `second`, each of which answers a number that is not 0.
    fn module(named: bool) -> Vec<u8> {
        let (mut types, mut functions, mut code) =
            (TypeSection::new(), FunctionSection::new(), CodeSection::new());
        types.ty().function([], [wasm_encoder::ValType::I64]);
        for number in [7, 1 << 40] {
            functions.function(0);
            let mut body = Function::new([]);
            body.instructions().i64_const(number).end();
            code.function(&body);
        }
        let (mut exports, mut names, mut map) =
            (ExportSection::new(), NameSection::new(), NameMap::new());
        exports.export("second", ExportKind::Func, 1);
        map.append(0, "_RNvNtCs2C9TYjPM8jq_9retrywise4hint4read");
        map.append(1, "second");
        names.functions(&map);
        let mut module = Module::new();
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        module.section(&types).section(&functions).section(&memories);
        module.section(&exports).section(&code);
        if named {
            module.section(&names);
        }
        module.finish()
    }

    #[test]
    fn the_parts_of_a_module_add_up_to_what_ships_of_it() {
        let weights = weigh(&module(true)).unwrap();
        let names: Vec<_> = weights.functions.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["retrywise::hint::read", "second"]);
        let code: usize = weights.functions.iter().map(|(_, bytes)| bytes).sum();
        assert_eq!(code + weights.data + weights.rest, module(false).len());
    }

    #[test]
    fn a_function_that_is_left_out_loads_its_answer_and_the_others_stay() {
        let module = module(true);
        let emptied = without(&module, |number| number == 1, true).unwrap();
        wasmparser::validate(&emptied).unwrap();
        let [first, second] = &weigh(&emptied).unwrap().functions[..] else { panic!() };
        assert_eq!(first, &weigh(&module).unwrap().functions[0]);
        assert_eq!(second.1, b"\x08\0\x41\x80\x08\x29\x03\0\x0b".len());
        assert_eq!(without(&module, |_| false, true).unwrap(), module);
    }
}
