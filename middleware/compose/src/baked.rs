//! Settings as a component: an environment that is always the same, for the middleware alone. The
//! guest's own environment stays the host's.

use wasm_encoder::{
    CanonicalOption, CodeSection, ComponentBuilder, ComponentExportKind, ComponentValType,
    ConstExpr, DataSection, ExportKind, ExportSection, Function, FunctionSection, MemorySection,
    MemoryType, Module, PrimitiveValType, TypeSection, ValType,
};

/// A component that exports `wasi:cli/environment@0.3.0`, as far as the middleware imports it.
pub(crate) fn environment(variables: &[(&str, String)]) -> Vec<u8> {
    let mut inner = ComponentBuilder::default();
    let module = inner.core_module(None, &module(variables));
    let instance = inner.core_instantiate(None, module, []);
    let memory = inner.core_alias_export(None, instance, "memory", ExportKind::Memory);
    let get = inner.core_alias_export(None, instance, "get", ExportKind::Func);

    let string = ComponentValType::Primitive(PrimitiveValType::String);
    let (pair, encoder) = inner.type_defined(None);
    encoder.tuple([string, string]);
    let (list, encoder) = inner.type_defined(None);
    encoder.list(ComponentValType::Type(pair));
    let (function, mut encoder) = inner.type_function(None);
    let none: [(&str, ComponentValType); 0] = [];
    encoder.params(none).result(Some(ComponentValType::Type(list)));
    let options = [CanonicalOption::UTF8, CanonicalOption::Memory(memory)];
    let lifted = inner.lift_func(None, get, function, options);
    inner.export("get-environment", ComponentExportKind::Func, lifted, None);

    let mut outer = ComponentBuilder::default();
    let component = outer.component(None, inner);
    let none: [(&str, ComponentExportKind, u32); 0] = [];
    let instance = outer.instantiate(None, component, none);
    let name = "wasi:cli/environment@0.3.0";
    outer.export(name, ComponentExportKind::Instance, instance, None);
    outer.finish()
}

/// A module whose memory holds the list, and whose one function says where.
fn module(variables: &[(&str, String)]) -> Module {
    // At 0 the list itself, pointer and length; then its pairs; then the text.
    let header = 8 + 16 * variables.len();
    let (mut pairs, mut text) = (Vec::new(), Vec::new());
    for word in variables.iter().flat_map(|(name, value)| [*name, value.as_str()]) {
        pairs.extend(number(header + text.len()));
        pairs.extend(number(word.len()));
        text.extend(word.as_bytes());
    }
    let memory = [number(8).to_vec(), number(variables.len()).to_vec(), pairs, text].concat();

    let (mut types, mut functions) = (TypeSection::new(), FunctionSection::new());
    types.ty().function([], [ValType::I32]);
    functions.function(0);
    let mut memories = MemorySection::new();
    let minimum = (memory.len() as u64).div_ceil(65_536);
    memories.memory(MemoryType {
        minimum,
        maximum: Some(minimum),
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0).export("get", ExportKind::Func, 0);
    let mut code = CodeSection::new();
    let mut get = Function::new([]);
    get.instructions().i32_const(0).end();
    code.function(&get);
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(0), memory);

    let mut module = Module::new();
    module.section(&types).section(&functions).section(&memories).section(&exports);
    module.section(&code).section(&data);
    module
}

fn number(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}
