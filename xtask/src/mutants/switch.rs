//! A source file with its changes inside: each function that has any chooses its body when it runs.

use core::{fmt::Write, ops::Range};
use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};
use syn::visit::{self, Visit};

use super::tool::{Change, Spot};

/// Names that the changes use as if they were in everybody's prelude; this crate has no std.
const NAMES: [(&str, &str); 4] = [
    ("vec![", "::alloc::vec!["),
    ("Vec::", "::alloc::vec::Vec::"),
    ("Box::", "::alloc::boxed::Box::"),
    ("::std::iter::", "::core::iter::"),
];

/// The module that the functions ask. It notes which of them were entered, for
/// `MUTANTS_ENTERED`, and reads `MUTANT` before anything else runs; a constant function may ask too.
pub(super) fn module(functions: usize) -> String {
    format!(
        r#"#![allow(warnings)]
extern crate std;
static mut ACTIVE: usize = usize::MAX;
static mut ENTERED: [u8; {functions}] = [0; {functions}];
#[inline(always)]
pub const fn on(function: usize) -> usize {{
    unsafe {{
        ENTERED[function] = 1;
        ACTIVE
    }}
}}
extern "C" fn begin() {{
    if let Some(number) = std::env::var("MUTANT").ok().and_then(|text| text.parse().ok()) {{
        unsafe {{ ACTIVE = number }}
    }}
}}
extern "C" fn end() {{
    if let Ok(path) = std::env::var("MUTANTS_ENTERED") {{
        std::fs::write(path, unsafe {{ &ENTERED[..] }}).unwrap();
    }}
}}
#[used]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
static BEGIN: extern "C" fn() = begin;
#[used]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".fini_array"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_term_func"))]
static END: extern "C" fn() = end;
"#
    )
}

/// A file as it is compiled.
#[derive(Default)]
pub(super) struct Switched {
    pub(super) text: String,
    /// Where each changed body lies in `text`, with the number of its change.
    pub(super) bodies: Vec<(Range<usize>, usize)>,
    /// Where the functions lie that choose, with the numbers of their changes.
    pub(super) functions: Vec<(Range<usize>, Vec<usize>)>,
}

/// Puts `changes`, each with its number, into `source`; the functions count from `first`.
pub(super) fn switch(source: &str, changes: &[(usize, &Change)], first: usize) -> Result<Switched> {
    let lines = Lines::new(source);
    let bodies = Bodies::of(source, &lines)?;
    let mut chosen: BTreeMap<(usize, usize), Vec<(usize, &Change)>> = BTreeMap::new();
    for &(number, change) in changes {
        let body = change.function.and_then(|end| bodies.outermost(lines.offset(end)));
        let body = body.with_context(|| format!("{}: in no function", change.name))?;
        chosen.entry((body.start, body.end)).or_default().push((number, change));
    }
    let mut out = Switched::default();
    let mut done = 0;
    for ((start, end), changes) in chosen {
        out.text += &source[done..start];
        let begin = out.text.len();
        let function = first + out.functions.len();
        _ = writeln!(out.text, " match crate::mutant::on({function}) {{");
        for (number, change) in &changes {
            let (from, to) = (lines.offset(change.from), lines.offset(change.to));
            anyhow::ensure!(start <= from && to <= end, "{}: outside its function", change.name);
            _ = write!(out.text, "{number} => {{");
            let body = out.text.len();
            out.text += &source[start..from];
            out.text += &named(&change.replacement);
            out.text += &source[to..end];
            out.bodies.push((body..out.text.len(), *number));
            out.text += "}\n";
        }
        out.text += "_ => {";
        out.text += &source[start..end];
        out.text += "}\n}\n";
        out.functions
            .push((begin..out.text.len(), changes.iter().map(|(number, _)| *number).collect()));
        done = end;
    }
    out.text += &source[done..];
    Ok(out)
}

/// A replacement whose names are found in a crate without std.
fn named(replacement: &str) -> String {
    NAMES.iter().fold(replacement.to_owned(), |text, (short, long)| text.replace(short, long))
}

