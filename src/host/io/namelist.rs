//! Namelist statements: the group that a statement names, and what its input sets (Fortran 2018, 13.11).
//!
//! `io.option` tells a group before the items come: 5 its name, 6 the name of the next variable (both as address and length),
//! 7 lower bound and extent of the next dimension. For input of a derived type 14 begins a component of it (address and length
//! of the name), whose dimensions and components follow, and 15 ends it. Output writes the variable's values behind its name.
//! Input keeps the places of its elements, in array element order; at the end of the statement the records are read and each
//! assignment finds its elements here.
//!
//! Not here: the text itself (`text`).

use crate::condition::{Condition, OTHER};
use crate::io::IoService;
use crate::io::input::Object;
use crate::io::statement::Work;
use crate::protocol::Halt;
use crate::storage;
use mem::Memory;
use text::{Datum, Designator, IoError, NamelistTarget, Subscript, Want};

/// A namelist group of a statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) name: String,
    vars: Vec<Variable>,
    /// The objects of the assignment at hand.
    current: Vec<Object>,
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
        let (first, components) = designator.parts.split_first().ok_or_else(missing)?;
        let var = self.vars.iter().find(|v| v.layout.name == first.name).ok_or_else(missing)?;
        let mut layout = &var.layout;
        let mut places = vec![0usize];
        let mut substrings = Vec::new();
        let mut arrays = 0;
        for (i, named) in designator.parts.iter().enumerate() {
            if i > 0 {
                let (before, part) = layout.part(&named.name).ok_or_else(missing)?;
                places.iter_mut().for_each(|place| *place += before);
                layout = part;
            }
            let mut selectors = named.selectors.iter();
            let subscripts = if layout.dims.is_empty() { None } else { selectors.next() };
            let is_range = |s: &Subscript| matches!(s, Subscript::Range(..));
            arrays += usize::from(!layout.dims.is_empty() && subscripts.is_none_or(|all| all.iter().any(is_range)));
            let elements = match subscripts {
                Some(subscripts) => {
                    layout.section(subscripts, i == components.len() && arrays == 0).ok_or_else(missing)?
                }
                None => (0..layout.count()).collect(),
            };
            let width = layout.width();
            places = places.iter().flat_map(|place| elements.iter().map(move |e| place + e * width)).collect();
            substrings = selectors.collect();
        }
        if arrays > 1 {
            // At most one part of a designator has a rank (Fortran 2018, 9.4.2).
            return Err(IoError::BadNamelist { message: format!("`{designator}` has two parts that are arrays") });
        }
        let width = layout.width();
        let mut objects = Vec::with_capacity(places.len() * width);
        for place in places {
            objects.extend_from_slice(var.elements.get(place..place + width).ok_or_else(missing)?);
        }
        match substrings.as_slice() {
            [] => Ok(objects),
            [range] if layout.parts.is_empty() => {
                objects.into_iter().map(|o| substring(o, range)).collect::<Option<_>>().ok_or_else(missing)
            }
            _ => Err(missing()),
        }
    }
}

/// A variable of a group.
#[derive(Clone, Debug)]
struct Variable {
    layout: Layout,
    /// Its elements, or the components of them in order, for input.
    elements: Vec<Object>,
    /// The components whose description is not complete, by their places.
    open: Vec<usize>,
}

impl Variable {
    /// What the options at hand describe.
    fn described(&mut self) -> &mut Layout {
        let mut layout = &mut self.layout;
        for &at in &self.open {
            layout = &mut layout.parts[at];
        }
        layout
    }
}

/// What a variable or component consists of.
#[derive(Clone, Debug)]
struct Layout {
    name: String,
    /// Lower bound and extent of each dimension.
    dims: Vec<(i64, i64)>,
    /// The components of an element of derived type.
    parts: Vec<Layout>,
}

impl Layout {
    fn new(name: String) -> Layout {
        Layout { name, dims: Vec::new(), parts: Vec::new() }
    }

