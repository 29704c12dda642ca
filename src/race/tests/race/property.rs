//! The detector against the definition, on random streams.
//!
//! The first pass must suspect every racy byte; the second must find exactly the racy bytes, whether it watches what the
//! first pass suspects or everything.

use std::collections::BTreeSet;
use std::ops::Range;

use cufemu_race::{Detector, Options, Rules, Space, SuspectSet, Suspicion};

use crate::event::{Event, decide, suspect};
use crate::generate::{BASE, CHAIN_BYTES, THREADS, chains, launch, messages, nested};
use crate::graph::Graph;

fn bytes(watch: &SuspectSet) -> BTreeSet<(Space, u64)> {
    let list = |space: Space| {
        watch.of(space).ranges().into_iter().flat_map(move |(start, len)| (start..start + len).map(move |b| (space, b)))
    };
    list(Space::Global).chain(list(Space::Shared)).collect()
}

fn everything(graph: &Graph, suspicion: &Suspicion) -> Suspicion {
    let Suspicion { is_narrow, has_fences, .. } = *suspicion;
    let mut all = Suspicion { is_narrow, has_fences, ..Suspicion::default() };
    all.watch.global.insert(BASE - 64, CHAIN_BYTES + 256);
    all.watch.shared.insert(0, 256);
    for (space, granule) in &graph.strong {
        match space {
            Space::Global => all.strong.global.insert(granule * 4, 4),
            Space::Shared => all.strong.shared.insert(granule * 4, 4),
        };
    }
    all
}

#[derive(Debug, Default)]
struct Tally {
    launches: u64,
    racy: u64,
    dismissed: u64,
}

/// What is wrong with the two passes over one launch, if anything.
fn fault(detector: &mut Detector, options: Options, events: &[Event], tally: &mut Tally) -> Option<String> {
    let suspicion = suspect(detector, THREADS, events);
    let (graph, racy) = Graph::judge(options.rules, THREADS, events);
    let suspected = bytes(&suspicion.watch);
    tally.launches += 1;
    tally.racy += u64::from(!racy.is_empty());
    tally.dismissed += u64::from(!suspected.is_empty() && racy.is_empty());
    if !racy.is_subset(&suspected) {
        return Some(format!("hidden: {racy:x?}, suspected: {suspected:x?}"));
    }
    for (what, suspicion) in [("everything", everything(&graph, &suspicion)), ("the suspected", suspicion)] {
        let verdict = decide(options, THREADS, suspicion, events);
        let found = bytes(&verdict.bytes);
        if found != racy || verdict.pairs.is_empty() != racy.is_empty() {
            return Some(format!("watching {what}: racy {racy:x?}, found {found:x?}"));
        }
    }
    None
}

/// Leaves out events as long as the rest is still judged wrongly.
fn shrink(options: Options, mut events: Vec<Event>) -> Vec<Event> {
    let is_wrong =
        |events: &[Event]| fault(&mut Detector::new(options), options, events, &mut Tally::default()).is_some();
    if !is_wrong(&events) {
        return events;
    }
    let mut at = 0;
    while at < events.len() {
        let mut fewer = events.clone();
        let is_needed = matches!(fewer.remove(at), Event::Begin(_) | Event::End(_) | Event::Spawn { .. });
        if !is_needed && is_wrong(&fewer) {
            events = fewer;
            at = 0;
        } else {
            at += 1;
        }
    }
    events
}

/// Runs a sequence of up to three launches on one detector for each seed.
fn run(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut r = fastrand::Rng::with_seed(seed);
        let rules = Rules { is_strict: r.u64(..100) < 25, is_legacy_warp_sync: r.u64(..100) < 10 };
        let options = Options { rules, finest_cell_bytes: r.choice([4, 4, 4, 1, 8]).unwrap(), ..Options::default() };
        let kind = r.u64(..100);
        let mut detector = Detector::new(options);
        for _ in 0..=r.u64(..3) {
            let events = match kind {
                0..45 => messages(&mut r),
                45..60 => chains(&mut r),
                60..75 => nested(&mut r),
                _ => launch(&mut r),
            };
            if let Some(fault) = fault(&mut detector, options, &events, &mut tally) {
                panic!("seed {seed}, {options:?}: {fault}\n{:#?}", shrink(options, events));
            }
        }
    }
    tally
}

fn check(seeds: Range<u64>) {
    let tally = run(seeds);
    // A generator that makes no races, or nothing but races, would prove nothing.
    assert!(tally.racy * 10 > tally.launches && tally.racy * 10 < tally.launches * 9, "{tally:?}");
    assert!(tally.dismissed > 0, "{tally:?}");
}

#[test]
fn random_streams_hide_no_race_and_report_no_other() {
    check(0..25_000);
}

#[test]
#[ignore = "minutes"]
fn many_random_streams_hide_no_race_and_report_no_other() {
    check(1 << 32..(1 << 32) + 500_000);
}
