//! The embedded mathematics module: when a program gets it, and that contraction cannot change its results.

use compile::{Compiled, Options};
use diag::Diagnostics;
use source::SourceMap;
use std::collections::BTreeMap;

/// Compiles a program as lowering makes it, without passes.
fn compiled(text: &str, fma: bool) -> Compiled {
    let mut map = SourceMap::new();
    let file = map.add("test.cuf", text);
    let mut options = Options { level: 0, ..Options::default() };
    options.lower.fma = fma;
    let mut diags = Diagnostics::new();
    let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
    let reports: Vec<String> = diags.into_sorted().into_iter().map(|d| d.message).collect();
    compiled.unwrap_or_else(|| panic!("does not compile: {reports:?}\n{text}"))
}

/// The functions of the mathematics module by name.
fn functions(compiled: &Compiled) -> BTreeMap<String, String> {
    let module = &compiled.module;
    let ours = module.funcs.iter().filter(|f| f.name.starts_with("cufemu_math."));
    ours.map(|f| (f.name.to_string(), ir::print::function(module, f, false))).collect()
}

/// A program that calls every function in device code and in host code.
fn every_function() -> String {
    const OF_REAL: &str = "exp exp2 exp10 expm1 log log2 log10 log1p cbrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh \
        atanh erf erfc erfc_scaled gamma log_gamma bessel_j0 bessel_j1 bessel_y0 bessel_y1";
    const OF_COMPLEX: &str = "sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh abs";
    let mut body = String::new();
    for kind in [4, 8] {
        for name in OF_REAL.split_whitespace() {
            body += &format!("    x{kind} = x{kind} + {name}(x{kind})\n");
        }
        for call in ["atan2(x#, x#)", "hypot(x#, x#)", "x# ** x#", "bessel_jn(2, x#)", "bessel_yn(2, x#)"] {
            body += &format!("    x{kind} = x{kind} + {}\n", call.replace('#', &kind.to_string()));
        }
        for name in OF_COMPLEX.split_whitespace() {
            body += &format!("    z{kind} = z{kind} + {name}(z{kind})\n");
        }
        body += &format!("    z{kind} = z{kind} ** z{kind}\n");
    }
    format!(
        "module m\ncontains\n  attributes(host,device) subroutine all(x4, x8, z4, z8)\n    real(4) :: x4\n    real(8) :: x8\n    \
         complex(4) :: z4\n    complex(8) :: z8\n{body}  end subroutine\n  attributes(global) subroutine k()\n    real(4) :: \
         x4\n    real(8) :: x8\n    complex(4) :: z4\n    complex(8) :: z8\n    call all(x4, x8, z4, z8)\n  end \
         subroutine\nend module\nprogram p\n  use m\n  real(4) :: x4\n  real(8) :: x8\n  complex(4) :: z4\n  complex(8) :: z8\n  \
         call all(x4, x8, z4, z8)\n  call k<<<1,1>>>()\nend program\n"
    )
}

#[test]
fn contraction_changes_no_function_of_mathematics() {
    let text = every_function();
    let (fused, plain) = (functions(&compiled(&text, true)), functions(&compiled(&text, false)));
    assert!(fused.len() > 200, "only {} functions", fused.len());
    assert_eq!(fused.len(), plain.len());
    for (name, text) in &fused {
        assert_eq!(Some(text), plain.get(name), "`{name}` depends on contraction");
    }
}

#[test]
fn single_precision_functions_use_no_double_precision() {
    for (name, text) in functions(&compiled(&every_function(), true)) {
        let single = name.split('.').nth(1).is_some_and(|n| n.ends_with("_r4") || n.ends_with("_c4"));
        assert!(!single || !text.contains("f64"), "`{name}` uses real(8):\n{text}");
    }
}

#[test]
fn a_program_without_mathematics_does_not_get_the_module() {
    let without = compiled("program p\n  real :: x\n  x = sqrt(2.0) ** 2\n  print *, x\nend program\n", true);
    assert!(without.program.procs.iter().all(|p| !p.qualified.starts_with("cufemu_math.")));
    let with = compiled("program p\n  real :: x, y\n  read *, x, y\n  print *, x ** y\nend program\n", true);
    let names: Vec<String> = functions(&with).into_keys().collect();
    assert!(names.iter().any(|n| n == "cufemu_math.pow_r4"), "{names:?}");
    assert!(names.iter().all(|n| !n.contains("bessel")), "{names:?}");
}

#[test]
fn an_array_bound_may_call_mathematics() {
    let text = "program p\n  call s(3.0)\ncontains\n  subroutine s(x)\n    real, intent(in) :: x\n    real :: a(int(exp(x)))\n    \
                a = 0\n    print *, size(a)\n  end subroutine\nend program\n";
    assert!(functions(&compiled(text, true)).contains_key("cufemu_math.exp_r4"));
}
