//! Backings and their clones, on one thread and on several.

use super::*;
use std::sync::atomic::AtomicUsize;

fn backing(bytes: usize) -> Backing {
    Backing::new(bytes as u64, 1, &Arc::default()).expect("room")
}

/// A test of one thread, and those whose threads write different bytes, may write.
fn write(backing: &Backing, offset: usize, data: &[u8]) {
    // SAFETY: no other thread accesses the bytes.
    unsafe { backing.write(offset, data) }.expect("room");
}

fn share(backing: &Backing) -> Backing {
    // SAFETY: a test of one thread.
    unsafe { backing.share_detached() }
}

#[test]
fn a_clone_keeps_what_was_there_when_the_original_is_written() {
    let a = backing(3 * PAGE);
    write(&a, PAGE - 2, &[1, 2, 3, 4]);
    let b = share(&a);
    write(&a, PAGE, &[9]);
    write(&b, 0, &[7]);
    let read = |m: &Backing, at| {
        let mut out = [0; 4];
        m.read(at, &mut out).map(|()| out)
    };
    assert_eq!(read(&a, PAGE - 2), Some([1, 2, 9, 4]));
    assert_eq!(read(&b, PAGE - 2), Some([1, 2, 3, 4]));
    assert_eq!(read(&a, 0), Some([0; 4]));
    assert_eq!(read(&b, 0), Some([7, 0, 0, 0]));
    assert_eq!(read(&a, 2 * PAGE), Some([0; 4]));
    assert_eq!((read(&a, 3 * PAGE - 3), read(&a, usize::MAX - 1)), (None, None));
}

#[test]
fn settled_bytes_are_always_at_the_same_place() {
    for bytes in [100, 3 * PAGE + 100] {
        let mut a = backing(bytes);
        write(&a, 0, &[1; 4]);
        // Without an arena nothing can be settled.
        let Some(place) = a.settle(0, bytes) else { return };
        // SAFETY: the bytes are settled there, and nobody else uses them.
        let settled = || unsafe { std::slice::from_raw_parts_mut(place.as_ptr(), bytes) };
        assert!(settled()[..4] == [1; 4] && settled()[4..].iter().all(|&b| b == 0));
        settled()[bytes - 1] = 7;
        let clone = share(&a);
        write(&a, bytes - 1, &[8]);
        assert_eq!(a.settle(0, bytes), None, "a clone has what lies there");
        drop(clone);
        let before = a.list.generation();
        // SAFETY: nobody else uses the backing.
        unsafe { a.list.release() };
        assert_eq!(a.settle(0, bytes), Some(place));
        assert_ne!(a.list.generation(), before);
        assert_eq!((settled()[0], settled()[bytes - 1]), (1, 8));
        assert_eq!(a.settle(bytes - 1, 1).map(NonNull::as_ptr), Some(place.as_ptr().wrapping_add(bytes - 1)));
        assert_eq!(a.settle(bytes - 1, 200), None);
    }
}

#[test]
fn threads_that_meet_at_a_page_lose_no_store() {
    let pages = if cfg!(miri) { 10 } else { 2000 };
    let backing = super::tests::backing(pages * PAGE);
    let arrived = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (backing, arrived) = (&backing, &arrived);
            scope.spawn(move || {
                for page in 0..pages {
                    arrived.fetch_add(1, Ordering::AcqRel);
                    let mut patience = 1000;
                    while arrived.load(Ordering::Acquire) < 2 * (page + 1) && patience > 0 {
                        patience -= 1;
                        std::hint::spin_loop();
                    }
                    for i in 0..64 {
                        write(backing, page * PAGE + 2 * i + thread, &[1]);
                    }
                }
            });
        }
    });
    for page in 0..pages {
        let mut bytes = [0; 128];
        backing.read(page * PAGE, &mut bytes);
        assert_eq!(bytes, [1; 128], "page {page}");
    }
}

#[test]
fn a_page_whose_clone_is_gone_is_written_in_place() {
    let mut a = backing(2 * PAGE);
    write(&a, 0, &[1].repeat(2 * PAGE));
    let b = share(&a);
    write(&a, 0, &[2]);
    drop(b);
    a.reclaim();
    let second = |a: &Backing| a.slots[1].load(Ordering::Relaxed);
    let before = second(&a);
    write(&a, PAGE, &[3]);
    assert!(is_own(before) && second(&a) == before);
    let mut out = [0; 2];
    a.read(PAGE - 1, &mut out);
    assert_eq!(out, [1, 3]);
}

#[test]
#[cfg(not(miri))] // which has no arena
fn pages_lie_side_by_side_in_one_run_or_the_other() {
    let a = backing(4 * PAGE + 16);
    for page in [2, 0, 1, 4] {
        write(&a, page * PAGE, &[1]);
    }
    let window = |of: &Backing, offset, bytes, to_write| of.window(offset, bytes, to_write).map(|w| (w.0, w.1));
    // A page of zeros lies elsewhere until it is written to, or is wanted to be.
    assert_eq!(window(&a, PAGE + 5, 1, false), Some((0, 3 * PAGE)));
    assert_eq!(window(&a, 2 * PAGE, 1, true), Some((0, 3 * PAGE)));
    assert_eq!(window(&a, 3 * PAGE, 9 * PAGE, false), Some((3 * PAGE, PAGE)));
    assert_eq!(window(&a, 3 * PAGE - 1, 2, true), Some((0, 4 * PAGE + 16)));
    assert_eq!((window(&a, 4 * PAGE + 16, 1, false), window(&a, 4 * PAGE + 15, 1, true).is_some()), (None, true));
    let b = share(&a);
    let place = |of: &Backing, offset| of.window(offset, 1, false).map(|w| w.2);
    assert_eq!(place(&a, 0), place(&b, 0));
    assert_eq!(window(&a, 10, 2 * PAGE, true), Some((0, 3 * PAGE)));
    assert_ne!(place(&a, 0), place(&b, 0));
    write(&a, 3 * PAGE, &[1].repeat(PAGE + 1));
    assert_eq!(
        (window(&a, 0, 1, true), window(&b, 0, 1, false).map(|w| w.1)),
        (Some((0, 4 * PAGE + 16)), Some(4 * PAGE + 16))
    );
    // Where clones have both places, a page lies alone; when they are gone, in a run again.
    let c = share(&a);
    write(&a, PAGE, &[7]);
    assert_eq!(window(&a, PAGE, 1, false), Some((PAGE, PAGE)));
    drop((b, c));
    let d = share(&a);
    // SAFETY: a test of one thread.
    unsafe { a.list.release() };
    write(&a, PAGE, &[8]);
    assert!(window(&a, PAGE, 1, false).is_some_and(|w| w.1 > PAGE));
    let mut out = [0; 2];
    d.read(PAGE, &mut out);
    assert_eq!(out, [7, 0]);
}

#[test]
fn clear_gives_whole_pages_back() {
    let mut a = backing(3 * PAGE);
    write(&a, 0, &vec![5; 3 * PAGE]);
    a.clear(10, 2 * PAGE).expect("room");
    for at in [0, 9, 10, PAGE - 1, PAGE, 2 * PAGE - 1, 2 * PAGE, 2 * PAGE + 9, 2 * PAGE + 10, 3 * PAGE - 1] {
        let mut out = [1];
        a.read(at, &mut out);
        assert_eq!(out, [if (10..10 + 2 * PAGE).contains(&at) { 0 } else { 5 }], "{at}");
    }
    assert_eq!(a.resident(), 2 * PAGE as u64);
}
