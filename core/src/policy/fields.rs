//! Each field of a policy is listed once: its name, what it takes, and where it is kept. Its default
//! is what the place holds in a `Default` value.
//!
//! The lists are data. One walk of them reads a document, one checks what somebody else filled in,
//! one writes the JSON Schema: a field costs an entry of a list and the address of its place, no
//! code of its own.
#![cfg_attr(
    not(feature = "json"),
    expect(dead_code, reason = "only documents are read into their places")
)]

use alloc::{boxed::Box, string::String, vec::Vec};

use crate::{
    classify::Class,
    policy::{
        Beyond, BudgetKind, Curve, HintMode, Jitter, KeyFormat, KeyVersion, LeaseExpiry, Safety,
        WindowKind, spec::Spec, text_rule::TextRule,
    },
    time::Millis,
};

/// A part of a policy that has fields.
pub(crate) trait Fields {
    /// The fields, always in the same order.
    fn list(&self) -> &'static [Field];
    /// Gives the place of the field that stands at `at` in the list.
    fn place(&mut self, at: usize, give: &mut dyn FnMut(Place<'_>));
}

/// One field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) what: What,
    /// The kind of its object that alone has it, by its place among the kinds.
    pub(crate) of: Option<u8>,
}

/// What a field takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// A number in the unit of its place.
    Number(&'static Spec),
    /// A boolean.
    Flag,
    /// One of a few names.
    Name(&'static [&'static str]),
    /// The same, and it settles which fields its object has.
    Kind(&'static [&'static str]),
    /// A text.
    Text(TextRule),
    /// A list of texts.
    Texts(TextRule),
    /// A list of status codes.
    Statuses,
    /// An object.
    Object,
    /// An object, or null.
    Optional,
    /// A list of objects.
    Objects,
}

