//! Implicit typing: what the first letter of an undeclared name says (Fortran 2018, 8.7).

use crate::checked::Type;
use ast::NoneSpec;

/// Whether an IMPLICIT NONE that names this in parentheses takes the types from all letters.
pub(crate) fn forbids_types(specs: &[NoneSpec]) -> bool {
    specs.is_empty() || specs.contains(&NoneSpec::Type)
}

/// The types of the 26 letters.
#[derive(Clone, Debug)]
pub(crate) struct ImplicitRules {
    letters: Vec<Option<Implied>>,
    /// Whether external procedures have to be declared: `implicit none (external)`.
    declares_externals: bool,
}

/// What a letter says.
#[derive(Clone, Debug)]
struct Implied {
    ty: Type,
    /// Whether IMPLICIT names a CLASS whose objects have a dynamic type of their own.
    class: bool,
}

impl ImplicitRules {
    /// `implicit none`
    pub(crate) fn none() -> ImplicitRules {
        ImplicitRules { letters: vec![None; 26], declares_externals: false }
    }

    /// These rules, which are those of the host, with an IMPLICIT NONE that names this in parentheses.
    pub(crate) fn with_none(&self, specs: &[NoneSpec]) -> ImplicitRules {
        let mut rules = self.clone();
        if forbids_types(specs) {
            rules.letters = vec![None; 26];
        }
        rules.declares_externals |= specs.contains(&NoneSpec::External);
        rules
    }

    /// Whether no procedure may be referred to that has neither an explicit interface nor the EXTERNAL attribute.
    pub(crate) fn declares_externals(&self) -> bool {
        self.declares_externals
    }

    /// The rules without any statement: `i` to `n` are integers, the others reals.
    pub(crate) fn standard(integer: u8, real: u8) -> ImplicitRules {
        let ty = |c: u8| if (b'i'..=b'n').contains(&c) { Type::Integer(integer) } else { Type::Real(real) };
        let letter = |c: u8| Some(Implied { ty: ty(c), class: false });
        ImplicitRules { letters: (b'a'..=b'z').map(letter).collect(), declares_externals: false }
    }

    /// Sets the letters `first` to `last`.
    pub(crate) fn set(&mut self, first: char, last: char, ty: &Type, class: bool) {
        for c in first..=last {
            if c.is_ascii_lowercase() {
                self.letters[(c as u8 - b'a') as usize] = Some(Implied { ty: ty.clone(), class });
            }
        }
    }

    /// The type of a name, if it may go undeclared. Names that begin with `_` or `$` count as reals did in vendors'
    /// compilers: not at all.
    pub(crate) fn of(&self, name: &str) -> Option<Type> {
        self.implied(name).map(|implied| implied.ty.clone())
    }

    /// Whether an object of a name is polymorphic.
    pub(crate) fn is_class(&self, name: &str) -> bool {
        self.implied(name).is_some_and(|implied| implied.class)
    }

    fn implied(&self, name: &str) -> Option<&Implied> {
        let first = name.bytes().next().filter(u8::is_ascii_lowercase)?;
        self.letters[(first - b'a') as usize].as_ref()
    }
}
