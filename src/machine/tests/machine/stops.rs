//! Observers that stop host and device.

use crate::program::{TestWorld, load, modelled};
use device::{DeviceAccess, Statement};
use machine::{HostStatement, MachineStop, Observer};
use vm::Warp;

/// Stops at every statement, of host code and of lane 0 of device code.
#[derive(Default)]
struct Everything {
    host: usize,
    device: usize,
}

impl device::Observer for Everything {
    fn wants_statements(&self) -> bool {
        true
    }

    fn wants_accesses(&self) -> bool {
        false
    }

    fn on_statement(&mut self, _: &Statement) -> bool {
        self.device += 1;
        true
    }

    fn on_access(&mut self, _: &DeviceAccess) -> bool {
        false
    }
}

impl Observer for Everything {
    fn wants_host_statements(&self) -> bool {
        true
    }

    fn on_host_statement(&mut self, _: &Warp<1>, statement: &HostStatement) -> bool {
        assert!(!statement.span.is_none());
        self.host += 1;
        true
    }
}

const TEXT: &str = "module m
contains
  attributes(global) subroutine k(a)
    integer :: a(2)
    a(threadidx%x) = 1
    a(threadidx%x) = a(threadidx%x) + 1
  end subroutine
end module
program p
  use m
  integer, device :: d(2)
  integer :: h(2)
  d = 0
  call k<<<1,2>>>(d)
  h = d
  print *, h
end program
";

#[test]
fn every_statement_can_be_stopped_at_and_the_result_is_the_same() {
    let mut machine = load(TEXT, modelled());
    let mut world = TestWorld::default();
    let mut observer = Everything::default();
    let (mut host, mut device) = (0, 0);
    loop {
        match machine.advance(u64::MAX, &mut world, &mut observer) {
            MachineStop::Host(_) => host += 1,
            MachineStop::Device => device += 1,
            MachineStop::Done(code) => {
                assert_eq!(code, 0);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((host, device), (observer.host, observer.device));
    assert!(host >= 4 && device >= 2, "{host} {device}");
    assert_eq!(world.out.split_whitespace().collect::<Vec<_>>(), ["2", "2"]);
}

#[test]
fn the_program_can_be_ended_from_outside() {
    let mut machine = load("open(7, file='f')\nwrite(7, *) 1\ndo\nend do\nend\n", modelled());
    let mut world = TestWorld::default();
    assert_eq!(machine.advance(10_000, &mut world, &mut machine::NoObserver), MachineStop::Budget);
    machine.end(130);
    assert_eq!(machine.advance(10_000, &mut world, &mut machine::NoObserver), MachineStop::Done(130));
    assert_eq!(world.files["f"], b"            1\n");
}
