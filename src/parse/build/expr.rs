//! Expressions.
//!
//! The grammar gives a flat row of operands and operators; pest's Pratt parser applies the precedence of Fortran 2018,
//! table 10.1. A sign is weaker than `*` and stronger than a binary `+`, so `-a**2` and `-a*b` negate the whole term and
//! `-a+b` does not. Beyond the standard a sign may follow an operator (`a*-b`); it then takes the term that follows.

use super::{Builder, error_expr};
use crate::grammar::{Pair, Pairs, Rule};
use ast::{Arg, ArgValue, ArrayItem, ArrayRange, BinaryOp, Expr, ExprKind, ImpliedDo, IoItem, Radix, UnaryOp};
use diag::{Code, Diagnostic};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use source::Span;
use std::sync::LazyLock;

static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::defined_binary, Assoc::Left))
        .op(Op::infix(Rule::equivalent, Assoc::Left))
        .op(Op::infix(Rule::or, Assoc::Left))
        .op(Op::infix(Rule::and, Assoc::Left))
        .op(Op::prefix(Rule::not))
        .op(Op::infix(Rule::relation, Assoc::Left))
        .op(Op::infix(Rule::concat, Assoc::Left))
        .op(Op::infix(Rule::plus, Assoc::Left))
        .op(Op::prefix(Rule::sign))
        .op(Op::infix(Rule::times, Assoc::Left))
        .op(Op::infix(Rule::power, Assoc::Right))
        .op(Op::prefix(Rule::defined_unary))
});

/// An expression with the height of its tree.
type Tall = (Expr, u32);

