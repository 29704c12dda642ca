//! What a routine of a library leaves in memory, for who compares two implementations of it.
//!
//! Not here: the comparison (`machine`).

use crate::Section;

/// The numbers of an array, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// Integers of 4 bytes.
    Integer,
    /// Reals of 2 bytes.
    Real2,
    /// Reals of 4 bytes; a complex number is two.
    Real4,
    /// Reals of 8 bytes; a complex number is two.
    Real8,
}

/// How far two implementations agree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Agreement {
    /// In all bits.
    Bits,
    /// Within so many rounding units of the largest number.
    Units(f64),
    /// The same for the absolute values of complex or real elements of so many numbers: vectors have any sign or phase.
    Magnitudes(f64, usize),
    /// In all bits; where it is not zero, nothing else of the routine counts.
    Status,
}

/// An array that a routine writes.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// Its elements.
    pub sections: Vec<Section>,
    /// Those of them that have a defined value.
    pub known: Vec<Section>,
    /// What they are.
    pub number: Number,
    /// How far it is known.
    pub agreement: Agreement,
}

impl Written {
    /// Memory to work in.
    pub fn undefined(section: Section) -> Written {
        Written { sections: vec![section], known: Vec::new(), number: Number::Integer, agreement: Agreement::Bits }
    }

    /// An array of which these elements have a defined value.
    pub fn partly(whole: Section, known: Written) -> Written {
        Written { sections: vec![whole], ..known }
    }

    /// The same with another agreement.
    pub fn within(mut self, agreement: Agreement) -> Written {
        self.agreement = agreement;
        self
    }
}
