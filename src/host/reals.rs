//! IEEE flags, direction of rounding and halting of a program that asks for them (Fortran 2018, clause 17).
//!
//! Not here: the operations (`scalar::exceptions`), and which programs ask (`lower`).

use crate::protocol::{Args, Halt};
use crate::storage;
use finding::HostFault;
use ir::rt::Rt;
use mem::WriteBytes;
use scalar::Ty;
use scalar::exceptions::{
    Direction, Flags, Growth, Operation, comparison, convert, exact, from_integer, function, operate, to_integer,
};

/// The bits of the flags, and where the other parts stand in the word that the services exchange.
const FLAGS: u32 = 0x1f;
const DIRECTION: u32 = 8;
const HALTING: u32 = 16;

/// What the exceptions are called, by the bits of their flags.
const NAMES: [&str; 5] = ["ieee_invalid", "ieee_overflow", "ieee_divide_by_zero", "ieee_underflow", "ieee_inexact"];

/// The state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RealState {
    flags: Flags,
    direction: Direction,
    halting: Flags,
}

impl RealState {
    fn word(self) -> u32 {
        let direction = match self.direction {
            Direction::Nearest => 0,
            Direction::ToZero => 1,
            Direction::Up => 2,
            Direction::Down => 3,
        };
        u32::from(self.flags.0) | direction << DIRECTION | u32::from(self.halting.0) << HALTING
    }

    fn set_modes(&mut self, word: u32) {
        self.direction = match word >> DIRECTION & 3 {
            0 => Direction::Nearest,
            1 => Direction::ToZero,
            2 => Direction::Up,
            _ => Direction::Down,
        };
        self.halting = Flags((word >> HALTING & FLAGS) as u8);
    }

    /// `real.op` and `real.state`.
    pub(crate) fn serve(&mut self, memory: &mut impl WriteBytes, rt: Rt, a: Args<'_>) -> Result<u64, Halt> {
        let (result, address) = match rt {
            Rt::RealOp => (self.operate(a).map_err(Halt::Fault)?, a.bits(5)),
            _ => (u64::from(self.exchange(a.int(0), a.int(1))), a.bits(2)),
        };
        storage::write(memory, address, &u32::from(self.minds()).to_le_bytes())?;
        Ok(result)
    }

    /// Whether operations with normal results have to be told: they might raise a flag, halt or be rounded in another direction.
    fn minds(self) -> bool {
        let is_inexact = self.flags.with(Flags::INEXACT) == self.flags;
        self.direction != Direction::Nearest || self.halting != Flags::default() || !is_inexact
    }

    /// `real.state`: gives the state as it was.
    fn exchange(&mut self, what: i32, value: i32) -> u32 {
        let before = self.word();
        let value = value as u32;
        let given = Flags((value & FLAGS) as u8);
        match what {
            1 => self.flags = given,
            2 => self.set_modes((before & !(3 << DIRECTION)) | (value & 3) << DIRECTION),
            3 => self.halting = given,
            4 => self.flags = Flags::default(),
            5 => {
                self.flags = self.flags.with(given);
                self.set_modes(value);
            }
            6 => {
                self.flags = given;
                self.set_modes(value);
            }
            7 => self.flags = self.flags.with(given),
            _ => {}
        }
        before
    }

    /// `real.op`: the result, or the error of an exception that halts.
    fn operate(&mut self, a: Args<'_>) -> Result<u64, HostFault> {
        let type_of = |bytes: i64| match bytes {
            2 => Ty::I16,
            4 => Ty::F32,
            _ => Ty::F64,
        };
        let ty = type_of(i64::from(a.int(1)));
        let operands = [a.bits(2), a.bits(3), a.bits(4)];
        let by = |operation, state: &RealState| operate(operation, ty, operands, state.direction);
        let no_result = |flags| (0, flags);
        let (result, flags) = match a.int(0) {
            0 => by(Operation::Add, self),
            1 => by(Operation::Sub, self),
            2 => by(Operation::Mul, self),
            3 => by(Operation::Div, self),
            4 => by(Operation::Sqrt, self),
            5 => by(Operation::Fma, self),
            6 => convert(ty, type_of(a.long(3)), operands[0], self.direction),
            7 => from_integer(ty, a.long(2), self.direction),
            8 => no_result(to_integer(ty, [operands[0], operands[1]], a.long(4) as u32)),
            9 => no_result(comparison(ty, [operands[0], operands[1]])),
            10 => no_result(exact(ty, [operands[0], operands[1]], operands[2])),
            what => {
                let two = usize::from(what % 2 == 0);
                let growth =
                    [Growth::Plain, Growth::Poles, Growth::Exponential][((what - 11).max(0) as usize / 2).min(2)];
                no_result(function(ty, &operands[..=two], operands[1 + two], growth))
            }
        };
        self.flags = self.flags.with(flags);
        let halts = flags.0 & self.halting.0;
        if halts != 0 {
            let name = NAMES[(halts.trailing_zeros() as usize).min(NAMES.len() - 1)];
            return Err(HostFault::IeeeException { flag: name.to_owned() });
        }
        Ok(result)
    }
}
