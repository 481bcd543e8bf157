//! One macro for every closed set that crosses a boundary: a stable number, a kebab-case name.

/// Defines a field-less enum whose variants carry a stable code and a kebab-case name.
///
/// Numbers and names are wire format (bindings, traces, snapshots): they are added, never changed.
macro_rules! codes {
    (
        $(#[$meta:meta])*
        pub enum $Type:ident { $( $(#[$vmeta:meta])* $Variant:ident = $code:literal => $name:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum $Type { $( $(#[$vmeta])* $Variant = $code, )+ }

        impl $Type {
            /// Every value, in the order of definition.
            pub const ALL: &'static [Self] = &[ $( Self::$Variant, )+ ];

            /// Every name, by its number.
            pub(crate) const NAMES: &'static [&'static str] = &[ $( $name, )+ ];

            // Where numbers are places, one table serves and no code for each name.
            const NUMBERED: bool = {
                let mut at = 0;
                let mut numbered = true;
                $( numbered = numbered && $code == at; at += 1; )+
                numbered && at == Self::ALL.len()
            };

            /// The stable number that crosses numeric boundaries.
            #[inline]
            pub const fn code(self) -> u8 { self as u8 }

            /// The stable kebab-case name that stands in documents, traces and logs.
            pub const fn name(self) -> &'static str {
                if Self::NUMBERED {
                    return Self::NAMES[self as usize];
                }
                match self { $( Self::$Variant => $name, )+ }
            }

            /// The value with this number, if there is one.
            pub const fn from_code(code: u8) -> Option<Self> {
                if Self::NUMBERED {
                    let at = code as usize;
                    return if at < Self::ALL.len() { Some(Self::ALL[at]) } else { None };
                }
                match code { $( $code => Some(Self::$Variant), )+ _ => None }
            }

            /// The value with this name (case-sensitive), if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.get($crate::codes::place(Self::NAMES, name)?).copied()
            }
        }

        impl core::fmt::Display for $Type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use codes;

/// Where a name stands among others.
pub(crate) fn place(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|known| *known == name)
}
