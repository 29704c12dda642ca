//! The collector: merging, limit, suppression, order.

use super::{at, global, on_device};
use diag::Severity;
use finding::{Added, Code, Finding, FindingKind, Findings, LeakKind, RaceFlavour, RaceKind, What};
use source::Span;

fn race(a: &str, b: &str) -> Finding {
    let kind = FindingKind::Race { between: RaceKind::Block, flavour: RaceFlavour::Plain, is_in_loop: false };
    on_device(kind, vec![global(What::Write, a), global(What::Read, b)])
}

fn null(text: &str) -> Finding {
    on_device(FindingKind::Null, vec![global(What::Read, text)])
}

#[test]
fn equal_findings_merge_and_count() {
    let mut all = Findings::new();
    assert_eq!(all.add(race("s(t)", "x(i)")), Added::New(0));
    assert_eq!(all.add(null("x(i)")), Added::New(1));
    assert_eq!(all.add(race("s(t)", "x(i)")), Added::Merged(0));
    assert_eq!(all.add(race("x(i)", "s(t)")), Added::Merged(0), "a race has no first and second end");
    let mut elsewhere = race("s(t)", "x(i)");
    elsewhere.accesses[1].place = None;
    assert_eq!(all.add(elsewhere), Added::New(2), "another array is another race");
    let counts: Vec<(Code, u64)> = all.iter().map(|f| (f.code(), f.count)).collect();
    assert_eq!(counts, [(Code::GlobalRace, 3), (Code::NullAccess, 1), (Code::GlobalRace, 1)]);
    assert_eq!(all.summary().as_deref(), Some("3 findings (5 in all)"));
}

#[test]
fn findings_without_a_place_merge_only_when_they_say_the_same() {
    let leak = |bytes| {
        let mut allocation = super::array_x();
        allocation.span = Span::NONE;
        allocation.bytes = bytes;
        Finding::new(FindingKind::Leak { what: LeakKind::Device, allocation }, vec![])
    };
    let mut all = Findings::new();
    assert_eq!(all.add(leak(8)), Added::New(0));
    assert_eq!(all.add(leak(16)), Added::New(1));
    assert_eq!(all.add(leak(8)), Added::Merged(0));
}

#[test]
fn limit_keeps_the_first_of_each_severity_and_counts_the_others() {
    let mut all = Findings::new().with_limit(1);
    let mixed = FindingKind::Race {
        between: RaceKind::Block,
        flavour: RaceFlavour::MixedAtomic { is_plain_write: false },
        is_in_loop: false,
    };
    let mixed = on_device(mixed, vec![global(What::Atomic, "s(t)"), global(What::Read, "x(i)")]);
    assert_eq!(all.add(mixed.clone()), Added::New(0));
    assert_eq!(all.worst(), Some(Severity::Warning));
    assert!(!all.fails(Severity::Error));
    let other =
        |name| Finding { accesses: vec![global(What::Atomic, name), global(What::Read, "s(1)")], ..mixed.clone() };
    assert_eq!(all.add(other("r(1)")), Added::OverLimit);
    // Warnings do not take the room of errors.
    assert_eq!(all.add(null("x(i)")), Added::New(1));
    assert_eq!(all.add(null("r(1)")), Added::OverLimit);
    assert_eq!(all.add(mixed), Added::Merged(0));
    assert!(all.fails(Severity::Error));
    assert_eq!((all.len(), all.over_limit_count()), (2, 2));
    assert_eq!(all.summary().as_deref(), Some("2 findings (3 in all), 2 more not shown (--max-findings 1)"));
}

#[test]
fn suppressed_findings_do_not_fail_the_run() {
    let line = at("x(i)");
    let mut all = Findings::new().with_suppression(move |f| f.span() == line);
    assert_eq!(all.add(null("x(i)")), Added::Suppressed);
    assert_eq!(all.worst(), None);
    assert!(all.is_empty());
    assert_eq!(all.summary().as_deref(), Some("1 suppressed"));
    assert_eq!(all.add(null("s(t)")), Added::New(0));
    assert!(all.fails(Severity::Error));
}

#[test]
fn appended_findings_merge_with_those_before() {
    let mut first = Findings::new();
    first.add(null("x(i)"));
    let mut second = Findings::new();
    second.add(race("s(t)", "x(i)"));
    second.add(null("x(i)"));
    second.add(null("x(i)"));
    first.append(second);
    let counts: Vec<u64> = first.iter().map(|f| f.count).collect();
    assert_eq!(counts, [3, 1]);
    assert_eq!(first.diagnostics().len(), 2);
}
