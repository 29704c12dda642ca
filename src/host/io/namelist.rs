//! Namelist statements: the group that a statement names, and what its input sets (Fortran 2018, 13.11).
//!
//! `io.option` tells a group before the items come: 5 its name, 6 the name of the next variable (both as address and length),
//! 7 lower bound and extent of the variable's next dimension. Output writes the variable's values behind its name. Input
//! keeps the places of its elements, in array element order; at the end of the statement the records are read and each
//! assignment finds its elements here.
//!
//! Not here: components of derived types, which `sema` (`stmt/io.rs`) refuses for input; the text itself (`text`).

use crate::condition::{Condition, OTHER};
use crate::io::IoService;
use crate::io::input::Object;
use crate::io::statement::Work;
use crate::protocol::Halt;
use crate::storage;
use mem::Memory;
use text::{Datum, Designator, IoError, NamelistTarget, Progress, Subscript, Want};

/// A namelist group of a statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) name: String,
    vars: Vec<Variable>,
}

/// A variable of a group.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    /// Lower bound and extent of each dimension.
    dims: Vec<(i64, i64)>,
    /// Its elements, for input.
    elements: Vec<Object>,
}

impl Group {
    /// Takes the place of the next element of the variable that was named last.
    pub(crate) fn add(&mut self, object: Object) {
        if let Some(var) = self.vars.last_mut() {
            var.elements.push(object);
        }
    }

    /// The objects that an assignment names.
    fn pick(&self, designator: &Designator) -> Result<Vec<Object>, IoError> {
        let missing = || IoError::NoSuchVariable { name: designator.to_string() };
        let [part] = designator.parts.as_slice() else { return Err(missing()) };
        let var = self.vars.iter().find(|v| v.name == part.name).ok_or_else(missing)?;
        let mut selectors = part.selectors.iter();
        let subscripts = if var.dims.is_empty() { None } else { selectors.next() };
        let mut objects = match subscripts {
            Some(subscripts) => var.section(subscripts).ok_or_else(missing)?,
            None => var.elements.clone(),
        };
        if let Some(range) = selectors.next() {
            for object in &mut objects {
                *object = substring(*object, range).ok_or_else(missing)?;
            }
        }
        if selectors.next().is_some() { Err(missing()) } else { Ok(objects) }
    }
}

impl Variable {
    /// The elements of a section; an element without a range is itself and all that follow.
    fn section(&self, subscripts: &[Subscript]) -> Option<Vec<Object>> {
        if subscripts.len() != self.dims.len() {
            return None;
        }
        let mut offsets = vec![0usize];
        let (mut stride, mut ranges) = (1usize, false);
        for (subscript, &(lower, extent)) in subscripts.iter().zip(&self.dims) {
            let upper = lower + extent - 1;
            let indices: Vec<i64> = match subscript {
                Subscript::Index(i) => vec![*i],
                Subscript::Range(first, last, step) => {
                    ranges = true;
                    let (first, last) = (first.unwrap_or(lower), last.unwrap_or(upper));
                    let step = step.unwrap_or(1);
                    let inside = |i: i64| if step > 0 { i <= last } else { i >= last };
                    if step == 0 || [first, last].iter().any(|i| !(lower..=upper).contains(i)) {
                        return None;
                    }
                    std::iter::successors(Some(first), |i| Some(i + step)).take_while(|&i| inside(i)).collect()
                }
            };
            if indices.iter().any(|i| !(lower..=upper).contains(i)) {
                return None;
            }
            let places = indices.iter().map(|i| (i - lower) as usize * stride);
            offsets = places.flat_map(|place| offsets.iter().map(move |o| o + place)).collect();
            stride = stride.saturating_mul(extent.max(0) as usize);
        }
        match offsets.as_slice() {
            [first] if !ranges => Some(self.elements.get(*first..)?.to_vec()),
            _ => offsets.iter().map(|&o| self.elements.get(o).copied()).collect(),
        }
    }
}

/// The characters of an object that a range names.
fn substring(object: Object, range: &[Subscript]) -> Option<Object> {
    let [Subscript::Range(first, last, None)] = range else { return None };
    let (first, last) = (first.unwrap_or(1), last.unwrap_or(object.length as i64));
    if object.class != 4 || first < 1 || last > object.length as i64 {
        return None;
    }
    let length = (last - first + 1).max(0) as u64;
    Some(Object { address: object.address + (first - 1) as u64, length, ..object })
}

/// A group whose variables are being set.
struct Filling<'a> {
    group: &'a Group,
    memory: &'a mut Memory,
    /// The objects of the assignment at hand.
    current: Vec<Object>,
    /// What setting one met that is not an error of the text.
    failed: Option<Halt>,
}

impl NamelistTarget for Filling<'_> {
    fn locate(&mut self, designator: &Designator) -> Result<Vec<Want>, IoError> {
        self.current = self.group.pick(designator)?;
        Ok(self.current.iter().map(Object::want).collect())
    }

    fn store(&mut self, designator: &Designator, element: usize, datum: Datum) -> Result<(), IoError> {
        let missing = || IoError::NoSuchVariable { name: designator.to_string() };
        let object = *self.current.get(element).ok_or_else(missing)?;
        object.store(self.memory, &datum).map_err(|halt| {
            self.failed = Some(halt);
            missing()
        })
    }
}

impl IoService<'_> {
    /// Options 5 to 7 of `io.option`.
    pub(crate) fn set_group_option(&mut self, memory: &Memory, option: i32, a: i64, b: i64) -> Result<(), Halt> {
        if self.io.statement()?.failed.is_some() {
            return Ok(());
        }
        let name = |memory: &Memory| -> Result<String, Halt> {
            let text = storage::read(memory, a as u64, b as u64)?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        };
        if option == 5 {
            self.io.statement()?.group.name = name(memory)?;
            return Ok(());
        }
        self.start(memory)?;
        let statement = self.io.statement()?;
        match option {
            6 => {
                let name = name(memory)?;
                if let Work::NamelistOut(writer) = &mut statement.work {
                    writer.variable(&name);
                }
                statement.group.vars.push(Variable { name, dims: Vec::new(), elements: Vec::new() });
            }
            7 => {
                if let Some(var) = statement.group.vars.last_mut() {
                    var.dims.push((a, b));
                }
            }
            _ => return Err(Condition::Error(OTHER, format!("option {option} is not known")).into()),
        }
        Ok(())
    }

    /// Reads the records of a group and sets its variables.
    pub(crate) fn finish_namelist(&mut self, memory: &mut Memory) -> Result<(), Halt> {
        loop {
            let record = self.next_record(memory)?;
            let Work::NamelistIn(reader) = &mut self.io.statement()?.work else { return Ok(()) };
            if reader.feed(&record) == Progress::Ready(()) {
                break;
            }
        }
        let statement = self.io.statement()?;
        let group = std::mem::take(&mut statement.group);
        let Work::NamelistIn(reader) = std::mem::replace(&mut statement.work, Work::Over) else { return Ok(()) };
        let mut target = Filling { group: &group, memory, current: Vec::new(), failed: None };
        let done = reader.apply(&mut target);
        match target.failed {
            Some(halt) => Err(halt),
            None => Ok(done?),
        }
    }
}
