//! Specification statements.

use super::{Builder, error_expr};
use crate::grammar::{Pair, Rule};
use ast::{
    Attr, Bound, CudaAttr, DeclKind, Entity, Expr, ExprKind, Generic, Import, Intent, LetterSpec, Name, NoneSpec,
    Shape, TypeSpec, TypeSpecKind, UnaryOp, UseItem, UseStmt,
};
use diag::{Code, Diagnostic, nearest_name};
use source::Span;

impl Builder<'_> {
    /// `type_decl`
    pub(crate) fn type_decl(&mut self, pair: Pair<'_>) -> DeclKind {
        let span = self.span(&pair);
        let mut spec = TypeSpec { kind: TypeSpecKind::Real(None), span };
        let (mut attrs, mut entities) = (Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_spec | Rule::old_character => spec = self.type_spec(part),
                Rule::attr => attrs.extend(self.attr(part)),
                Rule::entity => entities.push(self.entity(part)),
                Rule::slash_values => {
                    let values = part.into_inner().filter(|p| p.as_rule() == Rule::data_value);
                    let values = values.map(|p| self.data_value(p)).collect();
                    if let Some(entity) = entities.last_mut() {
                        let name = Expr { kind: ExprKind::Name(entity.name.clone()), span: entity.name.span };
                        entity.data = Some(Box::new((vec![name], values)));
                    }
                }
                _ => {}
            }
        }
        DeclKind::Type { spec, attrs, entities }
    }

    /// `procedure_decl`
    pub(crate) fn procedure_decl(&mut self, pair: Pair<'_>) -> DeclKind {
        let mut interface = None;
        let (mut attrs, mut entities) = (Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_spec | Rule::name => interface = Some(self.type_spec(part)),
                Rule::attr => attrs.extend(self.attr(part)),
                Rule::entity => entities.push(self.entity(part)),
                _ => {}
            }
        }
        DeclKind::Procedure { interface, attrs, entities }
    }

    /// `attr` or one of its alternatives.
    pub(crate) fn attr(&mut self, pair: Pair<'_>) -> Option<Attr> {
        let span = self.span(&pair);
        Some(match pair.as_rule() {
            Rule::attr => return pair.into_inner().next().and_then(|inner| self.attr(inner)),
            Rule::attr_dimension => {
                Attr::Dimension(pair.into_inner().next().map_or(Shape { dims: Vec::new(), span }, |s| self.shape(s)))
            }
            Rule::attr_dimension_word => Attr::Dimension(Shape { dims: Vec::new(), span }),
            Rule::attr_intent => Attr::Intent(
                match pair.into_inner().as_str() {
                    "in" => Intent::In,
                    "out" => Intent::Out,
                    _ => Intent::InOut,
                },
                span,
            ),
            Rule::attr_bind => Attr::Bind(pair.into_inner().next().map(|p| self.expr(p)), span),
            Rule::attr_pass => Attr::PassArg(self.inner_name(&pair)),
            Rule::attr_cuda => {
                let word = pair.into_inner().next()?;
                let span = self.span(&word);
                return self.data_attr(word.as_str(), span);
            }
            _ => return Some(self.attr_word(&pair)),
        })
    }

    fn attr_word(&mut self, pair: &Pair<'_>) -> Attr {
        let span = self.span(pair);
        match pair.as_str() {
            "allocatable" => Attr::Allocatable(span),
            "asynchronous" => Attr::Asynchronous(span),
            "automatic" => Attr::Automatic(span),
            "contiguous" => Attr::Contiguous(span),
            "external" => Attr::External(span),
            "intrinsic" => Attr::Intrinsic(span),
            "kind" => Attr::Kind(span),
            "len" => Attr::Len(span),
            "optional" => Attr::Optional(span),
            "parameter" => Attr::Parameter(span),
            "pointer" => Attr::Pointer(span),
            "private" => Attr::Private(span),
            "protected" => Attr::Protected(span),
            "public" => Attr::Public(span),
            // The older name of the attribute.
            "save" | "static" => Attr::Save(span),
            "target" => Attr::Target(span),
            "value" => Attr::Value(span),
            "volatile" => Attr::Volatile(span),
            word => match cuda_attr(word) {
                Some(attr) => Attr::Cuda(attr, span),
                None => Attr::Binding(self.name(pair)),
            },
        }
    }

    /// The attribute in `attributes(…)` as a statement.
    fn data_attr(&mut self, word: &str, span: Span) -> Option<Attr> {
        if let Some(attr) = cuda_attr(word) {
            return Some(Attr::Cuda(attr, span));
        }
        if word == "value" {
            return Some(Attr::Value(span));
        }
        let known = ["device", "managed", "shared", "constant", "pinned", "texture", "unified", "value"];
        self.report(
            Diagnostic::new(Code::SyntaxError, span, format!("`{word}` is not an attribute of a variable"))
                .suggest(nearest_name(word, known))
                .help("the attributes of variables are device, managed, shared, constant, pinned, texture and unified"),
        );
        None
    }

    /// `entity`
    pub(crate) fn entity(&mut self, pair: Pair<'_>) -> Entity {
        let span = self.span(&pair);
        let mut entity = Entity {
            name: self.name_of("?", span),
            shape: None,
            char_len: None,
            init: None,
            pointer_init: None,
            data: None,
            span,
        };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => entity.name = self.name(&part),
                // Room without a name: one that nobody can write.
                Rule::filler => entity.name.text = self.names.intern(&format!("%fill {}", span.start)),
                Rule::shape => entity.shape = Some(self.shape(part)),
                Rule::star_len => entity.char_len = self.star_len(part),
                Rule::init => entity.init = part.into_inner().next().map(|p| self.expr(p)),
                Rule::pointer_init => entity.pointer_init = part.into_inner().next().map(|p| self.expr(p)),
                _ => {}
            }
        }
        entity
    }

    /// `shape`
    pub(crate) fn shape(&mut self, pair: Pair<'_>) -> Shape {
        let span = self.span(&pair);
        Shape { dims: pair.into_inner().map(|bound| self.bound(bound)).collect(), span }
    }

    fn bound(&mut self, pair: Pair<'_>) -> Bound {
        let span = self.span(&pair);
        let mut lower = None;
        let mut colon = false;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::assumed_rank => return Bound::AssumedRank,
                Rule::star => return Bound::Star { lower },
                Rule::colon => colon = true,
                _ if colon => return Bound::Explicit { lower, upper: self.expr(part) },
                _ => lower = Some(self.expr(part)),
            }
        }
        if colon {
            return Bound::Colon { lower };
        }
        Bound::Explicit { lower: None, upper: lower.unwrap_or_else(|| error_expr(span)) }
    }

    /// `attr_stmt`
    pub(crate) fn attr_stmt(&mut self, pair: Pair<'_>) -> Option<DeclKind> {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let attr = inner.next().and_then(|p| self.attr(p))?;
        let mut entities = Vec::new();
        for part in inner.filter(|p| p.as_rule() == Rule::attr_entity) {
            let Some(part) = part.into_inner().next() else { continue };
            entities.push(if part.as_rule() == Rule::entity {
                self.entity(part)
            } else {
                let span = self.span(&part);
                let name = self.name_of(part.as_str(), span);
                Entity { name, shape: None, char_len: None, init: None, pointer_init: None, data: None, span }
            });
        }
        let may_be_alone = matches!(attr, Attr::Save(_) | Attr::Private(_) | Attr::Public(_));
        if entities.is_empty() && !may_be_alone {
            self.report(
                Diagnostic::new(Code::SyntaxError, span, "an attribute statement without names")
                    .help("write `::` and the names after the attribute"),
            );
            return None;
        }
        if let Some(odd) = entities.iter().find(|e| e.init.is_some() || e.pointer_init.is_some()) {
            let span = odd.span;
            self.report(
                Diagnostic::new(Code::SyntaxError, span, "an attribute statement cannot give a value")
                    .help("put the type first: `real, … :: name = value`"),
            );
        }
        Some(DeclKind::Attr { attr, entities })
    }

    /// `implicit_none`
    pub(crate) fn implicit_none(&self, pair: Pair<'_>) -> DeclKind {
        let specs = pair.into_inner().filter(|part| part.as_rule() == Rule::none_spec);
        let spec =
            |part: Pair<'_>| [NoneSpec::Type, NoneSpec::External].into_iter().find(|s| s.word() == part.as_str());
        DeclKind::ImplicitNone(specs.filter_map(spec).collect())
    }

    /// `implicit_stmt`
    pub(crate) fn implicit_stmt(&mut self, pair: Pair<'_>) -> DeclKind {
        let mut items = Vec::new();
        for item in pair.into_inner().filter(|p| p.as_rule() == Rule::implicit_item) {
            let mut inner = item.into_inner();
            let Some(spec) = inner.next() else { continue };
            let spec = self.type_spec(spec);
            let mut letters = Vec::new();
            for range in inner.next().into_iter().flat_map(Pair::into_inner) {
                let mut chars = range.as_str().chars();
                let first = chars.next().unwrap_or('a');
                let last = chars.next_back().unwrap_or(first);
                if last < first {
                    let span = self.span(&range);
                    self.report(Diagnostic::new(Code::SyntaxError, span, "letters of IMPLICIT must be in order"));
                }
                letters.push(LetterSpec { first, last });
            }
            items.push((spec, letters));
        }
        DeclKind::Implicit(items)
    }

    /// `parameter_stmt`
    pub(crate) fn parameter_stmt(&mut self, pair: Pair<'_>) -> DeclKind {
        let is_bare = pair.clone().into_inner().any(|p| p.as_rule() == Rule::bare);
        let span = self.span(&pair);
        if is_bare {
            self.form_of_compilers(span, "`parameter` without parentheses", "put its list in parentheses");
        }
        let values = pair.into_inner().filter(|p| p.as_rule() == Rule::named_value);
        let items = values
            .map(|item| {
                let name = self.inner_name(&item);
                (name, self.first_expr(item))
            })
            .collect();
        DeclKind::Parameter { items, is_bare }
    }

    /// `data_stmt`
    pub(crate) fn data_stmt(&mut self, pair: Pair<'_>) -> DeclKind {
        let mut sets = Vec::new();
        for set in pair.into_inner().filter(|p| p.as_rule() == Rule::data_set) {
            let (mut objects, mut values) = (Vec::new(), Vec::new());
            for part in set.into_inner() {
                match part.as_rule() {
                    Rule::data_value => values.push(self.data_value(part)),
                    Rule::slash => {}
                    _ => objects.push(self.data_object(part)),
                }
            }
            sets.push((objects, values));
        }
        DeclKind::Data(sets)
    }

    fn data_value(&mut self, pair: Pair<'_>) -> (Option<Expr>, Expr) {
        let span = self.span(&pair);
        let (mut repeat, mut value) = (None, error_expr(span));
        for part in pair.into_inner() {
            if part.as_rule() == Rule::data_repeat {
                repeat = part.into_inner().next().map(|p| self.expr(p));
                continue;
            }
            let span = self.span(&part);
            let mut inner = part.into_inner();
            let Some(first) = inner.next() else { continue };
            let sign = (first.as_rule() == Rule::sign).then(|| first.as_str() == "-");
            let operand = if sign.is_some() { inner.next() } else { Some(first) };
            let Some(operand) = operand else { continue };
            value = self.expr(operand);
            if let Some(minus) = sign {
                let op = if minus { UnaryOp::Minus } else { UnaryOp::Plus };
                value = Expr { kind: ExprKind::Unary { op, operand: Box::new(value) }, span };
            }
        }
        (repeat, value)
    }

    /// `common_stmt`
    pub(crate) fn common_stmt(&mut self, pair: Pair<'_>) -> DeclKind {
        let mut blocks = Vec::new();
        for block in pair.into_inner().filter(|p| p.as_rule() == Rule::common_block) {
            let (mut name, mut entities) = (None, Vec::new());
            for part in block.into_inner() {
                match part.as_rule() {
                    Rule::common_name => name = Some(self.inner_name(&part)),
                    _ => entities.push(self.entity(part)),
                }
            }
            blocks.push((name, entities));
        }
        DeclKind::Common(blocks)
    }

    /// `equivalence_stmt`
    pub(crate) fn equivalence_stmt(&mut self, pair: Pair<'_>) -> DeclKind {
        let sets = pair.into_inner().filter(|p| p.as_rule() == Rule::equivalence_set);
        DeclKind::Equivalence(sets.map(|set| set.into_inner().map(|p| self.designator(p)).collect()).collect())
    }

    /// `namelist_stmt`
    pub(crate) fn namelist_stmt(&mut self, pair: Pair<'_>) -> DeclKind {
        let mut groups = Vec::new();
        for group in pair.into_inner().filter(|p| p.as_rule() == Rule::namelist_group) {
            let mut inner = group.into_inner();
            let name = self.next_name(&mut inner);
            for gap in inner.clone().filter(|p| p.as_rule() == Rule::missing_comma) {
                let d = Diagnostic::new(Code::MissingComma, self.span(&gap), "a comma is missing between two names");
                self.warn(d.help("write `,` between the names of the group"));
            }
            groups.push((name, self.names_in(inner)));
        }
        DeclKind::Namelist(groups)
    }

    /// `cray_pointer`
    pub(crate) fn cray_pointer(&mut self, pair: Pair<'_>) -> DeclKind {
        let mut pairs = Vec::new();
        for couple in pair.into_inner().filter(|p| p.as_rule() == Rule::cray_pair) {
            let mut inner = couple.into_inner();
            let name = self.next_name(&mut inner);
            if let Some(entity) = inner.next() {
                pairs.push((name, self.entity(entity)));
            }
        }
        DeclKind::CrayPointer(pairs)
    }

    /// `import_stmt`
    pub(crate) fn import_stmt(&mut self, pair: Pair<'_>) -> DeclKind {
        let is_none = pair.clone().into_inner().any(|part| part.as_rule() == Rule::import_none);
        DeclKind::Import(Import { names: self.names_in(pair.into_inner()), is_none })
    }

    /// `use_stmt`
    pub(crate) fn use_stmt(&mut self, pair: Pair<'_>) -> UseStmt {
        let span = self.span(&pair);
        let mut stmt =
            UseStmt { module: self.name_of("?", span), intrinsic: None, only: false, items: Vec::new(), span };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::use_nature => stmt.intrinsic = Some(part.as_str() == "intrinsic"),
                Rule::name => stmt.module = self.name(&part),
                Rule::use_only => stmt.only = true,
                Rule::use_items => {
                    for item in part.into_inner() {
                        let mut specs = item.into_inner();
                        let Some(local) = specs.next() else { continue };
                        let local = self.generic(&local);
                        let module = specs.next().map(|p| self.generic(&p));
                        stmt.items.push(UseItem { local, module });
                    }
                }
                _ => {}
            }
        }
        stmt
    }

    /// `generic_spec`, `generic_operator` or `name`
    pub(crate) fn generic(&mut self, pair: &Pair<'_>) -> Generic {
        let span = self.span(pair);
        match pair.as_rule() {
            Rule::generic_spec => match pair.clone().into_inner().next() {
                Some(inner) => self.generic(&inner),
                None => Generic::Name(self.name(pair)),
            },
            Rule::generic_operator => {
                let text = pair.as_str();
                if text.starts_with("assignment") {
                    return Generic::Assignment(span);
                }
                match text.strip_prefix("operator(").and_then(|t| t.strip_suffix(')')) {
                    Some("<>") => {
                        self.form_of_compilers(span, "`<>`", "write `/=`");
                        Generic::Operator(self.name_of("/=", span))
                    }
                    Some(operator) => Generic::Operator(self.name_of(operator, span)),
                    None => Generic::Io(self.name(pair)),
                }
            }
            _ => Generic::Name(self.inner_name(pair)),
        }
    }
}

fn cuda_attr(word: &str) -> Option<CudaAttr> {
    Some(match word {
        "device" => CudaAttr::Device,
        "managed" => CudaAttr::Managed,
        "shared" => CudaAttr::Shared,
        "constant" => CudaAttr::Constant,
        "pinned" => CudaAttr::Pinned,
        "texture" => CudaAttr::Texture,
        "unified" => CudaAttr::Unified,
        _ => return None,
    })
}

/// The name by which a generic is known where only names are, such as the end of an interface block.
pub(crate) fn generic_name(generic: Generic) -> Option<Name> {
    match generic {
        Generic::Name(name) | Generic::Operator(name) | Generic::Io(name) => Some(name),
        Generic::Assignment(_) => None,
    }
}
