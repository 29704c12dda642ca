//! The optimiser does not show: passes keep the schedule points and every access that another thread could see, so a program
//! prints and finds the same with and without them. Both modules are valid.

use crate::annotated::Program;
use crate::jobs::everything;
use crate::run::{AMPLE, Variant, compile, differences, run, twins};
use crate::trial;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let one = |(family, program): (&str, Program)| {
        trial(format!("levels/{family}/{}", program.name), move || check(&program))
    };
    everything().map(one).collect()
}

fn check(program: &Program) -> Vec<String> {
    let text = program.text();
    let mut wrong = Vec::new();
    for &is_racy in twins(&text) {
        let at = |level| compile("program.cuf", &text, Variant { is_racy, level }).module;
        let Some(plain) = at(0) else { continue };
        let optimised = at(1).expect("the optimiser refuses no program");
        for module in [&plain, &optimised] {
            wrong.extend(ir::verify::module(module).iter().map(|e| format!("invalid: {e}")));
        }
        // The threads of the programs of mathematics have nothing to do with each other.
        let seeds: &[u64] = if program.name.contains("/mathematics/") { &[0] } else { &[0, 3] };
        for &seed in seeds {
            let options = || emu::Options { race: Some(race::Rules::default()), seed, ..emu::Options::default() };
            let (first, other) = (run(&plain, options(), AMPLE), run(&optimised, options(), AMPLE));
            if first.is_over && other.is_over {
                wrong.extend(differences(&format!("seed {seed}"), &first, &other, false));
            }
        }
    }
    wrong
}
