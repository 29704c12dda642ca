//! What the first pass costs: nanoseconds per lane access, printed. Run with `--ignored --nocapture`, best with `--release`.

use std::sync::LazyLock;
use std::time::Instant;

use crate::event::{rows, strided};
use cufemu_race::{Detector, Kind, Launch, Options, Scope, Space, WarpAccess};
use mem::LaneAddresses;

fn access(warp: u32, kind: Kind, width: u32, addresses: &LaneAddresses<32>) -> WarpAccess<'_> {
    WarpAccess { warp, active: u32::MAX, failed: 0, kind, scope: Scope::Gpu, width, addresses, order: None }
}

/// Nanoseconds that the thread has been on a processor, as Linux counts them; elsewhere those that have passed.
fn on_processor() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let counted = counted.and_then(|text| text.split_whitespace().next()?.parse().ok());
    counted.unwrap_or_else(|| START.elapsed().as_nanos() as u64)
}

#[allow(clippy::print_stdout, reason = "the times are what the test is for")]
/// Prints the time that `f` takes for each of the lane accesses that it says it made.
fn measure(what: &str, mut f: impl FnMut(&mut Detector) -> u64) {
    let mut detector = Detector::new(Options::default());
    f(&mut detector);
    let start = on_processor();
    let count: u64 = (0..9).map(|_| f(&mut detector)).sum();
    let nanoseconds = (on_processor() - start) as f64 / count as f64;
    println!("{what:<44} {nanoseconds:7.2} ns per lane access, shadow {} MiB", detector.footprint_bytes() >> 20);
}

const WARPS: u32 = 8;
const LAUNCH: Launch = Launch { threads_per_block: WARPS * 32, shared_bytes: 2 << 11 };

/// A launch of `blocks` blocks; `f` says what a warp of a block does.
fn run(d: &mut Detector, blocks: u64, mut f: impl FnMut(&mut Detector, cufemu_race::CtaSlot, u64, u32) -> u64) -> u64 {
    d.begin_launch(LAUNCH);
    let mut count = 0;
    for block in 0..blocks {
        let slot = d.begin_block(block);
        for warp in 0..WARPS {
            count += f(d, slot, block, warp) * 32;
        }
        d.end_block(slot);
    }
    let found = d.end_launch();
    assert!(found.watch.is_empty() && !found.incomplete.is_any());
    count
}

fn stream(d: &mut Detector, width: u32, is_list: bool) -> u64 {
    let stride = u64::from(width);
    run(d, 4096, |d, slot, block, warp| {
        let at = (block * 256 + u64::from(warp) * 32) * stride;
        for (array, kind) in [(1_u64 << 32, Kind::Read), (2 << 32, Kind::Read), (3 << 32, Kind::Write)] {
            let first = array + at;
            let list: [u64; 32] = std::array::from_fn(|l| first + l as u64 * stride);
            let row = strided(first, stride as i64);
            let addresses = if is_list { LaneAddresses::List(list) } else { row };
            d.on_access(slot, Space::Global, &access(warp, kind, width, &addresses));
        }
        3
    })
}

/// The tiles of a matrix product: two stores to shared memory, a barrier, 32 loads, a barrier.
fn tiles(d: &mut Detector, width: u32) -> u64 {
    d.begin_launch(LAUNCH);
    let mut count = 0;
    for block in 0..64 {
        let slot = d.begin_block(block);
        for _ in 0..32 {
            for warp in 0..WARPS {
                for tile in [0, 2048 * u64::from(width) / 4] {
                    let first = tile + u64::from(warp * 32 * width);
                    let lanes = strided(first, i64::from(width));
                    d.on_access(slot, Space::Shared, &access(warp, Kind::Write, width, &lanes));
                }
            }
            d.on_barrier(slot);
            for warp in 0..WARPS {
                for k in 0..8 {
                    let row = LaneAddresses::uniform(u64::from((warp * 8 + k) * width));
                    d.on_access(slot, Space::Shared, &access(warp, Kind::Read, width, &row));
                    let first = 2048 * u64::from(width) / 4 + u64::from(k * 32 * width);
                    let column = strided(first, i64::from(width));
                    d.on_access(slot, Space::Shared, &access(warp, Kind::Read, width, &column));
                }
            }
            d.on_barrier(slot);
            count += u64::from(WARPS) * 18 * 32;
        }
        d.end_block(slot);
    }
    assert!(d.end_launch().watch.is_empty());
    count
}

/// The inner loops of a product with tiles of 16 by 16: a warp is two rows of 16 lanes.
fn product(d: &mut Detector) -> u64 {
    d.begin_launch(LAUNCH);
    let mut count = 0;
    for block in 0..256 {
        let slot = d.begin_block(block);
        for tile in 0..8_u64 {
            for warp in 0..WARPS {
                let at = (1 << 32) + block % 16 * 64 + (tile * 16 + u64::from(warp) * 2) * 4096;
                let tile_rows = rows(at, 16, 4, 4096);
                d.on_access(slot, Space::Global, &access(warp, Kind::Read, 4, &tile_rows));
                for tile in [0, 1024] {
                    let lanes = strided(tile + u64::from(warp * 128), 4);
                    d.on_access(slot, Space::Shared, &access(warp, Kind::Write, 4, &lanes));
                }
            }
            d.on_barrier(slot);
            for warp in 0..WARPS {
                for k in 0..16 {
                    let row = rows(k * 64, 16, 4, 0);
                    d.on_access(slot, Space::Shared, &access(warp, Kind::Read, 4, &row));
                    let first = 1024 + u64::from(warp * 128) + k * 4;
                    let column = rows(first, 16, 0, 64);
                    d.on_access(slot, Space::Shared, &access(warp, Kind::Read, 4, &column));
                }
            }
            d.on_barrier(slot);
            count += u64::from(WARPS) * 35 * 32;
        }
        d.end_block(slot);
    }
    assert!(d.end_launch().watch.is_empty());
    count
}

