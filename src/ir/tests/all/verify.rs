//! The verifier names what is wrong, and where.

fn errors(body: &str) -> Vec<String> {
    let text = format!("global g0 \"h\" host bytes 4 align 4 init none\n{body}");
    let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    ir::verify::module(&module).iter().map(ToString::to_string).collect()
}

fn device(insts: &str) -> Vec<String> {
    errors(&format!("device @f(%0: i32, %1: f32, %2: i64, %3: pred) {{\nbb0:\n{insts}\n}}"))
}

#[test]
fn operands_of_a_wrong_type_are_named() {
    let at = "function `f`, block `bb0`, instruction 0: ";
    assert_eq!(device("%4 = add.i32 %0, %1\nreturn"), [format!("{at}register `%1` is of type `f32`, `i32` is needed")]);
    assert_eq!(device("%4 = sqrt.i32 %0\nreturn"), [format!("{at}`sqrt` does not take type `i32`")]);
    assert_eq!(device("%4 = add.pred %3, %3\nreturn"), [format!("{at}`add` does not take type `pred`")]);
    assert_eq!(device("%4 = cvt.bits.f64.i32 %0\nreturn"), [format!("{at}`bits` does not convert `i32` to `f64`")]);
    assert_eq!(device("%4 = mov.i8 0x100\nreturn"), [format!("{at}constant 0x100 has bits beyond type `i8`")]);
    assert_eq!(device("branch %0, bb0, bb0"), [format!("{at}register `%0` is of type `i32`, `pred` is needed")]);
    assert_eq!(device("%4 = load.global.pred [%2]\nreturn"), [format!("{at}a predicate is never in memory")]);
    assert_eq!(device("return %0"), [format!("{at}1 values are returned, the function has 0 results")]);
}

#[test]
fn code_on_the_wrong_side_is_named() {
    let at = "function `f`, block `bb0`, instruction 0: ";
    assert_eq!(device("%4 = load.host.i32 [%2]\nreturn"), [format!("{at}device code accesses host memory")]);
    assert_eq!(device("store.const.i32 [%2], 1\nreturn"), [format!("{at}constant memory is stored to")]);
    assert_eq!(device("%4 = addr g0\nreturn"), [format!("{at}device code names `h` of the host")]);
    assert_eq!(device("%4 = rt.arg.count()\nreturn"), [format!("{at}service `arg.count` is called in device code")]);
    assert_eq!(errors("host @f() {\nbb0:\nbarrier.sync\nreturn\n}"), [format!("{at}a barrier is in host code")]);
    assert_eq!(errors("host @f() {\nbb0:\nexit\n}"), [format!("{at}the end of a thread is in host code")]);
    assert_eq!(
        errors("kernel @k() {\nbb0:\nreturn\n}\nhost @f() {\nbb0:\ncall @k()\nreturn\n}"),
        [format!("{at}`k` is called in host code")]
    );
    assert_eq!(
        errors("host @f(%0: i64) {\nbb0:\nlaunch @f<<<(1, 1, 1), (1, 1, 1), 0, 0>>>()\nreturn\n}"),
        [format!("{at}`f` is launched, but no kernel"), format!("{at}`f` takes 1 arguments, 0 are given")]
    );
}

#[test]
fn temporaries_are_assigned_once_and_before_every_use() {
    let at = "function `f`, block `bb0`, instruction ";
    assert_eq!(device("%4 = mov.i32 1\n%4 = mov.i32 2\nreturn"), [format!("{at}1: temporary `%4` is assigned twice")]);
    assert_eq!(device("%0 = mov.i32 1\nreturn"), [format!("{at}0: temporary `%0` is assigned twice")]);
    assert_eq!(device("%4 = add.i32 %4, 2\nreturn"), [format!("{at}0: temporary `%4` is used before its assignment")]);
    assert_eq!(device("%4 = add.i32 %5, %6\n%6 = mov.i32 1\nreturn").len(), 2);
    assert_eq!(
        device("branch %3, bb1, bb2\nbb1:\n%4 = mov.i32 1\njump bb2\nbb2:\n%5 = mov.i32 %4\nreturn"),
        [
            "function `f`, block `bb2`, instruction 0: the assignment of temporary `%4` in `bb1` does not come before every use"
        ]
    );
}

#[test]
fn tables_are_checked() {
    assert_eq!(errors("global g1 \"m\" global bytes 4 align 3 init x\"00\"").len(), 2);
    assert_eq!(errors("device @f() {\n}"), ["function `f`: there is no block"]);
    assert_eq!(
        errors("device @f() {\n  reg %0 i32 v3\nbb0:\n  return\n}"),
        ["function `f`: register `%0` has no variable"]
    );
    assert_eq!(errors("device @f() {\nbb0:\n  jump bb7\n}").len(), 1);
    assert_eq!(errors("device @f() {\nbb0:\n  %0 = addr l3\n  return\n}").len(), 1);
    assert_eq!(errors("main @f\ndevice @f() {\nbb0:\n  return\n}"), ["`fn0`, the main program, is no host function"]);
}