/// Where lines begin.
struct Lines<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(source: &'a str) -> Self {
        let ends = source.match_indices('\n').map(|(at, _)| at + 1);
        Self { source, starts: core::iter::once(0).chain(ends).collect() }
    }

    fn offset(&self, spot: Spot) -> usize {
        let start = self.starts[spot.line - 1];
        let mut letters = self.source[start..].char_indices();
        letters.nth(spot.column - 1).map_or(self.source.len(), |(at, _)| start + at)
    }
}

/// The inside of every function's braces, by the offset behind them.
struct Bodies(HashMap<usize, Range<usize>>);

impl Bodies {
    fn of(source: &str, lines: &Lines<'_>) -> Result<Self> {
        struct Finder<'a>(&'a Lines<'a>, HashMap<usize, Range<usize>>);
        impl<'a> Visit<'a> for Finder<'_> {
            fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
                self.add(&item.block);
                visit::visit_item_fn(self, item);
            }
            fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
                self.add(&item.block);
                visit::visit_impl_item_fn(self, item);
            }
            fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
                if let Some(block) = &item.default {
                    self.add(block);
                }
                visit::visit_trait_item_fn(self, item);
            }
        }
        impl Finder<'_> {
            fn add(&mut self, block: &syn::Block) {
                let offset = |at: proc_macro2::LineColumn| {
                    self.0.offset(Spot { line: at.line, column: at.column + 1 })
                };
                let braces = block.brace_token.span;
                let (start, end) = (offset(braces.open().start()), offset(braces.close().end()));
                self.1.insert(end, start + 1..end - 1);
            }
        }
        let file = syn::parse_file(source).context("a file of the core cannot be read")?;
        let mut finder = Finder(lines, HashMap::new());
        finder.visit_file(&file);
        Ok(Self(finder.1))
    }

    /// The body that ends at `end`, or the one around it: a function in a function is changed there.
    fn outermost(&self, end: usize) -> Option<Range<usize>> {
        let inner = self.0.get(&end)?;
        let around =
            self.0.values().filter(|body| body.start <= inner.start && inner.end <= body.end);
        around.min_by_key(|body| body.start).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Spot, switch};

    const SOURCE: &str = "\
const fn less(a: u8, b: u8) -> bool {
    a < b
}
fn other() {}
";

    fn change(from: (usize, usize), to: (usize, usize), replacement: &str) -> Change {
        let spot = |(line, column)| Spot { line, column };
        Change {
            name: "a change".to_owned(),
            file: "a.rs".to_owned(),
            from: spot(from),
            to: spot(to),
            replacement: replacement.to_owned(),
            function: Some(Spot { line: 3, column: 2 }),
            is_opaque: false,
        }
    }

    #[test]
    fn a_function_chooses_between_its_changes_and_itself() {
        let (equal, yes) = (change((2, 7), (2, 8), "=="), change((2, 5), (2, 10), "true"));
        let switched = switch(SOURCE, &[(7, &equal), (8, &yes)], 40).unwrap();
        assert_eq!(
            switched.text,
            "\
const fn less(a: u8, b: u8) -> bool { match crate::mutant::on(40) {
7 => {
    a == b
}
8 => {
    true
}
_ => {
    a < b
}
}
}
fn other() {}
"
        );
        let bodies: Vec<_> = switched
            .bodies
            .iter()
            .map(|(at, number)| (&switched.text[at.clone()], *number))
            .collect();
        assert_eq!(bodies, [("\n    a == b\n", 7), ("\n    true\n", 8)]);
        assert_eq!(switched.functions[0].1, [7, 8]);
    }

    #[test]
    fn a_replacement_finds_its_names_without_std() {
        let list = change((2, 5), (2, 10), "vec![Default::default()]");
        let switched = switch(SOURCE, &[(0, &list)], 0).unwrap();
        assert!(switched.text.contains("::alloc::vec![Default::default()]"), "{}", switched.text);
    }

    #[test]
    fn a_function_inside_a_function_is_changed_where_it_lies() {
        let source = "fn outer() {\n    fn inner() -> u8 { 1 }\n    inner();\n}\n";
        let mut two = change((2, 24), (2, 25), "2");
        two.function = Some(Spot { line: 2, column: 27 });
        let switched = switch(source, &[(0, &two)], 0).unwrap();
        assert!(switched.text.starts_with("fn outer() { match"), "{}", switched.text);
        assert!(switched.text.contains("fn inner() -> u8 { 2 }"), "{}", switched.text);
    }
}
