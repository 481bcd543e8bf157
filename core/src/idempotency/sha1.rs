//! SHA-1 (FIPS 180-4 §6.1) as version 5 of a UUID asks for it: a name for bytes, no protection.
//!
//! Written small, in one loop: a key is made once a call, and a fast one is five times as large.

/// The digest of the pieces, one after the other.
pub(super) fn sha1(pieces: &[&[u8]]) -> [u8; 20] {
    let mut state = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    let length: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
    let bits = (length * 8).to_be_bytes();
    // A one, zeros up to eight bytes before the end of a block, the length.
    let zeros = (119 - length % 64) % 64;
    let name = pieces.iter().copied().flatten().copied();
    let end = core::iter::once(0x80).chain(core::iter::repeat_n(0, zeros as usize)).chain(bits);
    let mut block = [0_u8; 64];
    let mut filled = 0;
    for byte in name.chain(end) {
        if let Some(place) = block.get_mut(filled) {
            *place = byte;
        }
        filled += 1;
        if filled == block.len() {
            add(&mut state, &block);
            filled = 0;
        }
    }
    let mut digest = [0; 20];
    let bytes = state.iter().flat_map(|word| word.to_be_bytes());
    digest.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
    digest
}

/// One block.
#[allow(clippy::many_single_char_names)] // the names of the standard
fn add(state: &mut [u32; 5], block: &[u8; 64]) {
    // The last sixteen words of the schedule, the oldest first.
    let mut words = [0_u32; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for round in 0..80 {
        let (mix, constant) = match round {
            0..20 => (b & c | !b & d, 0x5A82_7999),
            20..40 => (b ^ c ^ d, 0x6ED9_EBA1),
            40..60 => (b & c | b & d | c & d, 0x8F1B_BCDC),
            _ => (b ^ c ^ d, 0xCA62_C1D6_u32),
        };
        let word = words[0];
        let next = (word ^ words[2] ^ words[8] ^ words[13]).rotate_left(1);
        words.rotate_left(1);
        words[15] = next;
        let sum = a.rotate_left(5).wrapping_add(mix).wrapping_add(e);
        (e, d, c, b) = (d, c, b.rotate_left(30), a);
        a = sum.wrapping_add(constant).wrapping_add(word);
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e]) {
        *word = word.wrapping_add(add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(sha1(&[b"abc"])[..4], [0xA9, 0x99, 0x3E, 0x36]);
        assert_eq!(sha1(&[])[..4], [0xDA, 0x39, 0xA3, 0xEE]);
        let two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(sha1(&[two])[..4], [0x84, 0x98, 0x3E, 0x44]);
        assert_eq!(sha1(&[&two[..7], &two[7..]]), sha1(&[two]));
    }
}
