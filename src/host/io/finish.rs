//! `io.end`, and what becomes of conditions that a statement meets.

use crate::condition::Condition;
use crate::io::IoService;
use crate::io::statement::Work;
use crate::protocol::Halt;
use crate::storage;
use mem::Memory;

impl IoService<'_> {
    /// `io.end`: gives `iostat`.
    pub(crate) fn end(&mut self, memory: &mut Memory) -> Result<i32, Halt> {
        if self.io.statement()?.failed.is_none() {
            self.start(memory)?;
            if self.io.statement()?.reads {
                self.finish_input(memory)?;
            } else {
                self.finish_output(memory)?;
            }
        }
        self.close_statement(memory)
    }

    /// Takes the statement off the stack and tells what it met.
    fn close_statement(&mut self, memory: &mut Memory) -> Result<i32, Halt> {
        if self.io.statement()?.is_child
            && let Err(Halt::Condition(condition)) = self.end_child()
        {
            self.meet(condition)?;
        }
        let Some(statement) = self.io.statements.pop() else { return Ok(0) };
        let Some(condition) = statement.failed else { return Ok(0) };
        if let (Work::FormatIn(reader), Some(at), Condition::EndOfRecord) =
            (&statement.work, statement.size_at, &condition)
        {
            storage::write(memory, at, &(reader.count() as u32).to_le_bytes())?;
        }
        if let Some((address, length)) = statement.iomsg {
            storage::write_text(memory, address, length, condition.message().as_bytes())?;
        }
        Ok(condition.iostat())
    }

    /// A condition of the statement in progress: kept if the statement deals with it, else the end of the program.
    pub(crate) fn meet(&mut self, condition: Condition) -> Result<(), Halt> {
        let Some(statement) = self.io.statements.last_mut() else {
            return Err(Halt::Fault(condition.fault(None)));
        };
        if !condition.is_caught(statement.catch) {
            let unit = statement.named_unit();
            return Err(Halt::Fault(condition.fault(unit)));
        }
        statement.failed.get_or_insert(condition);
        Ok(())
    }
}
