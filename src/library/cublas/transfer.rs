//! Copies of vectors and matrices between host and device.

use crate::call::{Call, Outcome, Status, Uses};
use crate::operand::Operand;
use device::{Agreement, Bytes, Number, Section, Strided};

/// Elements of some bytes in columns.
#[derive(Clone)]
struct Places(Strided, u64);

impl Operand for Places {
    fn extent(&self) -> Section {
        (self.0.clone(), self.1)
    }

    fn numbers(&self) -> (Number, Agreement) {
        (Number::Integer, Agreement::Bits)
    }
}

/// Which way a copy goes, and whether the host waits for it.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) to_device: bool,
    pub(super) waits: bool,
}

/// A vector: a count, the bytes of an element, and two addresses with increments.
pub(super) fn vector(call: &mut Call<'_>, way: Way) -> Outcome {
    let count = call.count("n")?;
    let bytes = element_bytes(call)?;
    let grid = |call: &mut Call<'_>, what: &str| {
        let (address, step) = call.strided();
        if step < 1 {
            return call.wrong(format!("the increment of `{what}` is {step}, and must be 1 or more"));
        }
        Ok(Places(Strided { base: address, dims: vec![(count as i64, step * bytes as i64)] }, bytes))
    };
    let (from, to) = (grid(call, "X")?, grid(call, "Y")?);
    copy(call, way, (from, "X"), (to, "Y"))
}

/// A matrix: rows and columns, the bytes of an element, and two addresses with leading dimensions.
pub(super) fn matrix(call: &mut Call<'_>, way: Way) -> Outcome {
    let (rows, columns) = (call.count("rows")?, call.count("cols")?);
    let bytes = element_bytes(call)?;
    let grid = |call: &mut Call<'_>, what: &str| {
        let (address, leading) = call.strided();
        if leading < rows.max(1) as i64 {
            let reason = format!("the leading dimension of `{what}` is {leading}, and the matrix has {rows} rows");
            return call.wrong(reason);
        }
        let dims = vec![(rows as i64, bytes as i64), (columns as i64, leading * bytes as i64)];
        Ok(Places(Strided { base: address, dims }, bytes))
    };
    let (from, to) = (grid(call, "A")?, grid(call, "B")?);
    copy(call, way, (from, "A"), (to, "B"))
}

fn element_bytes(call: &mut Call<'_>) -> Result<u64, Status> {
    match call.int() {
        bytes @ 1.. => Ok(bytes as u64),
        bytes => call.wrong(format!("`elemSize` is {bytes}, and must be 1 or more")),
    }
}

fn copy(call: &mut Call<'_>, way: Way, from: (Places, &str), to: (Places, &str)) -> Outcome {
    // A copy is what the device does itself.
    call.notes = None;
    let (host, of_device) = if way.to_device { (&from, &to) } else { (&to, &from) };
    call.check_host(host.0.0.base, host.1)?;
    call.check_device(of_device.0.0.base, of_device.1)?;
    let (from, to) = (from.0, to.0);
    let stream = if way.waits { 0 } else { call.word() };
    let uses = Uses::default().read(&from).write(&to);
    call.perform(stream, uses, way.waits, move |memory: &mut dyn Bytes| {
        let mut values = Vec::new();
        for (address, bytes) in from.0.runs(from.1) {
            let at = values.len();
            values.resize(at + bytes as usize, 0);
            memory.get(address, &mut values[at..])?;
        }
        let mut rest = &values[..];
        for (address, bytes) in to.0.runs(to.1) {
            let (run, behind) = rest.split_at(bytes as usize);
            memory.put(address, run)?;
            rest = behind;
        }
        Ok(())
    })
}
