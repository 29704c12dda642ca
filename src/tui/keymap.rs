//! Table: the keys. Dispatch, the hint line, the help pane and the manual all come from these rows.
//!
//! Letters follow the single-key mode of gdb where it has them, movement follows vim, and function keys follow common editors.
//! A capital letter is the same step backwards in time.
//!
//! Not here: what an action does (`act`).

use crate::pane::Pane;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Does this command of the debugger.
    Command(&'static str),
    /// Runs the focused thread to the line of the cursor.
    ToCursor,
    /// Sets or deletes the breakpoint on the line of the cursor.
    ToggleBreakpoint,
    /// Asks for the condition of a breakpoint on the line of the cursor.
    BreakIf,
    /// Focuses on the next or previous lane.
    Lane(i32),
    /// The same for warps.
    Warp(i32),
    /// The same for running blocks.
    Block(i32),
    /// Opens the command line.
    Prompt,
    /// Opens the search.
    Search,
    /// Shows the current statement again.
    Here,
    /// Goes to another pane.
    Pane(i32),
    /// Shows a pane and goes to it.
    Show(Pane),
    /// Enlarges the pane to the whole screen, or restores it.
    Zoom,
    /// Moves the cursor by lines.
    Lines(i32),
    /// Moves the cursor by half pages.
    HalfPages(i32),
    /// Moves sideways.
    Columns(i32),
    /// Goes to the beginning.
    First,
    /// Goes to the end.
    Last,
    /// Does what Enter means in the pane.
    Enter,
    /// Asks for the expression that the pane shows.
    Expression,
    /// Switches between table and heat map.
    Map,
    /// Deletes what the cursor is on.
    Delete,
    /// Enables or disables what the cursor is on.
    Disable,
    /// Edits the condition of the selected breakpoint.
    Condition,
    /// Goes back to the last change of the selected variable.
    LastChange,
    /// Searches the source for the selected variable.
    SearchName,
    /// Draws the screen anew.
    Redraw,
    /// Suspends the debugger as a job of the shell.
    Suspend,
    /// Shows help, or hides it.
    Help,
    /// Interrupts the program.
    Interrupt,
    /// Closes the open window.
    Escape,
    /// Ends the session.
    Quit,
    /// Ends the session at the second time.
    QuitTwice,
}

impl Action {
    /// Whether it only moves a cursor, or goes to another pane.
    pub(crate) fn is_movement(self) -> bool {
        matches!(
            self,
            Action::Lines(_)
                | Action::HalfPages(_)
                | Action::Columns(_)
                | Action::First
                | Action::Last
                | Action::Pane(_)
                | Action::Zoom
                | Action::Redraw
                | Action::Search
                | Action::SearchName
        )
    }
}

/// The chapters of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chapter {
    /// Forwards.
    Run,
    /// Backwards.
    Back,
    /// Breakpoints.
    Break,
    /// The focus.
    Focus,
    /// Panes and movement.
    Panes,
    /// Keys for the rows of a pane.
    Rows,
    /// The rest.
    Rest,
}

impl Chapter {
    /// All chapters in order.
    pub const ALL: [Chapter; 7] =
        [Chapter::Run, Chapter::Back, Chapter::Break, Chapter::Focus, Chapter::Panes, Chapter::Rows, Chapter::Rest];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Chapter::Run => "Running",
            Chapter::Back => "Reverse execution",
            Chapter::Break => "Breakpoints",
            Chapter::Focus => "Choosing the focused thread",
            Chapter::Panes => "Panes and movement",
            Chapter::Rows => "In a pane",
            Chapter::Rest => "Other keys",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct KeyRow {
    /// The keys.
    pub keys: &'static [&'static str],
    /// In which panes; none means all.
    pub panes: &'static [Pane],
    /// What it does.
    pub action: Action,
    /// Its chapter.
    pub chapter: Chapter,
    /// A word or two for the hint line; empty for none.
    pub hint: &'static str,
    /// One sentence without a full stop.
    pub brief: &'static str,
}

macro_rules! keys {
    ($([$($key:literal)*] $([$($pane:ident)*])? $chapter:ident $action:expr, $hint:literal $brief:literal;)*) => {
        /// All keys in the order of help. The first matching row applies.
        pub const KEYS: &[KeyRow] = &[$(KeyRow {
            keys: &[$($key),*],
            panes: &[$($(Pane::$pane),*)?],
            action: $action,
            chapter: Chapter::$chapter,
            hint: $hint,
            brief: $brief,
        }),*];
    };
}

