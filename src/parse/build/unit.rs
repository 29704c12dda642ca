//! Statements that begin units, subprograms, interfaces and types.

use super::Builder;
use crate::grammar::{Pair, Rule};
use crate::statement::{Bind, EndKind, Head, Statement, TypeHead};
use ast::{
    Attr, DeclKind, DerivedSpec, InterfaceKind, Name, Prefix, ProcedureAttr, SubprogramKind, TypeItem, TypeSpec,
    TypeSpecKind,
};
use diag::{Code, Diagnostic, nearest_name};
use source::Span;

impl Builder<'_> {
    /// `subprogram_stmt`
    pub(crate) fn subprogram(&mut self, pair: Pair<'_>) -> Head {
        let span = self.span(&pair);
        let mut head = Head {
            kind: SubprogramKind::Subroutine,
            name: self.name_of("?", span),
            prefixes: Vec::new(),
            args: Vec::new(),
            result: None,
            bind: None,
        };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::subprogram_prefix => head.prefixes.extend(self.prefix(part)),
                Rule::subprogram_kind if part.as_str().starts_with('f') => head.kind = SubprogramKind::Function,
                Rule::name => head.name = self.name(&part),
                Rule::dummies => head.args = self.dummies(part),
                Rule::subprogram_suffix => self.suffix(part, &mut head.result, &mut head.bind),
                _ => {}
            }
        }
        head
    }

    fn suffix(&mut self, pair: Pair<'_>, result: &mut Option<Name>, bind: &mut Bind) {
        let Some(inner) = pair.into_inner().next() else { return };
        if inner.as_rule() == Rule::suffix_result {
            *result = Some(self.inner_name(&inner));
        } else {
            *bind = Some(inner.into_inner().next().map(|p| self.expr(p)));
        }
    }

    /// The dummies; an alternate return is called `*`.
    fn dummies(&mut self, pair: Pair<'_>) -> Vec<Name> {
        pair.into_inner().map(|dummy| self.name(&dummy)).collect()
    }

    fn prefix(&mut self, pair: Pair<'_>) -> Option<Prefix> {
        let inner = pair.into_inner().next()?;
        let span = self.span(&inner);
        Some(match inner.as_rule() {
            Rule::type_spec => Prefix::Type(self.type_spec(inner)),
            Rule::prefix_attributes => {
                let attrs = inner.into_inner().filter_map(|word| self.procedure_attr(&word)).collect();
                Prefix::Attributes(attrs, span)
            }
            Rule::prefix_launch_bounds => Prefix::LaunchBounds(self.exprs_in(inner.into_inner()), span),
            Rule::prefix_cluster_dims => Prefix::ClusterDims(self.exprs_in(inner.into_inner()), span),
            _ => match inner.as_str() {
                "elemental" => Prefix::Elemental(span),
                "impure" => Prefix::Impure(span),
                "module" => Prefix::Module(span),
                "non_recursive" => Prefix::NonRecursive(span),
                "pure" => Prefix::Pure(span),
                _ => Prefix::Recursive(span),
            },
        })
    }

    fn procedure_attr(&mut self, pair: &Pair<'_>) -> Option<(ProcedureAttr, Span)> {
        let span = self.span(pair);
        let attr = match pair.as_str() {
            "host" => ProcedureAttr::Host,
            "global" => ProcedureAttr::Global,
            "grid_global" => ProcedureAttr::GridGlobal,
            "device" => ProcedureAttr::Device,
            word => {
                self.report(
                    Diagnostic::new(Code::SyntaxError, span, format!("`{word}` is not an attribute of a subprogram"))
                        .suggest(nearest_name(word, ["host", "global", "grid_global", "device"]))
                        .help("the attributes of subprograms are host, global, grid_global and device"),
                );
                return None;
            }
        };
        Some((attr, span))
    }

    /// `entry_stmt`
    pub(crate) fn entry(&mut self, pair: Pair<'_>) -> ast::StmtKind {
        let span = self.span(&pair);
        let (mut name, mut args, mut result, mut bind) = (self.name_of("?", span), Vec::new(), None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = self.name(&part),
                Rule::dummies => args = self.dummies(part),
                Rule::subprogram_suffix => self.suffix(part, &mut result, &mut bind),
                _ => {}
            }
        }
        ast::StmtKind::Entry { name, args, result, bind }
    }

    /// `submodule_stmt`
    pub(crate) fn submodule(&mut self, pair: Pair<'_>) -> Statement {
        let mut inner = pair.into_inner();
        let ancestor = self.next_name(&mut inner);
        let (mut parent, mut name) = (None, ancestor.clone());
        for part in inner {
            match part.as_rule() {
                Rule::name => parent = Some(self.name(&part)),
                Rule::submodule_name => name = self.inner_name(&part),
                _ => {}
            }
        }
        Statement::Submodule { ancestor, parent, name }
    }

    /// `interface_stmt`
    pub(crate) fn interface(&mut self, pair: Pair<'_>) -> Statement {
        Statement::Interface(match pair.into_inner().next() {
            Some(p) if p.as_rule() == Rule::interface_abstract => InterfaceKind::Abstract,
            Some(p) if p.as_rule() == Rule::generic_spec => InterfaceKind::Generic(self.generic(&p)),
            _ => InterfaceKind::Explicit,
        })
    }

    /// `module_procedure`
    pub(crate) fn procedures(&mut self, pair: Pair<'_>) -> Statement {
        let module = pair.as_str().starts_with("module");
        Statement::Procedures(self.names_in(pair.into_inner()), module)
    }

    /// `type_def`
    pub(crate) fn type_def(&mut self, pair: Pair<'_>) -> Statement {
        let span = self.span(&pair);
        let mut head = TypeHead {
            name: self.name_of("?", span),
            params: Vec::new(),
            extends: None,
            is_abstract: false,
            bind_c: false,
            access: None,
        };
        for part in pair.into_inner() {
            if part.as_rule() == Rule::name {
                head.name = self.name(&part);
                continue;
            }
            if part.as_rule() == Rule::type_param_names {
                head.params = self.names_in(part.into_inner());
                continue;
            }
            let Some(inner) = part.into_inner().next() else { continue };
            let span = self.span(&inner);
            match inner.as_rule() {
                Rule::type_extends => head.extends = Some(self.inner_name(&inner)),
                Rule::type_bind => head.bind_c = true,
                _ => match inner.as_str() {
                    "abstract" => head.is_abstract = true,
                    "public" => head.access = Some(Attr::Public(span)),
                    _ => head.access = Some(Attr::Private(span)),
                },
            }
        }
        Statement::Type(Box::new(head))
    }

    /// `structure_stmt`
    pub(crate) fn structure(&mut self, pair: Pair<'_>) -> Statement {
        let span = self.span(&pair);
        // One without a name is known by its place.
        let text = self.names.intern(&format!("structure _{}", span.start));
        let (mut name, mut objects) = (Name { text, span }, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::structure_name => name = self.structure_name(part),
                Rule::entity => objects.push(self.entity(part)),
                _ => {}
            }
        }
        Statement::Structure(name, objects)
    }

    /// `record_stmt`
    pub(crate) fn records(&mut self, pair: Pair<'_>) -> Statement {
        let group = |this: &mut Self, pair: Pair<'_>| {
            let span = this.span(&pair);
            let mut parts = pair.into_inner();
            let name = match parts.next() {
                Some(name) => this.structure_name(name),
                None => this.name_of("?", span),
            };
            let kind = TypeSpecKind::Type(DerivedSpec { name, params: Vec::new() });
            let entities = parts.map(|entity| this.entity(entity)).collect();
            DeclKind::Type { spec: TypeSpec { kind, span }, attrs: Vec::new(), entities }
        };
        let groups = pair.into_inner().filter(|part| part.as_rule() == Rule::record_group);
        Statement::Records(groups.map(|pair| group(self, pair)).collect())
    }

    /// The name of the type that a structure is: no variable can have it.
    fn structure_name(&mut self, pair: Pair<'_>) -> Name {
        let name = self.inner_name(&pair);
        Name { text: self.names.intern(&format!("structure {}", name.text)), ..name }
    }

    /// `binding_stmt`
    pub(crate) fn binding(&mut self, pair: Pair<'_>) -> Statement {
        let (mut interface, mut attrs, mut bindings) = (None, Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => interface = Some(self.type_spec(part)),
                Rule::attr => attrs.extend(self.attr(part)),
                Rule::binding => {
                    let mut inner = part.into_inner();
                    let name = self.next_name(&mut inner);
                    bindings.push((name, inner.next().map(|p| self.name(&p))));
                }
                _ => {}
            }
        }
        Statement::Binding(TypeItem::Procedure { interface, attrs, bindings })
    }

    /// `generic_stmt`
    pub(crate) fn generic_binding(&mut self, pair: Pair<'_>) -> Statement {
        let span = self.span(&pair);
        let mut spec = ast::Generic::Assignment(span);
        let (mut attrs, mut names) = (Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::generic_spec => spec = self.generic(&part),
                Rule::attr => attrs.extend(self.attr(part)),
                Rule::name => names.push(self.name(&part)),
                _ => {}
            }
        }
        Statement::Binding(TypeItem::Generic { attrs, spec, names })
    }

    /// `final_stmt`
    pub(crate) fn final_binding(&mut self, pair: Pair<'_>) -> Statement {
        Statement::Binding(TypeItem::Final(self.names_in(pair.into_inner())))
    }

    /// `enumerator`
    pub(crate) fn enumerator(&mut self, pair: Pair<'_>) -> Statement {
        let items = pair.into_inner().filter(|p| p.as_rule() == Rule::enum_item);
        Statement::Enumerator(
            items
                .map(|item| {
                    let mut inner = item.into_inner();
                    (self.next_name(&mut inner), inner.next().map(|p| self.expr(p)))
                })
                .collect(),
        )
    }

    /// `end_stmt`
    pub(crate) fn end(&mut self, pair: Pair<'_>) -> Statement {
        let (mut kind, mut name) = (EndKind::Any, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::end_kind => kind = EndKind::from_words(part.as_str()),
                Rule::end_name => {
                    let generic = part.into_inner().next().map(|p| self.generic(&p));
                    name = generic.and_then(super::decl::generic_name);
                }
                _ => {}
            }
        }
        Statement::End(kind, name)
    }
}