/// The padded tile of a transpose: rows are written, columns read.
fn transpose(d: &mut Detector) -> u64 {
    d.begin_launch(Launch { threads_per_block: WARPS * 32, shared_bytes: 33 * 32 * 4 });
    for block in 0..1024 {
        let slot = d.begin_block(block);
        for warp in 0..WARPS {
            for k in 0..4 {
                let row = strided(u64::from(warp + k * 8) * 132, 4);
                d.on_access(slot, Space::Shared, &access(warp, Kind::Write, 4, &row));
            }
        }
        d.on_barrier(slot);
        for warp in 0..WARPS {
            for k in 0..4 {
                let column = strided(u64::from(warp + k * 8) * 4, 132);
                d.on_access(slot, Space::Shared, &access(warp, Kind::Read, 4, &column));
            }
        }
        d.end_block(slot);
    }
    assert!(d.end_launch().watch.is_empty());
    1024 * 8 * u64::from(WARPS) * 32
}

/// A sum: each thread adds to its own place of shared memory, then half of the threads at a time fold.
fn fold(d: &mut Detector) -> u64 {
    d.begin_launch(LAUNCH);
    let mut count = 0;
    for block in 0..512 {
        let slot = d.begin_block(block);
        let mut touch = |d: &mut Detector, warp: u32, active: u32, kind: Kind, place: u64| {
            let addresses = strided(place * 8 + u64::from(warp) * 256, 8);
            d.on_access(slot, Space::Shared, &WarpAccess { active, ..access(warp, kind, 8, &addresses) });
            count += 32;
        };
        for _ in 0..8 {
            for warp in 0..WARPS {
                touch(d, warp, u32::MAX, Kind::Read, 0);
                touch(d, warp, u32::MAX, Kind::Write, 0);
            }
        }
        d.on_barrier(slot);
        for half in [128_u32, 64, 32, 16, 8, 4, 2, 1] {
            for warp in 0..half.div_ceil(32) {
                let active = if half < 32 { (1 << half) - 1 } else { u32::MAX };
                touch(d, warp, active, Kind::Read, 0);
                touch(d, warp, active, Kind::Read, u64::from(half));
                touch(d, warp, active, Kind::Write, 0);
            }
            d.on_barrier(slot);
        }
        d.end_block(slot);
    }
    assert!(d.end_launch().watch.is_empty());
    count
}

#[test]
#[ignore = "prints times"]
fn first_pass_prints_its_cost() {
    measure("consecutive, 4 bytes, first touches", |d| stream(d, 4, false));
    measure("consecutive, 8 bytes, first touches", |d| stream(d, 8, false));
    measure("consecutive, 4 bytes, addresses as a list", |d| stream(d, 4, true));
    measure("backwards, 4 bytes, read and written", |d| {
        run(d, 4096, |d, slot, block, warp| {
            let first = (1 << 32) + (4096 * 256 - 1 - (block * 256 + u64::from(warp) * 32)) * 4;
            for kind in [Kind::Read, Kind::Write] {
                d.on_access(slot, Space::Global, &access(warp, kind, 4, &strided(first, -4)));
            }
            2
        })
    });
    measure("same 4 KiB read by all blocks", |d| {
        run(d, 4096, |d, slot, _, warp| {
            for part in 0..8_u64 {
                let first = (1 << 32) + part * 128;
                d.on_access(slot, Space::Global, &access(warp, Kind::Read, 4, &strided(first, 4)));
            }
            8
        })
    });
    measure("broadcast read", |d| {
        run(d, 4096, |d, slot, _, warp| {
            for part in 0..8_u64 {
                let place = LaneAddresses::uniform((1 << 32) + part * 4);
                d.on_access(slot, Space::Global, &access(warp, Kind::Read, 4, &place));
            }
            8
        })
    });
    measure("stride of 256 bytes, 4 bytes", |d| {
        run(d, 1024, |d, slot, block, warp| {
            let first = (1 << 32) + block * 4 + u64::from(warp) * (32 * 256) + (block / 64) * (1 << 16);
            let lanes = strided(first, 256);
            d.on_access(slot, Space::Global, &access(warp, Kind::Write, 4, &lanes));
            1
        })
    });
    measure("atomics, all lanes on one of 64 places", |d| {
        run(d, 4096, |d, slot, block, warp| {
            let place = LaneAddresses::uniform((1 << 32) + (block % 64) * 4);
            d.on_access(slot, Space::Global, &access(warp, Kind::Reduce, 4, &place));
            1
        })
    });
    measure("atomics, a histogram", |d| {
        let mut x = 1_u64;
        run(d, 1024, |d, slot, _, warp| {
            let list = std::array::from_fn(|_| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (1 << 32) + (x >> 40) % 4096 * 4
            });
            d.on_access(slot, Space::Global, &access(warp, Kind::Atomic, 4, &LaneAddresses::List(list)));
            1
        })
    });
    measure("tiles in shared memory, 4 bytes", |d| tiles(d, 4));
    measure("tiles in shared memory, 8 bytes", |d| tiles(d, 8));
    measure("product with tiles of 16 by 16", product);
    measure("transpose through a padded tile", transpose);
    measure("sum by folding in shared memory", fold);
}
