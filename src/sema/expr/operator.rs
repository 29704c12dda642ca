//! Operators: intrinsic ones with their conversions, defined ones as calls (Fortran 2018, 10.1).

use crate::checked::{BinaryOp, CharLen, CmpOp, Expr, ExprKind, Intrinsic, LogicOp, ProcId, Type, UnaryOp};
use crate::checker::{Binding, Checker, Sym, operator_key};
use crate::typing::{Argument, Typing, computed, is_class, is_numeric, promoted, shape_name};
use diag::{Code, Diagnostic};
use source::Span;
use std::borrow::Cow;
use std::sync::Arc;

/// Whether an operand gives its bytes to one of another type: a Hollerith constant to a number or a logical value, and a character
/// literal to a number that it is compared with.
fn gives_bytes(op: &ast::BinaryOp, e: &ast::Expr, to: &Type) -> bool {
    use ast::BinaryOp as B;
    match e.kind {
        ast::ExprKind::Hollerith(_) => {
            !matches!(op, B::Defined(_)) && (is_numeric(to) || matches!(to, Type::Logical(_)))
        }
        ast::ExprKind::Char { .. } => is_numeric(to) && matches!(op, B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge),
        _ => false,
    }
}

impl Checker<'_> {
    pub(super) fn unary(&mut self, op: &ast::UnaryOp, operand: &ast::Expr, span: Span) -> Option<Expr> {
        if let (ast::UnaryOp::Minus, ast::ExprKind::Int { digits, kind }) = (op, &operand.kind) {
            return self.integer_literal(digits, kind.as_ref(), true, span);
        }
        let value = self.expr(operand)?;
        let symbol: Arc<str> = match op {
            ast::UnaryOp::Plus => "+".into(),
            ast::UnaryOp::Minus => "-".into(),
            ast::UnaryOp::Not => ".not.".into(),
            ast::UnaryOp::Defined(name) => format!(".{name}.").into(),
        };
        let [value] = match self.defined_operation(&operator_key(&symbol), [value], span) {
            Ok(call) => return call,
            Err(operands) => operands,
        };
        let (ty, rank) = (value.ty.clone(), value.rank);
        let kind = match op {
            ast::UnaryOp::Plus if is_numeric(&ty) => ExprKind::Paren(Box::new(value)),
            ast::UnaryOp::Minus if is_numeric(&ty) => {
                let operand = self.typing().operand(value, &ty)?;
                let computed = operand.ty.clone();
                let kind = ExprKind::Unary { op: UnaryOp::Neg, operand: Box::new(operand) };
                let negated = self.typing().fold(Expr { kind, ty: computed, rank, span })?;
                return self.typing().convert(negated, &ty);
            }
            ast::UnaryOp::Not if matches!(ty, Type::Logical(_)) => {
                ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(value) }
            }
            ast::UnaryOp::Not if matches!(ty, Type::Integer(_)) => {
                let text = format!("`.not.` of {}", shape_name(&self.defs, &ty, rank));
                self.warn_of_bits(text, "not", span);
                ExprKind::Intrinsic { id: Intrinsic::Not, args: vec![Some(value)] }
            }
            ast::UnaryOp::Defined(_) => return self.unknown_operator(&symbol, span),
            _ if self.may_be_defined(&operator_key(&symbol), &[&value]) => return None,
            _ => {
                let text = format!("`{symbol}` is not defined for {}", shape_name(&self.defs, &ty, rank));
                return self.reporter.error(Code::NoSuchOperation, span, text);
            }
        };
        self.typing().fold(Expr { kind, ty, rank, span })
    }

    pub(super) fn binary(
        &mut self,
        op: &ast::BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        // A BOZ constant takes the type of the other operand.
        let is_boz = |e: &ast::Expr| matches!(e.kind, ast::ExprKind::Boz { .. });
        let (a, b) = if is_boz(left) && !is_boz(right) {
            let b = self.expr(right)?;
            (self.expr_as(left, &b.ty), Some(b))
        } else {
            let a = self.expr(left);
            let b = match (&a, is_boz(right)) {
                (Some(a), true) => {
                    let ty = a.ty.clone();
                    self.expr_as(right, &ty)
                }
                _ => self.expr(right),
            };
            (a, b)
        };
        let (a, b) = (a?, b?);
        let (a_ty, b_ty) = (a.ty.clone(), b.ty.clone());
        let given = [gives_bytes(op, left, &b_ty), gives_bytes(op, right, &a_ty)];
        if given == [false, false] {
            return self.operation(op, a, b, span);
        }
        let [a, b] = match self.defined_operation(&key_of(op), [a, b], span) {
            Ok(call) => return call,
            Err(operands) => operands,
        };
        let [a, b] = if given[0] {
            [self.typing().of_hollerith(a, left, &b_ty), b]
        } else {
            [a, self.typing().of_hollerith(b, right, &a_ty)]
        };
        self.operation(op, a, b, span)
    }

    /// An operation on two typed operands.
    pub(crate) fn operation(&mut self, op: &ast::BinaryOp, a: Expr, b: Expr, span: Span) -> Option<Expr> {
        use ast::BinaryOp as B;
        let key = key_of(op);
        let [a, b] = match self.defined_operation(&key, [a, b], span) {
            Ok(call) => return call,
            Err(operands) => operands,
        };
        let symbol = key.strip_prefix("operator(").and_then(|k| k.strip_suffix(')')).unwrap_or(&key);
        if let B::Defined(_) = op {
            return self.unknown_operator(symbol, span);
        }
        let rank = self.typing().common_rank(&a, &b, symbol, span)?;
        match op {
            B::Add => self.arithmetic(BinaryOp::Add, a, b, rank, span),
            B::Sub => self.arithmetic(BinaryOp::Sub, a, b, rank, span),
            B::Mul => self.arithmetic(BinaryOp::Mul, a, b, rank, span),
            B::Div => self.arithmetic(BinaryOp::Div, a, b, rank, span),
            B::Pow => self.arithmetic(BinaryOp::Pow, a, b, rank, span),
            B::Eq => self.comparison(CmpOp::Eq, a, b, rank, span),
            B::Ne => self.comparison(CmpOp::Ne, a, b, rank, span),
            B::Lt => self.comparison(CmpOp::Lt, a, b, rank, span),
            B::Le => self.comparison(CmpOp::Le, a, b, rank, span),
            B::Gt => self.comparison(CmpOp::Gt, a, b, rank, span),
            B::Ge => self.comparison(CmpOp::Ge, a, b, rank, span),
            B::And => self.logical_operation(LogicOp::And, a, b, rank, span),
            B::Or => self.logical_operation(LogicOp::Or, a, b, rank, span),
            B::Eqv => self.logical_operation(LogicOp::Eqv, a, b, rank, span),
            B::Neqv => self.logical_operation(LogicOp::Neqv, a, b, rank, span),
            B::Concat => self.concatenation(a, b, rank, span),
            B::Defined(_) => None,
        }
    }

    fn no_operation<T>(&mut self, symbol: &str, a: &Expr, b: &Expr, span: Span) -> Option<T> {
        if self.may_be_defined(&operator_key(symbol), &[a, b]) {
            return None;
        }
        let text = format!(
            "`{symbol}` is not defined for {} and {}",
            shape_name(&self.defs, &a.ty, a.rank),
            shape_name(&self.defs, &b.ty, b.rank)
        );
        if let Some(what) = self.refused_operation(symbol) {
            return self.reporter.refuse_again(&what);
        }
        let mut d = Diagnostic::new(Code::NoSuchOperation, span, text);
        if matches!((&a.ty, &b.ty), (Type::Derived(_), _) | (_, Type::Derived(_))) {
            d = d.help(format!("define it with `interface operator({symbol})`"));
        }
        self.reporter.report(d);
        None
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Expr, b: Expr, rank: u8, span: Span) -> Option<Expr> {
        let symbol = match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Pow => "**",
        };
        let Some(own) = promoted(&a.ty, &b.ty) else { return self.no_operation(symbol, &a, &b, span) };
        let ty = computed(own.clone());
        let a = self.typing().operand(a, &own)?;
        // An integer exponent stays one: the power is a product then.
        let b = if op == BinaryOp::Pow && matches!(b.ty, Type::Integer(_)) && !matches!(ty, Type::Integer(_)) {
            b
        } else {
            self.typing().operand(b, &own)?
        };
        let kind = ExprKind::Binary { op, left: Box::new(a), right: Box::new(b) };
        let value = self.typing().fold(Expr { kind, ty, rank, span })?;
        self.typing().convert(value, &own)
    }

    fn comparison(&mut self, op: CmpOp, a: Expr, b: Expr, rank: u8, span: Span) -> Option<Expr> {
        let symbol = match op {
            CmpOp::Eq => "==",
            CmpOp::Ne => "/=",
            CmpOp::Lt => "<",
            CmpOp::Le => "<=",
            CmpOp::Gt => ">",
            CmpOp::Ge => ">=",
        };
        let ty = match (&a.ty, &b.ty) {
            (Type::Character(_), Type::Character(_)) => a.ty.clone(),
            (Type::Logical(_), Type::Logical(_)) if matches!(op, CmpOp::Eq | CmpOp::Ne) => {
                let text = format!("`{symbol}` of two logical values");
                let help = if op == CmpOp::Eq { "write `.eqv.`" } else { "write `.neqv.`" };
                self.reporter.report(Diagnostic::new(Code::LogicalComparison, span, text).help(help));
                let logic = if op == CmpOp::Eq { LogicOp::Eqv } else { LogicOp::Neqv };
                return self.logical_operation(logic, a, b, rank, span);
            }
            // nvfortran compares the numbers.
            (Type::Logical(_), other @ Type::Integer(_)) | (other @ Type::Integer(_), Type::Logical(_))
                if matches!(op, CmpOp::Eq | CmpOp::Ne) =>
            {
                let text = format!("`{symbol}` of a logical value and an integer");
                let help = "compare integers with integers, and logical values by `.eqv.` and `.neqv.`";
                self.reporter.report(Diagnostic::new(Code::LogicalOfInteger, span, text).help(help));
                other.clone()
            }
            _ => match promoted(&a.ty, &b.ty) {
                Some(ty) => ty,
                None => return self.no_operation(symbol, &a, &b, span),
            },
        };
        if matches!(ty, Type::Complex(_)) && !matches!(op, CmpOp::Eq | CmpOp::Ne) {
            return self.no_operation(symbol, &a, &b, span);
        }
        let (a, b) = (self.typing().operand(a, &ty)?, self.typing().operand(b, &ty)?);
        let kind = ExprKind::Compare { op, left: Box::new(a), right: Box::new(b) };
        let ty = self.options.logical();
        self.typing().fold(Expr { kind, ty, rank, span })
    }

    fn logical_operation(&mut self, op: LogicOp, a: Expr, b: Expr, rank: u8, span: Span) -> Option<Expr> {
        let symbol = match op {
            LogicOp::And => ".and.",
            LogicOp::Or => ".or.",
            LogicOp::Eqv => ".eqv.",
            LogicOp::Neqv => ".neqv.",
        };
        let kind = match (&a.ty, &b.ty) {
            (Type::Logical(x), Type::Logical(y)) => (*x).max(*y),
            (Type::Integer(x), Type::Integer(y)) => {
                let (text, ty) = (format!("`{symbol}` of two integers"), Type::Integer((*x).max(*y)));
                return self.operation_on_bits(op, [a, b], text, (&ty, rank), span);
            }
            (Type::Logical(_), Type::Integer(_)) | (Type::Integer(_), Type::Logical(_)) => {
                let ty = if matches!(a.ty, Type::Integer(_)) { a.ty.clone() } else { b.ty.clone() };
                let text = format!("`{symbol}` of a logical value and an integer");
                return self.operation_on_bits(op, [a, b], text, (&ty, rank), span);
            }
            _ => return self.no_operation(symbol, &a, &b, span),
        };
        let ty = Type::Logical(kind);
        let (a, b) = (self.typing().convert(a, &ty)?, self.typing().convert(b, &ty)?);
        let kind = ExprKind::Logic { op, left: Box::new(a), right: Box::new(b) };
        self.typing().fold(Expr { kind, ty, rank, span })
    }

    /// A logical operation with an integer works on bits, as nvfortran has it.
    fn operation_on_bits(
        &mut self,
        op: LogicOp,
        operands: [Expr; 2],
        text: String,
        (ty, rank): (&Type, u8),
        span: Span,
    ) -> Option<Expr> {
        let id = match op {
            LogicOp::And => Intrinsic::Iand,
            LogicOp::Or => Intrinsic::Ior,
            LogicOp::Eqv | LogicOp::Neqv => Intrinsic::Ieor,
        };
        self.warn_of_bits(text, id.name(), span);
        let [a, b] = operands;
        let args = vec![Some(self.typing().convert(a, ty)?), Some(self.typing().convert(b, ty)?)];
        let value = self.typing().fold(Expr { kind: ExprKind::Intrinsic { id, args }, ty: ty.clone(), rank, span })?;
        if op != LogicOp::Eqv {
            return Some(value);
        }
        let kind = ExprKind::Intrinsic { id: Intrinsic::Not, args: vec![Some(value)] };
        self.typing().fold(Expr { kind, ty: ty.clone(), rank, span })
    }

    fn warn_of_bits(&mut self, text: String, function: &str, span: Span) {
        let help = format!("write `{function}(…)` for bits, or compare with zero");
        self.reporter.report(Diagnostic::new(Code::LogicalOfInteger, span, text).help(help));
    }

    fn concatenation(&mut self, a: Expr, b: Expr, rank: u8, span: Span) -> Option<Expr> {
        let len = match (&a.ty, &b.ty) {
            (Type::Character(CharLen::Const(x)), Type::Character(CharLen::Const(y))) => {
                CharLen::Const(x.saturating_add(*y))
            }
            (Type::Character(_), Type::Character(_)) => CharLen::Deferred,
            _ => return self.no_operation("//", &a, &b, span),
        };
        let kind = ExprKind::Concat(Box::new(a), Box::new(b));
        self.typing().fold(Expr { kind, ty: Type::Character(len), rank, span })
    }

    /// A reference to a function that defines the operator for these operands; gives them back if there is none.
    fn defined_operation<const N: usize>(
        &mut self,
        key: &str,
        operands: [Expr; N],
        span: Span,
    ) -> Result<Option<Expr>, [Expr; N]> {
        let procs = self.operation_procedures(key, &operands);
        if procs.is_empty() {
            return Err(operands);
        }
        let arguments: Vec<Argument> = operands.iter().cloned().map(Argument::of).collect();
        match self.best_specific(&procs, &arguments) {
            Some(fit) => Ok(self.function_call(fit, arguments, span)),
            None => Err(operands),
        }
    }

    /// Whether an operation that nothing defines may be defined by what was lost: a procedure in error, or an interface of a
    /// scope whose declarations are not all known.
    pub(crate) fn may_be_defined(&mut self, key: &str, operands: &[&Expr]) -> bool {
        let is_of_types = operands.iter().any(|e| matches!(e.ty, Type::Derived(_)));
        let operands: Vec<Expr> = operands.iter().map(|&e| e.clone()).collect();
        let procs = self.operation_procedures(key, &operands);
        procs.into_iter().any(|id| {
            self.resolve_interface(id);
            self.defs.proc_info(id).is_broken
        }) || is_of_types && self.scopes.is_tainted(self.cx.scope)
    }

    /// The procedures that define an operation: those of the generic name, and those bound to the operands' types.
    pub(crate) fn operation_procedures(&mut self, key: &str, operands: &[Expr]) -> Vec<ProcId> {
        let mut procs = match self.find(key) {
            Some(Sym::Generic { procs, .. }) => procs,
            _ => Vec::new(),
        };
        for operand in operands {
            let Type::Derived(ty) = operand.ty else { continue };
            self.resolve_type(ty);
            let info = &self.defs.type_info(ty);
            let Some(Binding::Generic(names)) = info.bindings.get(key).cloned() else { continue };
            for bound in names {
                let Some(Binding::Procedure { name, nopass, pass, scope, .. }) =
                    self.defs.type_info(ty).bindings.get(&bound).cloned()
                else {
                    continue;
                };
                if let Some(Sym::Proc(id)) = self.find_from(scope, &name) {
                    let id = if is_class(&self.defs, operand) {
                        self.dispatcher(ty, &bound, id, nopass, pass.as_ref())
                    } else {
                        id
                    };
                    if !procs.contains(&id) {
                        procs.push(id);
                    }
                }
            }
        }
        procs
    }

    /// What is not supported of the procedures that define an operator.
    fn refused_operation(&mut self, symbol: &str) -> Option<Arc<str>> {
        let Some(Sym::Generic { procs, .. }) = self.find(&operator_key(symbol)) else { return None };
        procs.iter().find_map(|p| {
            self.resolve_interface(*p);
            self.defs.proc_info(*p).refused.clone()
        })
    }

    fn unknown_operator(&mut self, symbol: &str, span: Span) -> Option<Expr> {
        if let Some(what) = self.refused_operation(symbol) {
            return self.reporter.refuse_again(&what);
        }
        if self.scopes.is_tainted(self.cx.scope) || self.may_be_defined(&operator_key(symbol), &[]) {
            return None;
        }
        let known = self.find(&operator_key(symbol)).is_some();
        let text = if known {
            format!("`{symbol}` is not defined for operands of these types")
        } else {
            format!("nothing defines the operator `{symbol}`")
        };
        self.reporter.error(if known { Code::NoSuchOperation } else { Code::UnknownOperator }, span, text)
    }
}