impl Builder<'_> {
    /// An expression: a pair of `expr`, or of one of the operands.
    pub(crate) fn expr(&mut self, pair: Pair<'_>) -> Expr {
        self.tall(pair).0
    }

    /// An expression that is not too high; one that is becomes an error node, and so does all that holds it.
    fn tall(&mut self, pair: Pair<'_>) -> Tall {
        let span = self.span(&pair);
        let (expr, height) = self.any_height(pair);
        let most = self.names.most_height;
        if height <= most {
            return (expr, height);
        }
        self.report_too_high(span);
        discard(expr);
        (error_expr(span), most + 1)
    }

    fn report_too_high(&mut self, span: Span) {
        let most = self.names.most_height;
        self.report(
            Diagnostic::new(Code::NestingTooDeep, span, "expression is nested too deeply")
                .label(format!("more than {most} operations inside each other"))
                .help("compute parts of it into variables first"),
        );
    }

    fn any_height(&mut self, pair: Pair<'_>) -> Tall {
        if pair.as_rule() != Rule::expr {
            return self.primary(pair);
        }
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let length = inner.len();
        if length == 1 {
            return match inner.next() {
                Some(only) => self.primary(only),
                None => (error_expr(span), 1),
            };
        }
        let most = self.names.most_height;
        if length > 2 * most as usize {
            // Left to the Pratt parser, a row of that length would make a tree too high to be dropped.
            return (error_expr(span), most + 1);
        }
        let builder = std::cell::RefCell::new(self);
        PRECEDENCE
            .map_primary(|pair| builder.borrow_mut().primary(pair))
            .map_prefix(|op, operand| builder.borrow_mut().unary(&op, operand))
            .map_infix(|left, op, right| builder.borrow_mut().binary(left, &op, right))
            .parse(inner)
    }

    fn unary(&mut self, op: &Pair<'_>, (operand, height): Tall) -> Tall {
        self.note_short(op);
        let kind = match op.as_str() {
            "-" => UnaryOp::Minus,
            "+" => UnaryOp::Plus,
            ".not." | ".N." => UnaryOp::Not,
            defined => UnaryOp::Defined(self.names.intern(defined.trim_matches('.'))),
        };
        let span = self.span(op).to(operand.span);
        (Expr { kind: ExprKind::Unary { op: kind, operand: Box::new(operand) }, span }, height + 1)
    }

    /// Warns of a logical operator or constant of one letter.
    fn note_short(&mut self, word: &Pair<'_>) {
        let text = word.as_str();
        if let [b'.', letter @ b'A'..=b'Z', b'.', ..] = text.as_bytes() {
            let what = format!("`.{}.`", letter.to_ascii_lowercase() as char);
            let span = self.span(word);
            self.form_of_compilers(span, &what, "write the whole word");
        }
    }

    fn binary(&mut self, (left, left_height): Tall, op: &Pair<'_>, (right, right_height): Tall) -> Tall {
        self.note_short(op);
        let kind = match op.as_str() {
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "/" => BinaryOp::Div,
            "**" => BinaryOp::Pow,
            "//" => BinaryOp::Concat,
            "==" | ".eq." => BinaryOp::Eq,
            "/=" | ".ne." => BinaryOp::Ne,
            "<>" => {
                let span = self.span(op);
                self.form_of_compilers(span, "`<>`", "write `/=`");
                BinaryOp::Ne
            }
            "<" | ".lt." => BinaryOp::Lt,
            "<=" | ".le." => BinaryOp::Le,
            ">" | ".gt." => BinaryOp::Gt,
            ">=" | ".ge." => BinaryOp::Ge,
            ".and." | ".A." => BinaryOp::And,
            ".or." | ".O." => BinaryOp::Or,
            ".eqv." => BinaryOp::Eqv,
            ".neqv." | ".xor." | ".X." => BinaryOp::Neqv,
            defined => BinaryOp::Defined(self.names.intern(defined.trim_matches('.'))),
        };
        let span = left.span.to(right.span);
        let kind = ExprKind::Binary { op: kind, left: Box::new(left), right: Box::new(right) };
        (Expr { kind, span }, left_height.max(right_height) + 1)
    }

    fn primary(&mut self, pair: Pair<'_>) -> Tall {
        let span = self.span(&pair);
        let leaf = |kind| (Expr { kind, span }, 1);
        match pair.as_rule() {
            Rule::expr => self.tall(pair),
            Rule::designator => self.tall_designator(pair),
            Rule::name => leaf(ExprKind::Name(self.name(&pair))),
            Rule::char_part => {
                let mut inner = pair.into_inner();
                let literal = inner.next().map_or((error_expr(span), 1), |p| self.primary(p));
                inner.fold(literal, |whole, part| self.postfix(whole, part))
            }
            Rule::number => leaf(self.number(&pair)),
            Rule::logical => {
                let text = pair.as_str();
                let (word, kind) = text.rsplit_once("._").map_or((text, None), |(word, kind)| (word, Some(kind)));
                self.note_short(&pair);
                let value = word.starts_with(".t") || word.starts_with(".T");
                let kind = kind.map(|kind| {
                    let end = pair.as_span().end();
                    let span = self.place(end - kind.len(), end);
                    self.name_of(kind, span)
                });
                leaf(ExprKind::Logical { value, kind })
            }
            Rule::char_lit => leaf(self.character(&pair)),
            Rule::hollerith => {
                let text = pair.as_str();
                let inside = text.get(2..text.len().saturating_sub(1)).unwrap_or("");
                leaf(ExprKind::Hollerith(inside.replace("''", "'").into()))
            }
            Rule::boz => leaf(self.boz(&pair)),
            Rule::paren => {
                let mut inner = pair.into_inner();
                let first = inner.next().map_or((error_expr(span), 1), |p| self.tall(p));
                match inner.next() {
                    None => (Expr { kind: ExprKind::Paren(Box::new(first.0)), span }, first.1 + 1),
                    Some(second) => {
                        let second = self.tall(second);
                        let kind = ExprKind::Complex(Box::new(first.0), Box::new(second.0));
                        (Expr { kind, span }, first.1.max(second.1) + 1)
                    }
                }
            }
            Rule::array => {
                let mut spec = None;
                let mut items = Vec::new();
                let mut height = 1;
                for part in pair.into_inner() {
                    match part.as_rule() {
                        Rule::item_type => spec = self.item_type(part).map(Box::new),
                        _ => items.push(self.array_item(part, &mut height)),
                    }
                }
                (Expr { kind: ExprKind::Array { spec, items }, span }, height + 1)
            }
            _ => (error_expr(span), 1),
        }
    }

    /// A designator: a name with any number of argument lists and components.
    pub(crate) fn designator(&mut self, pair: Pair<'_>) -> Expr {
        self.expr(pair)
    }

    fn tall_designator(&mut self, pair: Pair<'_>) -> Tall {
        let mut inner = pair.into_inner();
        let name = self.next_name(&mut inner);
        let span = name.span;
        let mut whole = (Expr { kind: ExprKind::Name(name), span }, 1);
        for part in inner {
            whole = self.postfix(whole, part);
        }
        whole
    }

    fn postfix(&mut self, (base, height): Tall, part: Pair<'_>) -> Tall {
        let span = base.span.to(self.span(&part));
        if height > self.names.most_height {
            return (base, height);
        }
        if part.as_rule() == Rule::args {
            let mut inside = 0;
            let args = self.args(part, &mut inside);
            return (Expr { kind: ExprKind::Apply { base: Box::new(base), args }, span }, height.max(inside) + 1);
        }
        let name = self.inner_name(&part);
        (Expr { kind: ExprKind::Member { base: Box::new(base), name }, span }, height + 1)
    }

    /// A parenthesised argument list.
    pub(crate) fn arg_list(&mut self, pair: Pair<'_>) -> Vec<Arg> {
        let span = self.span(&pair);
        let mut height = 0;
        let args = self.args(pair, &mut height);
        if height > self.names.most_height {
            self.report_too_high(span);
        }
        args
    }

    fn args(&mut self, pair: Pair<'_>, height: &mut u32) -> Vec<Arg> {
        pair.into_inner().map(|arg| self.arg(arg, height)).collect()
    }

    fn arg(&mut self, pair: Pair<'_>, height: &mut u32) -> Arg {
        let span = self.span(&pair);
        let mut keyword = None;
        let mut first = None;
        let mut value = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::keyword => keyword = Some(self.name(&part)),
                Rule::alt_return => {
                    let label = part.as_str()[1..].parse().unwrap_or(0);
                    if part.as_str().starts_with('&') {
                        self.form_of_compilers(span, "`&` before the label of an alternate return", "write `*`");
                    }
                    value = Some(ArgValue::AltReturn(label));
                }
                Rule::section => {
                    let (mut hi, mut step) = (None, None);
                    for bound in part.into_inner() {
                        let slot = if bound.as_rule() == Rule::upper { &mut hi } else { &mut step };
                        *slot = bound.into_inner().next().map(|p| self.measured(p, height));
                    }
                    value = Some(ArgValue::Range { lo: first.take(), hi, step });
                }
                _ => first = Some(self.measured(part, height)),
            }
        }
        let value = value.unwrap_or_else(|| ArgValue::Expr(first.unwrap_or_else(|| error_expr(span))));
        Arg { keyword, value, span }
    }

    fn measured(&mut self, pair: Pair<'_>, height: &mut u32) -> Expr {
        let (expr, own) = self.tall(pair);
        *height = (*height).max(own);
        expr
    }

    fn array_item(&mut self, pair: Pair<'_>, height: &mut u32) -> ArrayItem {
        if pair.as_rule() == Rule::array_value {
            let span = self.span(&pair);
            let mut parts = Vec::with_capacity(3);
            for part in pair.into_inner() {
                parts.push(self.measured(part, height));
            }
            let mut parts = parts.into_iter();
            let first = parts.next().unwrap_or_else(|| error_expr(span));
            return match parts.next() {
                None => ArrayItem::Expr(first),
                Some(last) => ArrayItem::Range(Box::new(ArrayRange { first, last, step: parts.next(), span })),
            };
        }
        if pair.as_rule() != Rule::implied_do {
            return ArrayItem::Expr(self.measured(pair, height));
        }
        let mut inside = 0;
        let item = self.implied_do(pair, &mut |builder, item| builder.array_item(item, &mut inside));
        *height = (*height).max(inside + 1);
        ArrayItem::Do(Box::new(item))
    }

    /// An item of an input or output list.
    pub(crate) fn io_item(&mut self, pair: Pair<'_>) -> IoItem {
        if pair.as_rule() == Rule::implied_do {
            IoItem::Do(Box::new(self.implied_do(pair, &mut Builder::io_item)))
        } else {
            IoItem::Expr(self.expr(pair))
        }
    }

    /// An object of a DATA statement; an implied DO becomes an array constructor of that DO alone.
    pub(crate) fn data_object(&mut self, pair: Pair<'_>) -> Expr {
        if pair.as_rule() != Rule::implied_do {
            return self.expr(pair);
        }
        let span = self.span(&pair);
        let item = self.array_item(pair, &mut 0);
        Expr { kind: ExprKind::Array { spec: None, items: vec![item] }, span }
    }

    fn implied_do<T>(&mut self, pair: Pair<'_>, item: &mut dyn FnMut(&mut Self, Pair<'_>) -> T) -> ImpliedDo<T> {
        let span = self.span(&pair);
        let mut items = Vec::new();
        let mut spec = None;
        let mut var = None;
        let mut bounds = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::do_type => spec = self.first_type(part),
                Rule::name => var = Some(self.name(&part)),
                _ if var.is_some() => bounds.push(self.expr(part)),
                _ => items.push(item(self, part)),
            }
        }
        let mut bounds = bounds.into_iter();
        let var = var.unwrap_or_else(|| self.name_of("?", span));
        let first = bounds.next().unwrap_or_else(|| error_expr(span));
        let last = bounds.next().unwrap_or_else(|| error_expr(span));
        ImpliedDo { items, spec, var, first, last, step: bounds.next(), span }
    }

    fn number(&mut self, pair: &Pair<'_>) -> ExprKind {
        let text = pair.as_str();
        let (digits, kind) = text.split_once('_').map_or((text, None), |(digits, kind)| (digits, Some(kind)));
        let kind = kind.map(|kind| {
            let end = pair.as_span().end();
            let span = self.place(end - kind.len(), end);
            self.name_of(kind, span)
        });
        let text = self.names.intern(digits);
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            ExprKind::Int { digits: text, kind }
        } else {
            ExprKind::Real { text, kind }
        }
    }

    fn character(&mut self, pair: &Pair<'_>) -> ExprKind {
        let text = pair.as_str();
        let open = text.find(['\'', '"']).unwrap_or(0);
        let (prefix, body) = text.split_at(open);
        let quote = &body[..body.len().min(1)];
        let (body, mark) = body.split_at(body.rfind(quote).map_or(0, |last| last + quote.len()));
        let inside = body.get(1..body.len().saturating_sub(1)).unwrap_or("");
        let mut value = inside.replace(&quote.repeat(2), quote);
        let start = pair.as_span().start();
        match mark {
            "c" => {
                value.push('\0');
                self.note_mark(pair, "append `//char(0)`");
            }
            "h" => {
                self.note_mark(pair, "write the number of characters and `h` before them");
                if prefix.is_empty() && !value.is_empty() {
                    return ExprKind::Hollerith(value.into());
                }
                self.report_mark(pair);
            }
            _ => {}
        }
        let kind = match prefix.strip_suffix('_') {
            Some(kind) if !kind.is_empty() => {
                let span = self.place(start, start + kind.len());
                Some(self.name_of(kind, span))
            }
            _ if prefix.is_empty() => None,
            _ => {
                let span = self.place(start, start + prefix.len());
                self.report(
                    Diagnostic::new(Code::SyntaxError, span, format!("`{prefix}` stands before a character literal"))
                        .help("an operator or a comma is missing"),
                );
                None
            }
        };
        ExprKind::Char { value: value.into(), kind }
    }

    /// Says what there is to say of `c` or `h` behind a character literal; blanks before it are an error.
    fn note_mark(&mut self, literal: &Pair<'_>, help: &str) {
        let end = literal.as_span().end();
        let (quote, letter) = (self.place(end - 2, end - 1), self.place(end - 1, end));
        if quote.file != letter.file || letter.start > quote.end {
            self.report_mark(literal);
        } else {
            self.form_of_compilers(letter, "a letter behind a character literal", help);
        }
    }

    fn report_mark(&mut self, literal: &Pair<'_>) {
        let end = literal.as_span().end();
        let mark = literal.as_str().chars().next_back().unwrap_or(' ');
        let text = format!("`{mark}` stands behind a character literal");
        let diagnostic = Diagnostic::new(Code::SyntaxError, self.place(end - 1, end), text);
        self.report(diagnostic.help("an operator or a comma is missing"));
    }

    fn boz(&mut self, pair: &Pair<'_>) -> ExprKind {
        let text = pair.as_str();
        if let Some(digits) = text.strip_suffix('b').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit())) {
            let span = self.span(pair);
            self.form_of_compilers(span, "an octal constant with `b` behind its digits", "write `o'17'` for `17b`");
            return ExprKind::Boz { radix: Radix::Octal, digits: digits.into() };
        }
        let letter = if text.starts_with(['\'', '"']) { text.chars().next_back() } else { text.chars().next() };
        let digits = text.split(['\'', '"']).nth(1).unwrap_or("");
        let (radix, base, name) = match letter {
            Some('b') => (Radix::Binary, 2, "binary"),
            Some('o') => (Radix::Octal, 8, "octal"),
            _ => (Radix::Hex, 16, "hexadecimal"),
        };
        if let Some(wrong) = digits.chars().find(|c| !c.is_digit(base)) {
            let span = self.span(pair);
            self.report(Diagnostic::new(Code::BadNumber, span, format!("`{wrong}` is not a {name} digit")));
        } else if digits.is_empty() {
            let span = self.span(pair);
            self.report(Diagnostic::new(Code::BadNumber, span, format!("{name} constant without digits")));
        }
        ExprKind::Boz { radix, digits: digits.into() }
    }

    /// The call's procedure and arguments, which the grammar gives as one designator.
    pub(crate) fn split_call(&mut self, inner: &mut Pairs<'_>) -> (Expr, Vec<Arg>) {
        let Some(designator) = inner.next() else { return (error_expr(source::Span::NONE), Vec::new()) };
        match self.expr(designator) {
            Expr { kind: ExprKind::Apply { base, args }, .. } => (*base, args),
            callee => (callee, Vec::new()),
        }
    }
}

/// Drops a tree that may be too high to be dropped by recursion: it is taken apart along its long edges.
fn discard(expr: Expr) {
    let mut rest = vec![expr];
    while let Some(expr) = rest.pop() {
        match expr.kind {
            ExprKind::Binary { left, right, .. } => rest.extend([*left, *right]),
            ExprKind::Unary { operand: base, .. } | ExprKind::Member { base, .. } | ExprKind::Apply { base, .. } => {
                rest.push(*base);
            }
            _ => {}
        }
    }
}