/// Where a field is kept.
pub(crate) enum Place<'a> {
    /// A count, or a fraction in the smallest unit of its [`Spec`].
    Count(&'a mut u32),
    /// A duration.
    Span(&'a mut Millis),
    /// A duration or nothing.
    MaybeSpan(&'a mut Option<Millis>),
    /// A boolean.
    Flag(&'a mut bool),
    /// A name.
    Name(&'a mut dyn Named),
    /// A text.
    Text(&'a mut Box<str>),
    /// A text or nothing.
    MaybeText(&'a mut Option<Box<str>>),
    /// Texts.
    Texts(&'a mut Vec<String>),
    /// Texts that stay as many.
    BoxedTexts(&'a mut Box<[Box<str>]>),
    /// Status codes.
    Statuses(&'a mut Vec<u16>),
    /// Status codes that stay as many.
    BoxedStatuses(&'a mut Box<[u16]>),
    /// An object.
    Object(&'a mut dyn Fields),
    /// An object or nothing.
    Optional(&'a mut dyn Optional),
    /// Objects.
    Objects(&'a mut dyn Objects),
    /// That of a field which only another kind has.
    Nowhere,
}

/// Shows each field that the part has with its place, and without one those that it would have with
/// another kind. What is made of the kind holds for the fields behind it.
pub(crate) fn each(part: &mut dyn Fields, show: &mut dyn FnMut(&'static Field, Option<Place<'_>>)) {
    let mut kind = None;
    for (at, field) in part.list().iter().enumerate() {
        if field.of.is_some() && field.of != kind {
            show(field, None);
            continue;
        }
        part.place(at, &mut |place| show(field, Some(place)));
        if let What::Kind(names) = field.what {
            part.place(at, &mut |place| {
                let name = if let Place::Name(slot) = place { slot.get() } else { None };
                let at = names.iter().position(|known| Some(*known) == name);
                kind = at.and_then(|at| u8::try_from(at).ok());
            });
        }
    }
}

/// Lists the fields of a part: `"name": what it takes => |part| its place`, with `of KIND` behind the
/// name where only one kind of the part has it, and `view` before a place that is made to be given.
macro_rules! fields {
    ($Part:ty { $(
        $name:literal $(of $kind:path)?: $what:expr => $($view:ident)? |$part:ident| $place:expr,
    )+ }) => {
        impl $crate::policy::fields::Fields for $Part {
            fn list(&self) -> &'static [$crate::policy::fields::Field] {
                const {
                    &[$($crate::policy::fields::Field {
                        name: $name,
                        what: $what,
                        of: $crate::policy::fields::fields!(@of $($kind)?),
                    }),+]
                }
            }

            fn place(
                &mut self,
                at: usize,
                give: &mut dyn FnMut($crate::policy::fields::Place<'_>),
            ) {
                // Counted down from field to field, which the compiler makes one jump of; given in
                // one place, so that a field is no more than an address.
                let left = at;
                let place = 'found: {
                    $(
                        if left == 0 {
                            let $part = self;
                            $crate::policy::fields::fields!(@give [$($view)?] 'found give $place);
                        }
                        let left = left.wrapping_sub(1);
                    )+
                    let _ = left;
                    return;
                };
                give(place);
            }
        }
    };
    (@give [] $found:lifetime $give:ident $place:expr) => { break $found $place };
    (@give [view] $found:lifetime $give:ident $place:expr) => { return $give($place) };
    (@of) => { None };
    (@of $kind:path) => { Some($kind.code()) };
}
pub(crate) use fields;

impl Place<'_> {
    /// The number that is kept there.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Self::Count(place) => Some(u64::from(**place)),
            Self::Span(place) => Some(place.get()),
            Self::MaybeSpan(place) => place.map(Millis::get),
            _ => None,
        }
    }

    /// Keeps a number that its [`Spec`] accepts. Only a place that can hold it takes `None`.
    pub(crate) fn set_number(self, value: Option<u64>) {
        match (self, value) {
            // Every count's spec ends below 2^32.
            (Self::Count(place), Some(value)) => *place = u32::try_from(value).unwrap_or(u32::MAX),
            (Self::Span(place), Some(value)) => *place = Millis::new(value),
            (Self::MaybeSpan(place), value) => *place = value.map(Millis::new),
            _ => {}
        }
    }

    /// The text that is kept there, or the one at `at` in a list.
    pub(crate) fn text(&self, at: usize) -> Option<&str> {
        match self {
            Self::Text(place) if at == 0 => Some(place),
            Self::MaybeText(place) if at == 0 => place.as_deref(),
            Self::Texts(place) => place.get(at).map(String::as_str),
            Self::BoxedTexts(place) => place.get(at).map(|text| &**text),
            _ => None,
        }
    }

    /// Keeps texts that their rule accepts; of several a single place takes the first, of none a
    /// place that can hold it nothing.
    pub(crate) fn set_texts(self, texts: Vec<String>) {
        match self {
            Self::Texts(place) => *place = texts,
            Self::BoxedTexts(place) => {
                *place = texts.into_iter().map(String::into_boxed_str).collect();
            }
            Self::Text(place) => {
                if let Some(text) = texts.into_iter().next() {
                    *place = text.into_boxed_str();
                }
            }
            Self::MaybeText(place) => {
                *place = texts.into_iter().next().map(String::into_boxed_str);
            }
            _ => {}
        }
    }

    /// The status code at `at` in the list that is kept there.
    pub(crate) fn status(&self, at: usize) -> Option<u16> {
        match self {
            Self::Statuses(place) => place.get(at).copied(),
            Self::BoxedStatuses(place) => place.get(at).copied(),
            _ => None,
        }
    }

    /// Keeps status codes.
    pub(crate) fn set_statuses(self, statuses: Vec<u16>) {
        match self {
            Self::Statuses(place) => *place = statuses,
            Self::BoxedStatuses(place) => *place = statuses.into_boxed_slice(),
            _ => {}
        }
    }
}

/// An object or null.
pub(crate) trait Optional {
    /// Makes it null.
    fn clear(&mut self);
    /// The object; with its defaults if it was null.
    fn open(&mut self) -> &mut dyn Fields;
    /// The object, if it is not null.
    fn get(&mut self) -> Option<&mut dyn Fields>;
}

impl<T: Fields + Default> Optional for Option<T> {
    fn clear(&mut self) {
        *self = None;
    }

    fn open(&mut self) -> &mut dyn Fields {
        self.get_or_insert_default()
    }

    fn get(&mut self) -> Option<&mut dyn Fields> {
        self.as_mut().map(|object| object as &mut dyn Fields)
    }
}

/// A list of objects.
pub(crate) trait Objects {
    /// Makes it a list of `len` default values.
    fn reset(&mut self, len: usize);
    /// The object at `at`.
    fn get(&mut self, at: usize) -> Option<&mut dyn Fields>;
}

impl<T: Fields + Default> Objects for Vec<T> {
    fn reset(&mut self, len: usize) {
        self.clear();
        self.resize_with(len, T::default);
    }

    fn get(&mut self, at: usize) -> Option<&mut dyn Fields> {
        self.get_mut(at).map(|object| object as &mut dyn Fields)
    }
}

impl<T: Fields + Default> Objects for Box<[T]> {
    fn reset(&mut self, len: usize) {
        *self = (0..len).map(|_| T::default()).collect();
    }

    fn get(&mut self, at: usize) -> Option<&mut dyn Fields> {
        self.get_mut(at).map(|object| object as &mut dyn Fields)
    }
}

/// One of a few names.
pub(crate) trait Named {
    /// The name that is kept, if any.
    fn get(&self) -> Option<&'static str>;
    /// Keeps the value whose name stands at `at` among the names of its field.
    fn set(&mut self, at: usize);
}

macro_rules! named {
    ($($Type:ty),+) => {
        $(impl Named for $Type {
            fn get(&self) -> Option<&'static str> {
                Some(self.name())
            }

            fn set(&mut self, at: usize) {
                *self = Self::ALL.get(at).copied().unwrap_or(*self);
            }
        })+
    };
}

named!(
    Beyond,
    BudgetKind,
    Curve,
    HintMode,
    Jitter,
    KeyFormat,
    KeyVersion,
    LeaseExpiry,
    Safety,
    WindowKind
);

impl Named for Option<Curve> {
    fn get(&self) -> Option<&'static str> {
        self.map(Curve::name)
    }

    fn set(&mut self, at: usize) {
        *self = Curve::ALL.get(at).copied();
    }
}

/// A class that is retried: no wait ever follows another.
impl Named for Option<Class> {
    fn get(&self) -> Option<&'static str> {
        self.map(Class::name)
    }

    fn set(&mut self, at: usize) {
        *self = RETRIED.get(at).copied();
    }
}

/// The classes that are retried.
const RETRIED: [Class; 2] = [Class::Transient, Class::Throttled];
/// Their names.
pub(crate) const RETRIED_NAMES: &[&str] = &[RETRIED[0].name(), RETRIED[1].name()];
