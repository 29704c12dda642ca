//! From tokens to the tree.
//!
//! An error ends the reading of a file: who writes PTX is a compiler, and a file with one error is not what it wrote.

use super::lex::{LexError, Number, Placed, Token, tokens};
use super::{
    Initial, Instruction, Kind, Operand, Parameter, Ptx, Routine, StateSpace, Statement, Type, Variable, What,
};
use diag::{Code, Diagnostic};
use source::{FileId, Span};
use std::sync::Arc;

/// Operands within operands, at most.
const DEEPEST: u32 = 16;
/// Elements of an initial value, at most.
const MOST_ELEMENTS: usize = 1 << 26;

/// Reads a PTX file.
pub fn parse(file: FileId, text: &str) -> std::result::Result<Ptx, Box<Diagnostic>> {
    let told = |start, end, what: &str| {
        let d = Diagnostic::new(Code::UnreadablePtx, Span::new(file, start, end), format!("this is not PTX: {what}"));
        let help = "make the file again with `nvcc -ptx -lineinfo`; it may have been cut off or edited";
        Box::new(d.help(help))
    };
    let tokens = tokens(text).map_err(|LexError { start, end, what }| told(start, end, &what))?;
    let ptx = Ptx { file, files: Vec::new(), variables: Vec::new(), functions: Vec::new() };
    let end = text.len() as u32;
    let mut parser = Parser { tokens: &tokens, at: 0, end, ptx };
    parser.file().map_err(|Error { start, end, what }| told(start, end, &what))?;
    Ok(parser.ptx)
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

/// What stands before the name of a variable.
struct Declared {
    ty: Type,
    align: Option<u64>,
    /// Elements of a vector.
    vector: u64,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|placed| placed.token)
    }

    fn start(&self) -> u32 {
        self.tokens.get(self.at).map_or(self.end, |placed| placed.start)
    }

    /// From a start to the end of the token before.
    fn span(&self, start: u32) -> Span {
        let end = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(start, |placed| placed.end);
        Span::new(self.ptx.file, start, end.max(start))
    }

    /// An error at the next token.
    fn error<T>(&self, what: impl Into<String>) -> Result<T> {
        let mut what = what.into();
        let (start, end) = match self.tokens.get(self.at) {
            Some(placed) => (placed.start, placed.end),
            None => {
                what = format!("the file ends where {what}");
                (self.end, self.end)
            }
        };
        Err(Error { start, end, what })
    }

    fn take_mark(&mut self, mark: char) -> bool {
        let is_there = self.peek() == Some(Token::Mark(mark));
        self.at += usize::from(is_there);
        is_there
    }

    fn mark(&mut self, mark: char) -> Result<()> {
        if self.take_mark(mark) { Ok(()) } else { self.error(format!("a `{mark}` is expected")) }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.peek() == Some(Token::Word(word));
        self.at += usize::from(is_there);
        is_there
    }

    /// The next word, if it begins as directives do or does not, as is asked.
    fn word(&mut self, what: &str) -> Result<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => self.error(format!("{what} is expected")),
        }
    }

    fn name(&mut self, what: &str) -> Result<Arc<str>> {
        match self.peek() {
            Some(Token::Word(word)) if !word.starts_with('.') => {
                self.at += 1;
                Ok(word.into())
            }
            _ => self.error(format!("{what} is expected")),
        }
    }

    fn integer(&mut self) -> Result<u64> {
        match self.peek() {
            Some(Token::Number(Number::Int(value))) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.error("an integer is expected"),
        }
    }

    /// An integer that fits into 32 bits.
    fn small(&mut self) -> Result<u32> {
        let start = self.at;
        let value = self.integer()?;
        match u32::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => {
                self.at = start;
                self.error("an integer of 32 bits is expected")
            }
        }
    }

    fn signed(&mut self) -> Result<i64> {
        let is_negative = self.take_mark('-');
        let value = self.integer()? as i64;
        Ok(if is_negative { value.wrapping_neg() } else { value })
    }

    fn constant(&mut self) -> Result<Number> {
        let is_negative = self.take_mark('-');
        match self.peek() {
            Some(Token::Number(number)) => {
                self.at += 1;
                Ok(match number {
                    _ if !is_negative => number,
                    Number::Int(value) => Number::Int(value.wrapping_neg()),
                    Number::Single(bits) => Number::Single(bits ^ 1 << 31),
                    Number::Double(value) => Number::Double(-value),
                })
            }
            _ => self.error("a constant is expected"),
        }
    }

    /// `more` until the mark that closes, with commas between.
    fn list<T>(&mut self, close: char, mut more: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        while !self.take_mark(close) {
            if !out.is_empty() {
                self.mark(',')?;
            }
            out.push(more(self)?);
        }
        Ok(out)
    }

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

    /// Everything up to the `}` that closes.
    fn skip_braces(&mut self) -> Result<()> {
        let mut depth = 1_u64;
        while depth > 0 {
            match self.peek() {
                Some(Token::Mark('{')) => depth += 1,
                Some(Token::Mark('}')) => depth -= 1,
                Some(_) => {}
                None => return self.error("a `}` is expected"),
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Everything up to the `;`.
    fn skip_statement(&mut self) -> Result<()> {
        while !self.take_mark(';') {
            if self.peek().is_none() {
                return self.error("a `;` is expected");
            }
            self.at += 1;
        }
        Ok(())
    }

    /// The type and the alignment of a variable.
    fn declared(&mut self, managed: &mut bool) -> Result<Declared> {
        let (mut align, mut vector) = (None, 1);
        loop {
            let before = self.at;
            match self.word("a type")? {
                ".align" => align = Some(self.alignment()?),
                ".ptr" => {}
                ".v2" => vector = 2,
                ".v4" => vector = 4,
                ".attribute" => {
                    self.mark('(')?;
                    let mut depth = 1_u64;
                    while depth > 0 {
                        match self.peek() {
                            Some(Token::Mark('(')) => depth += 1,
                            Some(Token::Mark(')')) => depth -= 1,
                            Some(Token::Word(".managed")) => *managed = true,
                            Some(_) => {}
                            None => return self.error("a `)` is expected"),
                        }
                        self.at += 1;
                    }
                }
                word => match word.strip_prefix('.').and_then(Type::of) {
                    Some(ty) => return Ok(Declared { ty, align, vector }),
                    None => {
                        self.at = before;
                        return self.error("a type is expected");
                    }
                },
            }
        }
    }

    fn alignment(&mut self) -> Result<u64> {
        let at = self.at;
        let align = self.integer()?;
        if align.is_power_of_two() && align <= 1 << 20 {
            return Ok(align);
        }
        self.at = at;
        self.error("a power of two is expected")
    }

    /// The extents behind a name: how many elements, and whether there are any extents.
    fn extents(&mut self) -> Result<(Option<u64>, bool)> {
        let (mut count, mut is_array) = (Some(1_u64), false);
        while self.take_mark('[') {
            is_array = true;
            if self.take_mark(']') {
                count = None;
                continue;
            }
            let extent = self.integer()?;
            count = count.map(|count| count.saturating_mul(extent));
            self.mark(']')?;
        }
        Ok((count, is_array))
    }

    /// The variables of a declaration, behind its state space.
    fn variable(&mut self, start: u32, space: StateSpace, is_extern: bool) -> Result<Vec<Variable>> {
        let mut managed = false;
        let declared = self.declared(&mut managed)?;
        let mut out = Vec::new();
        loop {
            let name = self.name("the name of a variable")?;
            let (count, is_array) = self.extents()?;
            let mut init = Vec::new();
            if self.take_mark('=') {
                self.initial(&mut init, 0)?;
            }
            out.push(Variable {
                name,
                space,
                ty: declared.ty,
                align: declared.align.unwrap_or(declared.ty.bytes() * declared.vector),
                count: count.map(|count| count.saturating_mul(declared.vector)),
                is_array: is_array || declared.vector > 1,
                managed,
                is_extern,
                init,
                span: self.span(start),
            });
            if !self.take_mark(',') {
                break;
            }
        }
        self.mark(';')?;
        Ok(out)
    }

    /// The initial value of a variable (PTX ISA 5.4.4).
    fn initial(&mut self, out: &mut Vec<Initial>, depth: u32) -> Result<()> {
        if out.len() >= MOST_ELEMENTS || depth > DEEPEST {
            return self.error("an initial value of fewer elements is expected");
        }
        if self.take_mark('{') {
            let mut is_first = true;
            while !self.take_mark('}') {
                if !is_first {
                    self.mark(',')?;
                }
                is_first = false;
                self.initial(out, depth + 1)?;
            }
            return Ok(());
        }
        if let Some(Token::Word(word)) = self.peek() {
            self.at += 1;
            let is_generic = word == "generic" && self.take_mark('(');
            let name = if is_generic { self.name("the name of a variable")? } else { word.into() };
            if is_generic {
                self.mark(')')?;
            }
            let offset = if self.take_mark('+') { self.signed()? } else { 0 };
            out.push(Initial::Address(name, offset));
            return Ok(());
        }
        let number = self.constant()?;
        out.push(Initial::Number(number));
        Ok(())
    }

    fn parameters(&mut self) -> Result<Vec<Parameter>> {
        self.list(')', |this| {
            let is_register = match this.word("a parameter")? {
                ".param" => false,
                ".reg" => true,
                _ => {
                    this.at -= 1;
                    return this.error("a parameter is expected");
                }
            };
            let declared = this.declared(&mut false)?;
            // What a pointer points to: `.ptr .global .align 4`.
            let mut align = declared.align;
            while let Some(Token::Word(word)) =
                this.peek().filter(|t| matches!(t, Token::Word(w) if w.starts_with('.')))
            {
                this.at += 1;
                match word {
                    ".ptr" => {}
                    ".align" => {
                        this.alignment()?;
                    }
                    _ if word.strip_prefix('.').and_then(StateSpace::of).is_some() => {}
                    _ => {
                        this.at -= 1;
                        return this.error("the name of a parameter is expected");
                    }
                }
            }
            let name = this.name("the name of a parameter")?;
            let (count, is_array) = this.extents()?;
            let count = count.map(|count| count.saturating_mul(declared.vector));
            align = align.or(Some(declared.ty.bytes()));
            Ok(Parameter {
                name,
                ty: declared.ty,
                align: align.unwrap_or(1),
                count: if is_array || declared.vector > 1 { Some(count.unwrap_or(0)) } else { None },
                is_register,
            })
        })
    }

    /// A kernel or function, behind `.entry` or `.func` (PTX ISA 11.2).
    fn routine(&mut self, start: u32, is_kernel: bool) -> Result<()> {
        // `.func .attribute(…)`, `.func .noreturn`
        let mut results = Vec::new();
        while self.take_word(".noreturn") {}
        if self.take_mark('(') {
            results = self.parameters()?;
        }
        let name = self.name("the name of a function")?;
        let params = if self.take_mark('(') { self.parameters()? } else { Vec::new() };
        let span = self.span(start);
        let mut routine =
            Routine { name, is_kernel, params, results, max_threads: None, cluster: None, body: None, span };
        loop {
            match self.peek() {
                Some(Token::Mark(';')) => {
                    self.at += 1;
                    break;
                }
                Some(Token::Mark('{')) => {
                    self.at += 1;
                    routine.body = Some(self.body()?);
                    break;
                }
                Some(Token::Word(word)) if word.starts_with('.') => {
                    self.at += 1;
                    self.routine_directive(word, &mut routine)?;
                }
                _ => return self.error("the body of a function is expected"),
            }
        }
        // A declaration before the function itself says nothing more.
        match self.ptx.functions.iter_mut().find(|f| f.name == routine.name) {
            Some(known) if known.body.is_none() => *known = routine,
            Some(_) if routine.body.is_none() => {}
            Some(_) => {
                let what = format!("`{}` is defined twice", routine.name);
                return Err(Error { start: span.start, end: span.end, what });
            }
            None => self.ptx.functions.push(routine),
        }
        Ok(())
    }

    /// A directive about how a kernel runs (PTX ISA 11.4).
    fn routine_directive(&mut self, word: &str, routine: &mut Routine) -> Result<()> {
        match word {
            ".maxntid" | ".reqntid" | ".reqnctapercluster" => {
                let mut extents = [1_u32; 3];
                for (i, extent) in extents.iter_mut().enumerate() {
                    if i == 0 || self.take_mark(',') {
                        *extent = self.small()?;
                    }
                }
                if word == ".reqnctapercluster" {
                    routine.cluster = Some(extents);
                } else {
                    let threads = extents.iter().fold(1_u32, |all, &extent| all.saturating_mul(extent));
                    routine.max_threads = Some(threads.max(1));
                }
            }
            ".minnctapersm" | ".maxnctapersm" | ".maxnreg" | ".maxclusterrank" => {
                self.integer()?;
            }
            ".noreturn" | ".explicitcluster" | ".blocksareclusters" => {}
            ".pragma" => self.skip_statement()?,
            _ => {
                self.at -= 1;
                return self.error("a directive of a kernel is expected");
            }
        }
        Ok(())
    }

    fn body(&mut self) -> Result<Vec<Statement>> {
        let mut out = Vec::new();
        let mut depth = 0_u64;
        loop {
            let start = self.start();
            let what = match self.peek() {
                None => return self.error("a `}` is expected"),
                Some(Token::Mark('}')) => {
                    self.at += 1;
                    if depth == 0 {
                        return Ok(out);
                    }
                    depth -= 1;
                    What::Close
                }
                Some(Token::Mark('{')) => {
                    self.at += 1;
                    depth += 1;
                    What::Open
                }
                Some(Token::Mark(';')) => {
                    self.at += 1;
                    continue;
                }
                Some(Token::Mark('@')) => What::Instruction(self.instruction()?),
                Some(Token::Word(word)) if word.starts_with('.') => {
                    self.at += 1;
                    self.body_directive(start, word, &mut out)?;
                    continue;
                }
                Some(Token::Word(_)) if self.tokens.get(self.at + 1).map(|t| t.token) == Some(Token::Mark(':')) => {
                    let name = self.name("a label")?;
                    self.at += 1;
                    if self.take_word(".branchtargets") {
                        let targets = self.list(';', |this| this.name("a label"))?;
                        What::Targets(name, targets)
                    } else if matches!(self.peek(), Some(Token::Word(".callprototype" | ".calltargets"))) {
                        self.skip_statement()?;
                        continue;
                    } else {
                        What::Label(name)
                    }
                }
                Some(Token::Word(_)) => What::Instruction(self.instruction()?),
                Some(_) => return self.error("an instruction is expected"),
            };
            out.push(Statement { what, span: self.span(start) });
        }
    }

    /// A directive in a function.
    fn body_directive(&mut self, start: u32, word: &str, out: &mut Vec<Statement>) -> Result<()> {
        match word {
            ".reg" => {
                let declared = self.declared(&mut false)?;
                loop {
                    let name = self.name("the name of a register")?;
                    let mut count = None;
                    if self.take_mark('<') {
                        count = Some(self.integer()?);
                        self.mark('>')?;
                    }
                    let what = What::Registers { name, ty: declared.ty, count };
                    out.push(Statement { what, span: self.span(start) });
                    if !self.take_mark(',') {
                        return self.mark(';');
                    }
                }
            }
            ".loc" => {
                let (file, line, column) = (self.small()?, self.small()?, self.small()?);
                // Where a function that was inlined is called from.
                if self.take_mark(',') {
                    if !self.take_word("function_name") {
                        return self.error("a `function_name` is expected");
                    }
                    self.word("a name")?;
                    if self.take_mark('+') {
                        self.integer()?;
                    }
                    self.mark(',')?;
                    if !self.take_word("inlined_at") {
                        return self.error("an `inlined_at` is expected");
                    }
                    for _ in 0..3 {
                        self.integer()?;
                    }
                }
                out.push(Statement { what: What::Line { file, line, column }, span: self.span(start) });
                Ok(())
            }
            ".pragma" => self.skip_statement(),
            _ => match word.strip_prefix('.').and_then(StateSpace::of) {
                Some(space) => {
                    let variables = self.variable(start, space, false)?;
                    let statement = |v: Variable| Statement { span: v.span, what: What::Variable(v) };
                    out.extend(variables.into_iter().map(statement));
                    Ok(())
                }
                None => {
                    self.at -= 1;
                    self.error("a directive of a function is expected")
                }
            },
        }
    }

    fn instruction(&mut self) -> Result<Instruction> {
        let mut guard = None;
        if self.take_mark('@') {
            let is_negated = self.take_mark('!');
            guard = Some((self.name("a predicate")?, is_negated));
        }
        let opcode = self.name("an instruction")?;
        let operands = self.list(';', |this| this.operand(0))?;
        Ok(Instruction { guard, opcode, operands })
    }

    fn operand(&mut self, depth: u32) -> Result<Operand> {
        if depth > DEEPEST {
            return self.error("an operand that is less deep is expected");
        }
        let first = match self.peek() {
            Some(Token::Mark('{')) => {
                self.at += 1;
                Operand::Vector(self.list('}', |this| this.operand(depth + 1))?)
            }
            Some(Token::Mark('(')) => {
                self.at += 1;
                Operand::List(self.list(')', |this| this.operand(depth + 1))?)
            }
            Some(Token::Mark('[')) => {
                self.at += 1;
                let base = self.operand(depth + 1)?;
                let (base, offset) = match base {
                    Operand::Name(name, offset) => (Operand::Name(name, 0), offset),
                    Operand::Number(_) => (base, 0),
                    _ => return self.error("an address is expected before this"),
                };
                self.mark(']')?;
                Operand::Memory(Box::new(base), offset)
            }
            Some(Token::Mark('!')) => {
                self.at += 1;
                Operand::Not(self.name("a predicate")?)
            }
            Some(Token::Word(word)) if !word.starts_with('.') => {
                self.at += 1;
                let offset = match self.peek() {
                    Some(Token::Mark('+')) => {
                        self.at += 1;
                        self.signed()?
                    }
                    Some(Token::Mark('-')) => self.signed()?,
                    _ => 0,
                };
                Operand::Name(word.into(), offset)
            }
            Some(Token::Number(_) | Token::Mark('-')) => Operand::Number(self.constant()?),
            _ => return self.error("an operand is expected"),
        };
        if self.take_mark('|') {
            let second = self.operand(depth + 1)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }
}

impl Kind {
    /// Whether registers of this kind hold integers.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Kind::Bits | Kind::Unsigned | Kind::Signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
