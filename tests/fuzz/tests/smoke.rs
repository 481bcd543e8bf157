//! Plays each target's corpus, then as many seeded changes of it: `RETRYWISE_FUZZ_RUNS=N` for more
//! than the default, `RETRYWISE_SEED=N` to begin elsewhere.

use std::{env, fs, panic, path::Path};

use retrywise::Rng;
use retrywise_fuzz::{TARGETS, Target, mutate};

const RUNS: u64 = 4_000;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let files = fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn play(target: Target, input: &[u8], what: &str) {
    if let Err(panic) = panic::catch_unwind(|| target(input)) {
        eprintln!("{what} fails on b\"{}\"", input.escape_ascii());
        panic::resume_unwind(panic);
    }
}

fn run(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target");
    let corpus = corpus(name);
    assert!(!corpus.is_empty(), "{name} has a corpus");
    for input in &corpus {
        play(target, input, name);
    }
    let mut rng = Rng::new(number("RETRYWISE_SEED").unwrap_or(0));
    for _ in 0..number("RETRYWISE_FUZZ_RUNS").unwrap_or(RUNS) {
        let seed = rng.state();
        let input = mutate::next(&mut rng, &corpus);
        play(target, &input, &format!("{name}, RETRYWISE_SEED={seed},"));
    }
}

#[test]
fn no_header_breaks_a_decision() {
    run("headers");
}

#[test]
fn no_date_is_read_two_ways() {
    run("dates");
}

#[test]
fn no_document_is_half_accepted() {
    run("policies");
}

#[test]
fn no_order_of_events_breaks_an_upstream() {
    run("ops");
}

#[test]
fn no_error_is_taken_for_a_success() {
    run("transport");
}
