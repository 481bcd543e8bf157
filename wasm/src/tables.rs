//! The names behind the codes, read by a host once when it loads the module.

use alloc::vec::Vec;

use retrywise::{
    Basis, BreakerState, Class, Delivery, Family, HintSource, Method, Reason, Signal, VerdictKind,
    explain::Lang,
};

/// The tables, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum Table {
    /// [`VerdictKind`].
    VerdictKinds = 0,
    /// [`Reason`].
    Reasons = 1,
    /// [`Class`].
    Classes = 2,
    /// [`Delivery`].
    Deliveries = 3,
    /// [`Basis`].
    Bases = 4,
    /// [`Signal`].
    Signals = 5,
    /// [`HintSource`].
    HintSources = 6,
    /// [`Family`].
    Families = 7,
    /// [`Method`].
    Methods = 8,
    /// [`BreakerState`].
    BreakerStates = 9,
    /// [`Lang`].
    Languages = 10,
}

impl Table {
    /// Writes a table, one `CODE NAME` a line; nothing for a number that names none.
    pub(crate) fn write(table: u32, text: &mut Vec<u8>) {
        macro_rules! of {
            ($Type:ty) => {
                |at| <$Type>::ALL.get(at).map(|value| (value.code(), value.name()))
            };
        }
        // A row at a time, so that the loop over them is there once.
        let row: fn(usize) -> Option<(u8, &'static str)> = match table {
            t if t == Self::VerdictKinds as u32 => of!(VerdictKind),
            t if t == Self::Reasons as u32 => of!(Reason),
            t if t == Self::Classes as u32 => of!(Class),
            t if t == Self::Deliveries as u32 => of!(Delivery),
            t if t == Self::Bases as u32 => of!(Basis),
            t if t == Self::Signals as u32 => of!(Signal),
            t if t == Self::HintSources as u32 => of!(HintSource),
            t if t == Self::Families as u32 => of!(Family),
            t if t == Self::Methods as u32 => of!(Method),
            t if t == Self::BreakerStates as u32 => of!(BreakerState),
            t if t == Self::Languages as u32 => of!(Lang),
            _ => return,
        };
        for (code, name) in (0..).map_while(row) {
            line(text, code, name);
        }
    }
}

fn line(text: &mut Vec<u8>, code: u8, name: &str) {
    // By hand: `core::fmt` is larger than everything else here.
    for unit in [100, 10, 1] {
        if code >= unit || unit == 1 {
            text.push(b'0' + code / unit % 10);
        }
    }
    text.push(b' ');
    text.extend_from_slice(name.as_bytes());
    text.push(b'\n');
}

#[cfg(test)]
mod tests {
    use alloc::{string::String, vec};

    use super::*;

    fn written(table: u32) -> String {
        let mut text = vec![];
        Table::write(table, &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_table_has_a_line_for_each_name() {
        assert_eq!(written(0), "0 accept\n1 retry\n2 stop\n");
        for table in 0..=Table::Languages as u32 {
            for line in written(table).lines() {
                let (code, name) = line.split_once(' ').unwrap();
                assert!(code.parse::<u8>().is_ok() && !name.is_empty(), "{line}");
            }
        }
        assert_eq!(written(Table::Languages as u32 + 1), "");
        assert_eq!(written(u32::MAX), "");
    }

    #[test]
    fn codes_are_written_in_decimal() {
        let mut text = vec![];
        for code in [0, 7, 10, 99, 100, 255] {
            line(&mut text, code, "x");
        }
        assert_eq!(text, b"0 x\n7 x\n10 x\n99 x\n100 x\n255 x\n");
    }
}
