//! What an artefact is made of, and what it would be without one family of functions.
//!
//! | file | what |
//! |---|---|
//! | `areas` | the table: a path in a function's name, an area |
//! | `module` | the functions of a module, weighed and emptied |

mod areas;
mod module;

use core::fmt::Write as _;
use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{
    artefacts::{Artefact, Workshop},
    process, progress,
    workspace::Workspace,
};
use areas::{AREAS, OTHER};

/// Those with a target.
pub(crate) const MEASURED: [Artefact; 4] =
    [Artefact::Raw, Artefact::Slim, Artefact::Bindgen, Artefact::Component];

/// Bytes of functions from which on an area is left out once: less changes nothing that shows.
const LEAST: usize = 1_000;

/// Prints both tables of each artefact; they were built before.
pub(crate) fn print(workspace: &Workspace, artefacts: &[Artefact]) -> Result<()> {
    let workshop = Workshop::open(workspace, "parts")?;
    for &artefact in artefacts {
        let linked = workshop.linked(artefact)?;
        let shipped = workshop.make(artefact, linked.clone())?;
        let weights = module::weigh(&linked)?;
        let areas: Vec<_> = weights.functions.iter().map(|(name, _)| areas::of(name)).collect();
        let weight = |area: &str| -> usize {
            let named = areas.iter().zip(&weights.functions);
            let named = named.filter(|(of, _)| of.map_or(OTHER, |of| of.name) == area);
            named.map(|(_, (_, bytes))| bytes).sum()
        };
        println!("{}", table(&shipped, &weights, weight)?);
        println!("| {} | raw | brotli |\n|---|---|---|", artefact.name());
        let file = workspace.scratch().join(format!("{}.measured", artefact.name()));
        let line = |what: &str, bytes: &[u8]| line(&file, what, bytes);
        line("all of it", &shipped)?;
        let mut families: Vec<_> =
            AREAS.iter().filter(|area| area.family && weight(area.name) >= LEAST).collect();
        families.sort_by_key(|area| usize::MAX - weight(area.name));
        let without = |what: &str, out: &dyn Fn(&str) -> bool, data: bool| -> Result<()> {
            let gone = |number: usize| areas[number].is_some_and(|area| out(area.name));
            let smaller = progress::step(&format!("{} {what}", artefact.name()), || {
                workshop.make(artefact, module::without(&linked, gone, data)?)
            })?;
            line(what, &smaller)
        };
        for area in &families {
            without(&format!("without {}", area.name), &|name| name == area.name, true)?;
        }
        let any = |name: &str| families.iter().any(|area| area.name == name);
        without("without any of these", &any, true)?;
        without("without any of these, and without data", &any, false)?;
        println!();
    }
    Ok(())
}

/// The areas in the linker's module, largest first, and what the tools after it take and add: the
/// sum is what ships.
fn table(
    shipped: &[u8],
    weights: &module::Weights,
    weight: impl Fn(&str) -> usize,
) -> Result<String> {
    let mut rows: Vec<_> = AREAS.iter().map(|area| (area.name, weight(area.name))).collect();
    rows.push((OTHER, weight(OTHER)));
    rows.sort_by_key(|&(_, bytes)| usize::MAX - bytes);
    rows.extend([("data", weights.data), ("types, tables, exports", weights.rest)]);
    rows.retain(|&(_, bytes)| bytes > 0);
    let linked: usize = rows.iter().map(|&(_, bytes)| bytes).sum();
    let around = module::around(shipped)?;
    let (module, total) = (shipped.len() - around, shipped.len());
    let mut text = String::from("| area | bytes |\n|---|---|\n");
    let rows = rows.iter().map(|&(name, bytes)| (name, bytes as isize));
    let taken = ("what the tools after the linker change", module as isize - linked as isize);
    let around = ("types and wiring of the component", around as isize);
    for (name, bytes) in rows.chain([taken, around, ("what ships", total as isize)]) {
        if bytes != 0 {
            writeln!(text, "| {name} | {bytes} |")?;
        }
    }
    Ok(text)
}

fn line(file: &Path, what: &str, artefact: &[u8]) -> Result<()> {
    println!("| {what} | {} | {} |", artefact.len(), brotli(file, artefact)?);
    Ok(())
}

/// As `size` measures it, by way of this file.
fn brotli(file: &Path, bytes: &[u8]) -> Result<String> {
    const SCRIPT: &str = "
        const { brotliCompressSync, constants } = require('node:zlib');
        const bytes = require('node:fs').readFileSync(process.argv[1]);
        const params = {
            [constants.BROTLI_PARAM_QUALITY]: 11,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        console.log(brotliCompressSync(bytes, { params }).length);
    ";
    fs::write(file, bytes).with_context(|| format!("{} could not be written", file.display()))?;
    let mut node = Command::new("node");
    Ok(process::capture(node.args(["-e", SCRIPT]).arg(file))?.trim().to_owned())
}
