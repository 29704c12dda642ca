//! Variables, and the heads of functions (PTX ISA 5 and 7).

use super::{DEEPEST, Error, MOST_ELEMENTS, Parser, Result};
use crate::syntax::lex::Token;
use crate::syntax::{Initial, Parameter, Routine, StateSpace, Type, Variable};

/// What stands before the name of a variable.
pub(super) struct Declared {
    pub(super) ty: Type,
    align: Option<u64>,
    /// Elements of a vector.
    vector: u64,
}

impl Parser<'_> {
    /// The type and the alignment of a variable.
    pub(super) fn declared(&mut self, managed: &mut bool) -> Result<Declared> {
        let (mut align, mut vector) = (None, 1);
        loop {
            let before = self.at;
            match self.word("a type")? {
                ".align" => align = Some(self.alignment()?),
                ".ptr" => {}
                ".v2" => vector = 2,
                ".v4" => vector = 4,
                ".attribute" => *managed |= self.attributes()?,
                // Of textures, which are refused where they are used.
                ".texref" | ".samplerref" | ".surfref" => return Ok(Declared { ty: Type::B64, align, vector }),
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

    /// `(.managed)` and the like, behind `.attribute`; whether memory is managed.
    fn attributes(&mut self) -> Result<bool> {
        self.mark('(')?;
        let (mut depth, mut managed) = (1_u64, false);
        while depth > 0 {
            match self.peek() {
                Some(Token::Mark('(')) => depth += 1,
                Some(Token::Mark(')')) => depth -= 1,
                Some(Token::Word(".managed")) => managed = true,
                Some(_) => {}
                None => return self.error("a `)` is expected"),
            }
            self.at += 1;
        }
        Ok(managed)
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
    pub(super) fn variable(&mut self, start: u32, space: StateSpace, is_extern: bool) -> Result<Vec<Variable>> {
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
    pub(super) fn routine(&mut self, start: u32, is_kernel: bool) -> Result<()> {
        // `.func .attribute(…)`, `.func .noreturn`
        let mut results = Vec::new();
        loop {
            match () {
                () if self.take_word(".noreturn") => {}
                () if self.take_word(".attribute") => drop(self.attributes()?),
                () => break,
            }
        }
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
}