/// The name under which a scope holds what defines an operator.
fn key_of(op: &ast::BinaryOp) -> Cow<'static, str> {
    use ast::BinaryOp as B;
    Cow::Borrowed(match op {
        B::Add => "operator(+)",
        B::Sub => "operator(-)",
        B::Mul => "operator(*)",
        B::Div => "operator(/)",
        B::Pow => "operator(**)",
        B::Concat => "operator(//)",
        B::Eq => "operator(==)",
        B::Ne => "operator(/=)",
        B::Lt => "operator(<)",
        B::Le => "operator(<=)",
        B::Gt => "operator(>)",
        B::Ge => "operator(>=)",
        B::And => "operator(.and.)",
        B::Or => "operator(.or.)",
        B::Eqv => "operator(.eqv.)",
        B::Neqv => "operator(.neqv.)",
        B::Defined(name) => return Cow::Owned(format!("operator(.{name}.)")),
    })
}

impl Typing<'_> {
    /// The rank of an operation's result.
    fn common_rank(&mut self, a: &Expr, b: &Expr, symbol: &str, span: Span) -> Option<u8> {
        if a.rank != 0 && b.rank != 0 && a.rank != b.rank {
            let text = format!("operands of `{symbol}` have ranks {} and {}", a.rank, b.rank);
            return self.reporter.error(Code::RankMismatch, span, text);
        }
        self.check_conform(&format!("operands of `{symbol}`"), a, b, Code::ShapeMismatch, span)?;
        Some(a.rank.max(b.rank))
    }
}
