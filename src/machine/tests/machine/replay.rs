//! Checkpoints and repeated runs: the same bytes, whatever point was stopped at.

use crate::program::{TestWorld, load, modelled};
use machine::{Machine, MachineStop, NoObserver, RecordingWorld, World};

/// Host loops, input, files, transfers, kernels with barriers and atomics, a race, and output of kernels.
const TEXT: &str = "module m
contains
  attributes(global) subroutine work(a, total, n)
    integer, value :: n
    integer :: a(n), total
    integer, shared :: s(64)
    integer :: t, old
    t = threadidx%x
    s(t) = a(t + (blockidx%x-1)*64)
    call syncthreads()
    a(t + (blockidx%x-1)*64) = s(65-t)*2
    old = atomicadd(total, s(t))
    if (t == 1) print *, 'block', blockidx%x, old
  end subroutine
  attributes(global) subroutine racy(total)
    integer :: total
    total = total + threadidx%x
  end subroutine
end module
program p
  use m
  use cudafor
  integer, device :: d(256), total
  integer :: h(256), i, n, sum_, istat
  real :: x
  read *, n
  open(10, file='out.txt')
  do i = 1, 256
    h(i) = mod(i*n, 17)
    if (mod(i, 64) == 0) write(10, '(i6)') h(i)
  end do
  d = h
  total = 0
  call work<<<4,64>>>(d, total, 256)
  istat = cudaDeviceSynchronize()
  call racy<<<2,64>>>(total)
  h = d
  sum_ = total
  call random_number(x)
  print *, sum(h), sum_, x
  close(10)
end program
";

fn world() -> TestWorld {
    TestWorld { input: ["5"].into(), ..TestWorld::default() }
}

fn finish(machine: &mut Machine, world: &mut dyn World) -> i32 {
    machine.run(world)
}

#[test]
fn a_checkpoint_at_any_point_leads_to_the_same_end() {
    let mut whole = world();
    let mut machine = load(TEXT, modelled());
    assert_eq!(finish(&mut machine, &mut whole), 0);
    assert!(whole.out.contains("block"), "{}", whole.out);
    for budget in [1, 7, 100, 1009] {
        let mut machine = load(TEXT, modelled());
        let mut here = world();
        let mut steps = 0;
        loop {
            let stop = machine.advance(budget, &mut here, &mut NoObserver);
            if let MachineStop::Done(code) = stop {
                assert_eq!(code, 0);
                break;
            }
            steps += 1;
            if steps % (4000 / budget).max(1) == 0 {
                let checkpoint = machine.checkpoint().expect("an emulator");
                let mut there = here.clone();
                // The copy runs to its end first; that must not show in the original.
                let mut other = load(TEXT, modelled());
                assert!(other.restore(&checkpoint));
                finish(&mut other, &mut there);
                assert_eq!((&there.out, &there.files), (&whole.out, &whole.files));
            }
        }
        assert!(steps > 0);
        assert_eq!((&here.out, &here.files), (&whole.out, &whole.files), "budget {budget}");
    }
}

#[test]
fn a_recorded_run_is_done_again_without_effects() {
    let mut machine = load(TEXT, modelled());
    let mut recorded = RecordingWorld::new(world());
    for _ in 0..5 {
        machine.advance(200, &mut recorded, &mut NoObserver);
    }
    let checkpoint = machine.checkpoint().expect("an emulator");
    let mark = recorded.mark();
    assert_eq!(finish(&mut machine, &mut recorded), 0);
    let (out, files, asked) = (recorded.inner().out.clone(), recorded.inner().files.clone(), recorded.inner().asked);
    for _ in 0..2 {
        assert!(machine.restore(&checkpoint));
        recorded.rewind(mark);
        assert!(!recorded.is_live());
        assert_eq!(finish(&mut machine, &mut recorded), 0);
        assert!(recorded.is_live() && recorded.shows_output());
        assert_eq!((&recorded.inner().out, &recorded.inner().files), (&out, &files));
        assert_eq!(recorded.inner().asked, asked);
    }
}

#[test]
fn two_runs_give_the_same_bytes() {
    let (mut a, mut b) = (world(), world());
    finish(&mut load(TEXT, modelled()), &mut a);
    finish(&mut load(TEXT, modelled()), &mut b);
    assert_eq!((a.out, a.files), (b.out, b.files));
}
