//! Makes new inputs of old ones: seeded, so that a failure can be made again.

use retrywise::Rng;

/// Bytes at which readers turn.
const EDGES: [&[u8]; 20] = [
    b"0",
    b"9",
    b"99999999999999999999",
    b"-",
    b"+",
    b".",
    b",",
    b";",
    b":",
    b"\"",
    b"\\",
    b"\n",
    b" ",
    b"\0",
    b"\xff",
    b"\xc3\x28",
    b"{",
    b"[",
    b"GMT",
    b"1e309",
];

/// One of the inputs, changed in one to eight places; at most 4 KiB.
pub fn next(rng: &mut Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut pick = |n: usize| rng.draw().between(0, n.max(1) as u64 - 1) as usize;
    let Some(mut input) = corpus.get(pick(corpus.len())).cloned() else { return Vec::new() };
    for _ in 0..=pick(8) {
        let (from, length) = (pick(input.len() + 1), pick(9));
        let to = (from + length).min(input.len());
        match pick(6) {
            0 if from < input.len() => input[from] = pick(256) as u8,
            1 if from < input.len() => input[from] ^= 1 << pick(8),
            2 => drop(input.drain(from..to)),
            3 => {
                let again = input[from..to].to_vec();
                drop(input.splice(from..from, again));
            }
            4 => {
                let other = corpus.get(pick(corpus.len())).map_or(&[][..], Vec::as_slice);
                let start = pick(other.len() + 1);
                let end = (start + pick(40)).min(other.len());
                drop(input.splice(from..to, other[start..end].iter().copied()));
            }
            _ => {
                let edge = EDGES[pick(EDGES.len())];
                drop(input.splice(from..from, edge.iter().copied()));
            }
        }
    }
    input.truncate(4_096);
    input
}
