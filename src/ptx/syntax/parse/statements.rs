//! The statements of a function: instructions with their operands, labels, directives (PTX ISA 4).

use super::{DEEPEST, Parser, Result};
use crate::syntax::lex::Token;
use crate::syntax::{Instruction, Operand, StateSpace, Statement, Variable, What};

impl Parser<'_> {
    pub(super) fn body(&mut self) -> Result<Vec<Statement>> {
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
                let address = Operand::Memory(Box::new(base), offset);
                if self.take_mark(',') {
                    // A texture or a tensor and the coordinates in it.
                    let mut all = self.list(']', |this| this.operand(depth + 1))?;
                    all.insert(0, address);
                    Operand::List(all)
                } else {
                    self.mark(']')?;
                    address
                }
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