keys! {
    ["n" "F10"] Run Action::Command("next"), "next" "Step to the next statement of the focused thread, over procedure calls";
    ["s" "F11"] Run Action::Command("step"), "step" "Step to the next statement of the focused thread, entering procedures";
    ["c" "F5"] Run Action::Command("continue"), "continue" "Continue to the next breakpoint, watchpoint or error, or to the end; starts the program if necessary";
    ["r"] Run Action::Command("run"), "run" "Start the program from the beginning";
    ["f" "Shift-F11"] Run Action::Command("finish"), "" "Continue until the focused procedure returns";
    ["y" "F8"] Run Action::Command("barrier"), "barrier" "Continue until the focused thread reaches a barrier of its block";
    ["t" "F4"] [Source] Run Action::ToCursor, "" "Continue until the focused thread reaches the cursor line";
    ["N" "F6"] Back Action::Command("reverse-next"), "back" "Step back to the previous statement of the focused thread, over procedure calls";
    ["S" "F7"] Back Action::Command("reverse-step"), "" "Step back to the previous statement of the focused thread, entering procedures";
    ["C" "Shift-F5"] Back Action::Command("reverse-continue"), "" "Go back to the previous breakpoint or watchpoint hit, or to the start";
    ["W"] [Locals Watches Lanes] Back Action::LastChange, "last change" "Go back to the statement that changed the selected variable last";
    ["W"] [Memory] Back Action::LastChange, "last change" "Go back to the statement that changed an element last; its subscripts can be edited";
    ["F"] Back Action::Command("reverse-finish"), "" "Go back to the call of the focused procedure";
    ["b" "F9"] [Source] Break Action::ToggleBreakpoint, "break" "Set or delete a breakpoint on the cursor line";
    ["B"] [Source] Break Action::BreakIf, "" "Set a conditional breakpoint on the cursor line";
    ["B"] [Breakpoints] Break Action::Condition, "condition" "Edit the condition of the selected breakpoint";
    ["x" "Delete"] [Breakpoints] Break Action::Delete, "delete" "Delete the selected breakpoint";
    ["Space"] [Breakpoints] Break Action::Disable, "on/off" "Disable or enable the selected breakpoint";
    ["x" "Delete"] [Watches] Rows Action::Delete, "delete" "Delete the selected expression";
    ["Space"] [Watches] Rows Action::Disable, "on/off" "Disable or enable the selected expression at stops in line mode";
    ["]"] Focus Action::Lane(1), "lane" "Focus on the next lane of the warp";
    ["["] Focus Action::Lane(-1), "" "Focus on the previous lane of the warp";
    ["}"] Focus Action::Warp(1), "" "Focus on the next warp of the block";
    ["{"] Focus Action::Warp(-1), "" "Focus on the previous warp of the block";
    [")"] Focus Action::Block(1), "" "Focus on the next running block";
    ["("] Focus Action::Block(-1), "" "Focus on the previous running block";
    ["H"] Focus Action::Command("host"), "" "Focus on the host program";
    ["u"] Focus Action::Command("up"), "" "Focus on the calling frame";
    ["d"] Focus Action::Command("down"), "" "Focus on the called frame";
    ["Tab"] Panes Action::Pane(1), "pane" "Go to the next pane";
    ["BackTab"] Panes Action::Pane(-1), "" "Go to the previous pane";
    ["1"] Panes Action::Show(Pane::Source), "" "Go to the source";
    ["2"] Panes Action::Show(Pane::Threads), "" "Go to the map of blocks and lanes";
    ["3" "v"] Panes Action::Show(Pane::Locals), "" "Go to the variables";
    ["="] Panes Action::Show(Pane::Watches), "" "Go to the watch expressions";
    ["4" "o"] Panes Action::Show(Pane::Output), "" "Show the output";
    ["5"] Panes Action::Show(Pane::Lanes), "" "Show the lanes";
    ["6" "m"] Panes Action::Show(Pane::Memory), "" "Show an array";
    ["7"] Panes Action::Show(Pane::Banks), "" "Show shared memory by banks";
    ["8" "w"] Panes Action::Show(Pane::Stack), "" "Show the call stack";
    ["9" "!"] Panes Action::Show(Pane::Findings), "" "Show the findings";
    ["0"] Panes Action::Show(Pane::Breakpoints), "" "Show the breakpoints";
    ["T"] Panes Action::Show(Pane::Timeline), "" "Show launches, copies, streams and events";
    ["R"] Panes Action::Show(Pane::Ranks), "" "Show the ranks of MPI, if there are several";
    ["z"] Panes Action::Zoom, "zoom" "Enlarge the pane to the whole screen, or restore it";
    ["j" "Down"] Panes Action::Lines(1), "" "Down";
    ["k" "Up"] Panes Action::Lines(-1), "" "Up";
    ["h" "Left"] Panes Action::Columns(-1), "" "Left";
    ["l" "Right"] Panes Action::Columns(1), "" "Right";
    ["Ctrl-d" "Ctrl-f" "PageDown"] Panes Action::HalfPages(1), "" "Half a page down";
    ["Ctrl-u" "Ctrl-b" "PageUp"] Panes Action::HalfPages(-1), "" "Half a page up";
    ["g" "Home"] Panes Action::First, "" "To the beginning";
    ["G" "End"] Panes Action::Last, "" "To the end";
    ["."] Panes Action::Here, "" "Show the current statement again";
    ["/"] Panes Action::Search, "" "Search the source, or the list in the focused pane; then n and N find the next and the previous match, until another key that does not only move";
    ["*"] [Locals Watches] Panes Action::SearchName, "" "Search the source for the selected variable";
    ["Enter"] [Source] Rows Action::ToCursor, "" "Continue until the focused thread reaches the cursor line";
    ["Enter"] [Locals] Rows Action::Enter, "show" "Show an array in the memory pane, or a scalar in all lanes";
    ["Enter"] [Lanes] Rows Action::Enter, "focus" "Focus on the selected lane";
    ["Enter"] [Stack] Rows Action::Enter, "focus" "Focus on the selected frame";
    ["Enter"] [Findings] Rows Action::Enter, "go there" "Go to the time of the selected access, or show its location";
    ["Enter"] [Timeline] Rows Action::Enter, "go there" "Go to the statement of the selected row, back or forwards";
    ["Enter"] [Ranks] Rows Action::Enter, "go on" "Go on with the selected rank, where it was when this one was here";
    ["Enter"] [Breakpoints] Rows Action::Enter, "show" "Show the location of the breakpoint";
    ["Enter"] [Watches] Rows Action::Enter, "show" "Show an array in the memory pane, or a scalar in all lanes";
    ["e"] [Watches] Rows Action::Expression, "add" "Add an expression";
    ["e"] [Memory] Rows Action::Expression, "array" "Choose the array";
    ["e"] [Lanes] Rows Action::Expression, "expression" "Choose the expression to show in all lanes";
    ["t"] [Memory] Rows Action::Map, "table/map" "Switch between the table and the heat map";
    [":" "i"] Rest Action::Prompt, "command" "Type a debugger command, or the number of a line; Tab completes it, Up and Down recall earlier ones";
    ["?" "F1"] Rest Action::Help, "help" "Show or hide this help";
    ["Ctrl-l"] Rest Action::Redraw, "" "Draw the screen again";
    ["Ctrl-z"] Rest Action::Suspend, "" "Suspend the debugger; fg of the shell comes back";
    ["Ctrl-c"] Rest Action::Interrupt, "" "Interrupt the running program; otherwise quit";
    ["Escape"] Rest Action::Escape, "" "Close the open window";
    ["q"] Rest Action::Quit, "quit" "Quit the debugger";
    ["Z"] Rest Action::QuitTwice, "" "Twice, as in vim: quit the debugger";
}