    /// How many elements it has.
    fn count(&self) -> usize {
        self.dims.iter().map(|d| d.1.max(0) as usize).product()
    }

    /// How many objects one element has.
    fn width(&self) -> usize {
        if self.parts.is_empty() { 1 } else { self.parts.iter().map(|p| p.count() * p.width()).sum() }
    }

    /// A component, and how many objects stand before it.
    fn part(&self, name: &str) -> Option<(usize, &Layout)> {
        let at = self.parts.iter().position(|p| p.name == name)?;
        Some((self.parts[..at].iter().map(|p| p.count() * p.width()).sum(), &self.parts[at]))
    }

    /// The elements of a section; an element without a range is itself and, at the end of a designator without arrays, all that
    /// follow.
    fn section(&self, subscripts: &[Subscript], is_last: bool) -> Option<Vec<usize>> {
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
            [first] if !ranges && is_last => Some((*first..self.count()).collect()),
            _ => Some(offsets),
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
    current: &'a mut Vec<Object>,
    /// What setting one met that is not an error of the text.
    failed: Option<Halt>,
}

impl NamelistTarget for Filling<'_> {
    fn locate(&mut self, designator: &Designator) -> Result<Vec<Want>, IoError> {
        *self.current = self.group.pick(designator)?;
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
    /// The options of `io.option` that describe a group.
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
                let layout = Layout::new(name);
                statement.group.vars.push(Variable { layout, elements: Vec::new(), open: Vec::new() });
            }
            7 => {
                if let Some(var) = statement.group.vars.last_mut() {
                    var.described().dims.push((a, b));
                }
            }
            14 => {
                let name = name(memory)?;
                if let Some(var) = statement.group.vars.last_mut() {
                    let parts = &mut var.described().parts;
                    parts.push(Layout::new(name));
                    let at = parts.len() - 1;
                    var.open.push(at);
                }
            }
            15 => {
                if let Some(var) = statement.group.vars.last_mut() {
                    var.open.pop();
                }
            }
            _ => return Err(Condition::Error(OTHER, format!("option {option} is not known")).into()),
        }
        Ok(())
    }

    /// Reads the records of a group and sets its variables.
    pub(crate) fn finish_namelist(&mut self, memory: &mut Memory) -> Result<(), Halt> {
        while self.next_defined(memory)?.is_some() {}
        self.io.statement()?.work = Work::Over;
        Ok(())
    }

    /// `io.namelist.next`: sets variables up to an object that a procedure reads: 0 if there is none any more, else the number
    /// of the procedure and one, and the address of the object.
    pub(crate) fn next_of_group(&mut self, memory: &mut Memory) -> Result<[u64; 2], Halt> {
        if self.io.statement()?.failed.is_some() {
            return Ok([0, 0]);
        }
        self.start(memory)?;
        let Some(object) = self.next_defined(memory)? else { return Ok([0, 0]) };
        self.io.statement()?.calling.tell(b"NAMELIST".to_vec(), Vec::new());
        Ok([object.kind as u64 + 1, object.address])
    }

    fn next_defined(&mut self, memory: &mut Memory) -> Result<Option<Object>, Halt> {
        loop {
            let Work::NamelistIn(reader) = &self.io.statement()?.work else { return Ok(None) };
            if reader.is_complete() {
                break;
            }
            let record = self.next_record(memory)?;
            if let Work::NamelistIn(reader) = &mut self.io.statement()?.work {
                reader.feed(&record);
            }
        }
        let statement = self.io.statement()?;
        let Work::NamelistIn(reader) = &mut statement.work else { return Ok(None) };
        let mut current = std::mem::take(&mut statement.group.current);
        let mut target = Filling { group: &statement.group, memory, current: &mut current, failed: None };
        let done = reader.apply(&mut target);
        let failed = target.failed;
        let object = done.as_ref().ok().copied().flatten().and_then(|element| current.get(element).copied());
        statement.group.current = current;
        match failed {
            Some(halt) => Err(halt),
            None => Ok(done.map(|_| object)?),
        }
    }
}
