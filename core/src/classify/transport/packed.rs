//! Rows packed into bytes while compiling: a table costs its letters and two bytes a row, with no
//! pointers to relocate. The tables are the largest thing that this crate puts into a WebAssembly
//! module.

/// Rows, each as its tag, the length of its text, and the text.
#[derive(Clone, Copy)]
pub(super) struct Packed(&'static [u8]);

impl Packed {
    /// What [`pack`] made.
    pub(super) const fn new(bytes: &'static [u8]) -> Self {
        Self(bytes)
    }

    /// Tag and text of every row, in order.
    pub(super) fn rows(self) -> impl Iterator<Item = (u8, &'static [u8])> {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            let (&[tag, len], after) = rest.split_first_chunk()?;
            let (text, next) = after.split_at_checked(usize::from(len))?;
            rest = next;
            Some((tag, text))
        })
    }
}

/// How many bytes these rows take.
pub(super) const fn size(rows: &[(&str, u8)]) -> usize {
    let mut size = 0;
    let mut at = 0;
    while at < rows.len() {
        size += 2 + rows[at].0.len();
        at += 1;
    }
    size
}

/// Packs rows of a text and a tag; `N` is their [`size`]. Runs while compiling, where a text beyond
/// 255 bytes stops the build.
pub(super) const fn pack<const N: usize>(rows: &[(&str, u8)]) -> [u8; N] {
    let mut bytes = [0; N];
    let mut to = 0;
    let mut at = 0;
    while at < rows.len() {
        let (text, tag) = rows[at];
        assert!(text.len() <= 255, "the length of a text is one byte");
        bytes[to] = tag;
        bytes[to + 1] = text.len() as u8;
        to += 2;
        let mut letter = 0;
        while letter < text.len() {
            bytes[to] = text.as_bytes()[letter];
            to += 1;
            letter += 1;
        }
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn what_was_packed_comes_out_in_order() {
        const ROWS: &[(&str, u8)] = &[("one", 7), ("", 0), ("é", 255)];
        const BYTES: [u8; size(ROWS)] = pack(ROWS);
        let rows: Vec<_> = Packed::new(&BYTES).rows().collect();
        assert_eq!(rows, [(7, &b"one"[..]), (0, b""), (255, "é".as_bytes())]);
    }

    #[test]
    fn a_torn_table_ends_early() {
        assert_eq!(Packed::new(&[1, 5, b'x']).rows().count(), 0);
        assert_eq!(Packed::new(&[1]).rows().count(), 0);
    }
}
