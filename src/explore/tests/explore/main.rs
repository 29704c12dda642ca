//! The search against all interleavings of small programs.

mod machine;

use explore::{Choices, Hold, Holds, Order, Search};
use machine::{Op, Program, all_results};
use std::collections::BTreeSet;

/// The results of the runs that the search makes, and how many it makes.
fn searched(program: &Program, most: usize) -> (BTreeSet<Vec<u64>>, usize, usize, bool) {
    let mut search = Search::default();
    let mut next = Some(Order::default());
    let (mut results, mut runs) = (BTreeSet::new(), 0);
    while runs < most
        && let Some(order) = next.take()
    {
        runs += 1;
        let (result, trace) = program.run(order.launch(1));
        results.insert(result);
        search.record(&order, &[trace]);
        next = search.next_order();
    }
    let is_whole = next.is_none() && search.limits().next().is_none();
    (results, runs, search.results(), is_whole)
}

/// A random program of a few threads.
fn random_program(rng: &mut fastrand::Rng) -> Program {
    let threads = rng.usize(2..4);
    let most = if threads == 2 { 5 } else { 3 };
    let cells = rng.u64(1..4);
    let op = |rng: &mut fastrand::Rng| {
        let cell = rng.u64(0..cells);
        match rng.usize(0..9) {
            0 | 1 => Op::Read(cell),
            2 => Op::Write(cell, rng.u64(0..3)),
            3 => Op::Add(cell, rng.u64(1..3)),
            4 => Op::Reduce(cell, rng.u64(1..3)),
            5 => Op::Swap(cell, rng.u64(0..2), rng.u64(1..3)),
            6 => Op::Await(cell, rng.u64(0..3)),
            7 => Op::AtLeast(cell, rng.u64(1..4)),
            _ => Op::Both((cell, rng.u64(0..3)), ((cell + 1) % cells, rng.u64(0..3))),
        }
    };
    Program { threads: (0..threads).map(|_| (0..rng.usize(1..=most)).map(|_| op(rng)).collect()).collect() }
}

#[test]
fn all_results_of_random_programs_are_seen() {
    let (mut all_runs, mut all_orders) = (0, 0);
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let program = random_program(&mut rng);
        let (results, runs, orders, is_whole) = searched(&program, 20_000);
        assert!(is_whole, "seed {seed}: {program:?}, {runs} runs");
        assert_eq!(results, all_results(&program), "seed {seed}: {program:?}");
        all_runs += runs;
        all_orders += orders;
    }
    assert!(all_runs < 2 * all_orders, "{all_runs} runs for {all_orders} orders");
}

#[test]
fn accesses_that_do_not_matter_to_each_other_need_one_run() {
    let threads = (0..4).map(|t| vec![Op::Write(t, 1), Op::Read(9), Op::Reduce(8, 1), Op::Reduce(8, 1)]).collect();
    let (results, runs, ..) = searched(&Program { threads }, 100);
    assert_eq!((results.len(), runs), (1, 1));
}

#[test]
fn one_that_waits_is_not_run_again_because_it_polls() {
    let threads = vec![vec![Op::Await(0, 3)], vec![Op::Write(0, 1), Op::Write(0, 2), Op::Write(0, 3)]];
    let (results, runs, ..) = searched(&Program { threads }, 100);
    assert_eq!(results.len(), 1);
    assert!(runs <= 8, "{runs}");
}

#[test]
fn all_ways_through_a_tree_of_choices_are_taken_once() {
    // After the choice 1 there is another one of three, after 0 one of two and then one of two.
    let made = |given: &[u32]| {
        let mut made = vec![(given.first().copied().unwrap_or(0), 2)];
        let counts: &[u32] = if made[0].0 == 1 { &[3] } else { &[2, 2] };
        made.extend(counts.iter().enumerate().map(|(i, &n)| (given.get(i + 1).copied().unwrap_or(0), n)));
        made
    };
    let mut search = Choices::default();
    let (mut seen, mut next) = (BTreeSet::new(), Some(Vec::new()));
    while let Some(given) = next {
        let made = made(&given);
        assert!(seen.insert(made.clone()), "{made:?} twice");
        search.record(&given, &made);
        next = search.next_choices();
    }
    assert_eq!(seen.len(), 7);
}

#[test]
fn each_pair_of_commands_is_turned_round_once() {
    let hold = |command, until| Hold { command, until };
    let mut holds = Holds::default();
    holds.record(&[], &[(1, Some(2)), (1, None)]);
    assert_eq!(holds.next_holds(), Some(vec![hold(1, Some(2))]));
    // The two in the other order are not new, but another one is.
    holds.record(&[hold(1, Some(2))], &[(2, Some(1)), (3, Some(4))]);
    assert_eq!(holds.waiting(), 2);
    assert_eq!(holds.next_holds(), Some(vec![hold(1, None)]));
    assert_eq!(holds.next_holds(), Some(vec![hold(1, Some(2)), hold(3, Some(4))]));
    assert_eq!(holds.next_holds(), None);
}

#[test]
fn a_text_is_the_order_that_it_was_made_from() {
    for text in [
        "order:",
        "order:1:5=2+3",
        "order:1:5=2+3,9=0.1.4+7p2.1/3:0=1",
        "order:2:7=0.0.5",
        "order:m:0.2.1",
        "order:c:3-5,4-h",
    ] {
        let order = Order::parse(&text["order:".len()..]).expect("an order");
        assert_eq!(order.to_string(), text);
    }
    for text in [
        "x",
        "1",
        "1:",
        "1:5",
        "1:5=",
        "1:5=1+",
        "1:5=1.1.32",
        "1:9=1,5=1",
        "1:5=1/1:5=1",
        "1:5=1p",
        "1:5=1x",
        "m:",
        "m:1.",
        "m:a",
        "c:",
        "c:5",
        "c:5-x",
    ] {
        assert!(Order::parse(text).is_err(), "{text}");
    }
}
