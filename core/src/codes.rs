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

            /// The stable number that crosses numeric boundaries.
            #[inline]
            pub const fn code(self) -> u8 { self as u8 }

            /// The stable kebab-case name that stands in documents, traces and logs.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$Variant => $name, )+ }
            }

            /// The value with this number, if there is one.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $( $code => Some(Self::$Variant), )+ _ => None }
            }

            /// The value with this name (case-sensitive), if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $( $name => Some(Self::$Variant), )+ _ => None }
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
