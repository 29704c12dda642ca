//! The same in all interleavings of few threads.

use super::*;
use loom::thread;

fn backing() -> Backing {
    Backing::new(16, 1, &Arc::default()).expect("room")
}

/// Only for bytes that no other thread accesses meanwhile, as the duty is.
fn write(backing: &Backing, offset: usize, value: u8) {
    // SAFETY: see above.
    unsafe { backing.write(offset, &[value]) }.expect("room");
}

fn read(backing: &Backing, offset: usize) -> u8 {
    let mut out = [0xee];
    backing.read(offset, &mut out).expect("inside");
    out[0]
}

fn share(backing: &Backing) -> Backing {
    // SAFETY: no thread stores meanwhile.
    unsafe { backing.share_detached() }
}

#[test]
fn writers_of_a_missing_page_lose_no_store() {
    loom::model(|| {
        let a = Arc::new(backing());
        let other = a.clone();
        let writer = thread::spawn(move || write(&other, 1, 11));
        write(&a, 2, 12);
        writer.join().expect("no panic");
        assert_eq!([0, 1, 2].map(|i| read(&a, i)), [0, 11, 12]);
    });
}

#[test]
fn writers_of_a_shared_page_lose_no_store_and_leave_the_clone_alone() {
    loom::model(|| {
        let a = Arc::new(backing());
        write(&a, 0, 10);
        let clone = share(&a);
        let other = a.clone();
        let writer = thread::spawn(move || write(&other, 1, 11));
        write(&a, 2, 12);
        writer.join().expect("no panic");
        assert_eq!([0, 1, 2].map(|i| read(&a, i)), [10, 11, 12]);
        assert_eq!([0, 1, 2].map(|i| read(&clone, i)), [10, 0, 0]);
        drop(clone);
        // SAFETY: the other thread has ended.
        unsafe { a.list.release() };
    });
}

#[test]
fn a_reader_of_a_page_that_is_replaced_reads_what_was_there() {
    loom::model(|| {
        let a = Arc::new(backing());
        write(&a, 0, 10);
        let clone = share(&a);
        let other = a.clone();
        let reader = thread::spawn(move || (read(&other, 0), read(&other, 3)));
        write(&a, 1, 11);
        assert_eq!(reader.join().expect("no panic"), (10, 0));
        drop(clone);
    });
}

#[test]
fn a_clone_that_ends_on_another_thread_leaves_the_original_whole() {
    loom::model(|| {
        let mut a = backing();
        write(&a, 0, 10);
        let clone = share(&a);
        let other = thread::spawn(move || {
            write(&clone, 1, 21);
            let seen = (read(&clone, 0), read(&clone, 1));
            drop(clone);
            seen
        });
        write(&a, 1, 11);
        assert_eq!(other.join().expect("no panic"), (10, 21));
        a.reclaim();
        assert_eq!([0, 1].map(|i| read(&a, i)), [10, 11]);
    });
}

#[test]
fn clones_made_on_two_threads_share_the_pages() {
    loom::model(|| {
        let a = Arc::new(backing());
        write(&a, 0, 10);
        let other = a.clone();
        let cloning = thread::spawn(move || share(&other));
        let (one, two) = (share(&a), cloning.join().expect("no panic"));
        write(&one, 0, 1);
        write(&two, 0, 2);
        assert_eq!([&*a, &one, &two].map(|b| read(b, 0)), [10, 1, 2]);
    });
}
