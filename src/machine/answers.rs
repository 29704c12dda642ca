//! Answers to questions of the host: of the record that is followed, of the modelled clock, of the turns of ranks, or of the world.

use crate::machine::{ClockKind, Machine};
use crate::world::World;
use host::{Answer, Ask};

impl Machine {
    /// Answers a question: from the record that is followed, or by the model or the world.
    pub(crate) fn answer(&mut self, question: &Ask, world: &mut dyn World) -> Answer {
        if *question == Ask::Turn {
            return if self.is_ahead { Answer::Later } else { Answer::Done(Ok(())) };
        }
        if let Some(answer) = self.solo.answer(question) {
            return answer;
        }
        let answer = self.new_answer(question, world);
        self.solo.answered(question, &answer);
        answer
    }

    /// Answers a question: the model's clocks here, everything else by the world.
    fn new_answer(&mut self, question: &Ask, world: &mut dyn World) -> Answer {
        if self.clock == ClockKind::Wall {
            return world.ask(question);
        }
        match question {
            Ask::Clock => Answer::Nanoseconds(self.points() + self.slept),
            Ask::CpuClock => Answer::Nanoseconds(self.host.points()),
            Ask::Date => Answer::Date(crate::world::calendar::date(((self.points() + self.slept) / 1_000_000) as i64)),
            Ask::Sleep { milliseconds } => {
                self.slept += milliseconds.saturating_mul(1_000_000);
                Answer::Done(Ok(()))
            }
            _ => world.ask(question),
        }
    }
}
