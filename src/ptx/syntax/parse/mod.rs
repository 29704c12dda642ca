//! From tokens to the tree.
//!
//! An error ends the reading of a file: who writes PTX is a compiler, and a file with one error is not what it wrote.

mod cursor;
mod declarations;
mod statements;

use super::lex::{LexError, Placed, Token, tokens};
use super::{Ptx, StateSpace};
use diag::{Code, Diagnostic};
use source::{FileId, Span};

/// Operands within operands, at most.
const DEEPEST: u32 = 16;
/// Elements of an initial value, at most.
const MOST_ELEMENTS: usize = 1 << 26;

/// Reads a PTX file.
pub fn parse(file: FileId, text: &str) -> std::result::Result<Ptx, Box<Diagnostic>> {
    let told = |start, end, what: &str| Box::new(unreadable(Span::new(file, start, end), what));
    let tokens = tokens(text).map_err(|LexError { start, end, what }| told(start, end, &what))?;
    let ptx = Ptx { file, files: Vec::new(), variables: Vec::new(), functions: Vec::new() };
    let end = text.len() as u32;
    let mut parser = Parser { tokens: &tokens, at: 0, end, ptx };
    parser.file().map_err(|Error { start, end, what }| told(start, end, &what))?;
    Ok(parser.ptx)
}

/// What is said of text that is not PTX.
pub(crate) fn unreadable(span: Span, what: &str) -> Diagnostic {
    let help = "make the file again with `nvcc -ptx -lineinfo`; it may have been cut off or edited";
    Diagnostic::new(Code::UnreadablePtx, span, format!("this is not PTX: {what}")).help(help)
}

struct Error {
    start: u32,
    end: u32,
    what: String,
}

type Result<T> = std::result::Result<T, Error>;

struct Parser<'a> {
    tokens: &'a [Placed<'a>],
    at: usize,
    /// Where the file ends.
    end: u32,
    ptx: Ptx,
}

impl Parser<'_> {
    fn file(&mut self) -> Result<()> {
        if self.peek() != Some(Token::Word(".version")) {
            return self.error("a `.version` is expected");
        }
        while self.peek().is_some() {
            self.directive()?;
        }
        Ok(())
    }

    /// A directive of the file (PTX ISA 11).
    fn directive(&mut self) -> Result<()> {
        let start = self.start();
        let mut is_extern = false;
        loop {
            let before = self.at;
            let word = self.word("a directive")?;
            match word {
                ".version" => {
                    self.constant()?;
                }
                ".target" => {
                    self.word("an architecture")?;
                    while self.take_mark(',') {
                        self.word("an option of `.target`")?;
                    }
                }
                ".address_size" => {
                    let at = self.at;
                    if self.integer()? != 64 {
                        self.at = at;
                        return self.error("addresses of 64 bits are expected (`-m64`)");
                    }
                }
                ".file" => {
                    let number = self.small()?;
                    let Some(Token::Text(name)) = self.peek() else { return self.error("a file name is expected") };
                    self.at += 1;
                    while self.take_mark(',') {
                        self.integer()?;
                    }
                    self.ptx.files.push((number, name.into()));
                }
                ".section" => {
                    self.word("a section")?;
                    self.mark('{')?;
                    self.skip_braces()?;
                }
                ".pragma" | ".alias" => self.skip_statement()?,
                ".visible" | ".weak" | ".common" => continue,
                ".extern" => {
                    is_extern = true;
                    continue;
                }
                ".entry" | ".func" => self.routine(start, word == ".entry")?,
                _ => match word.strip_prefix('.').and_then(StateSpace::of) {
                    Some(space) => {
                        let variable = self.variable(start, space, is_extern)?;
                        self.ptx.variables.extend(variable);
                    }
                    None => {
                        self.at = before;
                        return self.error("a directive of PTX is expected");
                    }
                },
            }
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Number, Operand, What};

    fn of(text: &str) -> std::result::Result<Ptx, String> {
        let text = format!(".version 8.8\n.target sm_70\n.address_size 64\n{text}");
        parse(FileId(0), &text).map_err(|d| d.message.clone())
    }

    fn body(text: &str) -> Vec<What> {
        let ptx = of(&format!(".visible .entry k(.param .u64 k_param_0) {{ {text} }}"));
        let body = ptx.ok().and_then(|mut ptx| ptx.functions.pop()).and_then(|f| f.body);
        body.unwrap_or_default().into_iter().map(|s| s.what).collect()
    }

    #[test]
    fn a_file_has_variables_and_functions() {
        let ptx = of(".extern .func (.param .b32 r) f (.param .align 8 .b8 a[16]);\n\
             .global .align 1 .b8 $str[4] = {65, 66};\n.extern .shared .align 16 .b8 s[];\n\
             .entry k(.param .u64 .ptr .global .align 4 p) .maxntid 16, 4, 1 { ret; }\n\
             .file 1 \"a.cu\"\n.section .debug_str { $L: .b8 1,2 { } }");
        let Ok(ptx) = ptx else { panic!("{ptx:?}") };
        let counts: Vec<_> = ptx.variables.iter().map(|v| (&*v.name, v.count, v.init.len(), v.is_extern)).collect();
        assert_eq!(counts, [("$str", Some(4), 2, false), ("s", None, 0, true)]);
        let functions: Vec<_> = ptx.functions.iter().map(|f| (&*f.name, f.params[0].bytes(), f.max_threads)).collect();
        assert_eq!(functions, [("f", 16, None), ("k", 8, Some(64))]);
        assert_eq!(ptx.sources().map(|(n, name)| (n, &**name)).collect::<Vec<_>>(), [(1, "a.cu")]);
        assert_eq!(ptx.kernels().map(|k| &**k).collect::<Vec<_>>(), ["k"]);
    }

    #[test]
    fn instructions_have_guards_and_operands() {
        let all = body("@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+-8]; shfl.sync.idx.b32 %r1|%p, %r2, -1, 31, 4;");
        let [What::Instruction(load), What::Instruction(shuffle)] = &all[..] else { panic!("{all:?}") };
        assert_eq!(load.guard, Some(("%p1".into(), true)));
        let name = |name: &str| Operand::Name(name.into(), 0);
        assert_eq!(
            load.operands,
            [Operand::Vector(vec![name("%f1"), name("%f2")]), Operand::Memory(Box::new(name("%rd1")), -8)]
        );
        assert_eq!(shuffle.operands[0], Operand::Pair(Box::new(name("%r1")), Box::new(name("%p"))));
        assert_eq!(shuffle.operands[2], Operand::Number(Number::Int(u64::MAX)));
    }

    #[test]
    fn an_error_says_what_is_expected() {
        for (text, what) in [
            (".entry k() { ret", "this is not PTX: the file ends where an operand is expected"),
            (".entry k() { mov.u32 %r1", "this is not PTX: the file ends where a `,` is expected"),
            (".entry k() { ret; ", "this is not PTX: the file ends where a `}` is expected"),
            (".entry k() ret;", "this is not PTX: the body of a function is expected"),
            (".global .b8 ;", "this is not PTX: the name of a variable is expected"),
            (".globl x", "this is not PTX: a directive of PTX is expected"),
            (".entry k() { } .entry k() { }", "this is not PTX: `k` is defined twice"),
        ] {
            assert_eq!(of(text).err().as_deref(), Some(what), "{text}");
        }
        assert!(parse(FileId(0), "\x7fELF").is_err());
    }
}
