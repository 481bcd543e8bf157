//! The three buffers that a host and this module share, at addresses the host asks for.
//!
//! | buffer | written by | holds |
//! |---|---|---|
//! | input | host | [items](crate::wire) of one event, or a policy document |
//! | output | module | the numbers of one answer, one `f64` a [slot] |
//! | text | module | the last text: a name table, issues, headers, a sentence |
//!
//! Addresses stay until the buffer grows: ask again after `input_reserve`, and after any call that
//! gives a text. A host's own view of the memory ends whenever the memory grows.

use alloc::vec::Vec;

/// Places in the output buffer. A call writes the slots that its documentation names.
pub mod slot {
    /// The wait before the next attempt, ms; 0 where there is none.
    pub const DELAY: usize = 0;
    /// What the server asked for, ms; −1 where it asked for nothing.
    pub const HINT: usize = 1;
    /// The number of the attempt.
    pub const ATTEMPT: usize = 2;
    /// The code of a reason.
    pub const REASON: usize = 3;
    /// When to ask again, ms; −1 where time alone changes nothing.
    pub const RETRY_IN: usize = 4;
    /// The breaker's change of state, 256 · from + to; −1 where it did not change.
    pub const TRANSITION: usize = 5;
    /// What `delay` has to be given the next time: the delay before, ms.
    pub const PREVIOUS: usize = 6;
    /// What `delay` has to be given the next time: Polly's own number.
    pub const POLLY: usize = 7;
    /// What a budget has left, thousandths of a retry or of a token; −1 where there is no budget.
    pub const BALANCE: usize = 8;
    /// 1 where the outcome made the throttling sustained: five rate limits within a minute.
    pub const SUSTAINED: usize = 9;
    /// How many slots there are.
    pub const COUNT: usize = 10;
}

/// Room for one event without `input_reserve`: a few headers, a chain of errors.
pub const INPUT_ROOM: usize = 4096;
/// The most that `input_reserve` gives, for policy documents: 1 MiB.
pub const MAX_INPUT: usize = 1 << 20;

/// The buffers.
#[derive(Debug)]
#[repr(align(8))] // hosts lay a view of `f64` over the output
pub struct Scratch {
    output: [f64; slot::COUNT],
    input: Vec<u8>,
    text: Vec<u8>,
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self { output: [0.0; slot::COUNT], input: Vec::new(), text: Vec::new() }
    }

    /// Room for at least `length` bytes, or nothing when that is more than [`MAX_INPUT`]. What was
    /// in the buffer stays, its address may change.
    pub(crate) fn reserve(&mut self, length: usize) -> Option<&mut [u8]> {
        if length > MAX_INPUT {
            return None;
        }
        if self.input.len() < length.max(INPUT_ROOM) {
            self.input.resize(length.max(INPUT_ROOM), 0);
        }
        Some(&mut self.input)
    }

    /// The first `length` bytes of the input; fewer when the buffer is shorter.
    pub(crate) fn input(&self, length: usize) -> &[u8] {
        self.input.get(..length).unwrap_or(&self.input)
    }

    pub(crate) const fn output(&self) -> &[f64; slot::COUNT] {
        &self.output
    }

    pub(crate) fn set(&mut self, slot: usize, value: f64) {
        if let Some(place) = self.output.get_mut(slot) {
            *place = value;
        }
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// An empty text to write the next one into.
    pub(crate) fn new_text(&mut self) -> &mut Vec<u8> {
        self.text.clear();
        &mut self.text
    }
}

/// Appends a string to a text: its length as four bytes, the low one first, and its UTF-8.
pub(crate) fn push_string(text: &mut Vec<u8>, string: &str) {
    let length = u32::try_from(string.len()).unwrap_or(u32::MAX);
    text.extend_from_slice(&length.to_le_bytes());
    text.extend_from_slice(string.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_can_carry_a_view_of_numbers() {
        let scratch = Scratch::new();
        assert_eq!(scratch.output().as_ptr() as usize % 8, 0);
    }

    #[test]
    fn the_input_grows_to_its_limit_and_keeps_what_it_holds() {
        let mut scratch = Scratch::new();
        assert_eq!(scratch.input(10), b"");
        scratch.reserve(1).unwrap()[0] = 7;
        assert_eq!(scratch.reserve(MAX_INPUT).unwrap().len(), MAX_INPUT);
        assert_eq!(scratch.input(1), [7]);
        assert!(scratch.reserve(MAX_INPUT + 1).is_none());
        assert_eq!(scratch.input(usize::MAX).len(), MAX_INPUT);
    }
}