/// The name of a key as the table has it.
pub fn name(key: KeyEvent) -> String {
    let base = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::F(n) => format!("F{n}"),
        KeyCode::Esc => "Escape".to_owned(),
        other => format!("{other:?}"),
    };
    let ctrl = if key.modifiers.contains(KeyModifiers::CONTROL) { "Ctrl-" } else { "" };
    // The shift of a letter is in the letter.
    let shift = key.modifiers.contains(KeyModifiers::SHIFT) && !matches!(key.code, KeyCode::Char(_) | KeyCode::BackTab);
    format!("{ctrl}{}{base}", if shift { "Shift-" } else { "" })
}

/// What a key does in a pane.
pub fn action(name: &str, pane: Pane) -> Option<Action> {
    let fits = |row: &&KeyRow| (row.panes.is_empty() || row.panes.contains(&pane)) && row.keys.contains(&name);
    KEYS.iter().find(fits).map(|row| row.action)
}

/// The hints for a pane: its own keys first.
pub fn hints(pane: Pane) -> impl Iterator<Item = &'static KeyRow> {
    let own = KEYS.iter().filter(move |row| row.panes.contains(&pane));
    let all = KEYS.iter().filter(|row| row.panes.is_empty());
    own.chain(all).filter(|row| !row.hint.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::PANES;

    #[test]
    fn no_key_of_a_pane_means_two_things() {
        for pane in PANES.iter().map(|r| r.pane) {
            let mut seen = Vec::new();
            for row in KEYS.iter().filter(|r| r.panes.is_empty() || r.panes.contains(&pane)) {
                for key in row.keys {
                    assert!(!seen.contains(key), "{key} in {pane:?}");
                    seen.push(key);
                }
            }
            assert!(seen.contains(&pane.row().key));
        }
    }

    #[test]
    fn keys_are_called_as_in_the_table() {
        let key = |code, modifiers| name(KeyEvent::new(code, modifiers));
        assert_eq!(key(KeyCode::Char('N'), KeyModifiers::SHIFT), "N");
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), "Ctrl-c");
        assert_eq!(key(KeyCode::F(11), KeyModifiers::SHIFT), "Shift-F11");
        assert_eq!(key(KeyCode::PageDown, KeyModifiers::NONE), "PageDown");
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), "BackTab");
    }

    #[test]
    fn every_command_of_a_key_is_in_the_command_table() {
        for row in KEYS {
            if let Action::Command(text) = row.action {
                assert!(debug::parse::parse(text).is_ok_and(|c| c.is_some()), "{text}");
            }
        }
    }
}
