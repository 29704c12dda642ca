//! Values that a front end opens part by part: arrays in pages, components, whole groups of variables; and the threads and
//! findings that it lists.
//!
//! Not here: how they are read (`session/inspect.rs`), and the screen of the terminal (`snapshot`).

use crate::view::reply::{FocusView, LaneState};
use source::FileId;

/// A group of variables of a frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Dummy arguments.
    Arguments,
    /// Local variables that are not in shared memory.
    Locals,
    /// Variables of the frame in shared memory.
    Shared,
    /// Variables of modules.
    Module,
    /// What device code knows of its thread.
    Registers,
}

impl Group {
    /// All groups, in the order in which they are shown.
    pub const ALL: [Group; 5] = [Group::Locals, Group::Arguments, Group::Shared, Group::Registers, Group::Module];
}

/// A step from an object to a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// To a component: its number and its name.
    Component(u32, String),
    /// To an element or a section: a subscript for each dimension, or none for the whole dimension.
    Subscripts(Vec<Option<i64>>),
}

/// What a designator begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Root {
    /// A variable by its number in the checked program, and the text that names it.
    Variable(u32, String),
    /// An expression.
    Expression(String),
}

/// A value of a frame, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Designator {
    /// The whole value.
    pub root: Root,
    /// The way to the part.
    pub steps: Vec<Step>,
}

impl Designator {
    /// An expression as a whole.
    pub fn expression(text: impl Into<String>) -> Designator {
        Designator { root: Root::Expression(text.into()), steps: Vec::new() }
    }

    /// A component of this.
    pub(crate) fn component(&self, number: u32, name: &str) -> Designator {
        let mut part = self.clone();
        part.steps.push(Step::Component(number, name.to_owned()));
        part
    }

    /// An element or section of this. The subscripts of a section take the place of its free dimensions.
    pub(crate) fn subscripted(&self, subscripts: Vec<Option<i64>>) -> Designator {
        let mut part = self.clone();
        match part.steps.last_mut() {
            Some(Step::Subscripts(all)) if all.iter().any(Option::is_none) => {
                let free = all.iter_mut().filter(|s| s.is_none());
                free.zip(subscripts).for_each(|(subscript, new)| *subscript = new);
            }
            _ => part.steps.push(Step::Subscripts(subscripts)),
        }
        part
    }

    /// The text of the last step: `x`, `(2,:)`.
    pub(crate) fn last_step(&self) -> String {
        self.steps.last().map(step_text).unwrap_or_default()
    }

    /// The text in Fortran. It designates an object only if the root does.
    pub fn text(&self) -> String {
        let mut text = match &self.root {
            Root::Variable(_, text) | Root::Expression(text) => text.trim().to_owned(),
        };
        for step in &self.steps {
            if matches!(step, Step::Component(..)) {
                text.push('%');
            }
            text.push_str(&step_text(step));
        }
        text
    }
}

fn step_text(step: &Step) -> String {
    match step {
        Step::Component(_, name) => name.clone(),
        Step::Subscripts(all) => {
            let one = |s: &Option<i64>| s.map_or_else(|| ":".to_owned(), |i| i.to_string());
            format!("({})", all.iter().map(one).collect::<Vec<_>>().join(","))
        }
    }
}

/// A value with what can be opened inside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueView {
    /// Its name in the list of its parent.
    pub name: String,
    /// Where it is.
    pub designator: Designator,
    /// Whether the text of the designator is an object that can be assigned to and watched.
    pub is_object: bool,
    /// Its type, with the bounds of an array.
    pub ty: String,
    /// Its value, shortened if it is an array; or why there is none.
    pub value: Result<String, String>,
    /// How many elements, rows or tables it has.
    pub elements: u64,
    /// How many components it has.
    pub components: u64,
    /// Its address, if it is in memory.
    pub address: Option<u64>,
}

/// A thread that can be chosen: the host, or a lane of the warp in view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadView {
    /// The thread.
    pub thread: FocusView,
    /// Its state; none for the host.
    pub state: Option<LaneState>,
}

/// Where an instruction is: a procedure, and the number of the instruction in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeAt {
    /// The number of the procedure.
    pub procedure: u32,
    /// The number of the instruction, from 0.
    pub instruction: u32,
}

/// An instruction of the intermediate code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstructionView {
    /// The procedure, or the block, that begins with it.
    pub label: Option<String>,
    /// What it does.
    pub text: String,
    /// File and line that it is for.
    pub place: Option<(FileId, usize)>,
}

/// A finding with its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingText {
    /// Its number, from 1.
    pub number: usize,
    /// Its code, such as `R0101`.
    pub code: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// One sentence.
    pub title: String,
    /// All that there is to say, with source lines.
    pub text: String,
    /// File and line.
    pub place: Option<(FileId, usize)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_row_is_an_element() {
        let row = Designator::expression("a").subscripted(vec![Some(2), None]);
        assert_eq!((row.text().as_str(), row.last_step().as_str()), ("a(2,:)", "(2,:)"));
        let element = row.subscripted(vec![Some(-1)]);
        assert_eq!(element.text(), "a(2,-1)");
        assert_eq!(element.component(0, "x").subscripted(vec![Some(3)]).text(), "a(2,-1)%x(3)");
    }
}
