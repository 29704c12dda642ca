//! Searches in the source and in lists.
//!
//! Not here: the line in which the text is typed (`prompt`), and which keys go on with a search (`update`).

use crate::draw::row_text;
use crate::model::Model;
use crate::pane::Pane;

/// Goes to the next or previous row of a pane that contains the text that is searched for, and round from the other end. A pane
/// that is no list leaves the search to the source. Until another key that does not only move, `n` and `N` go on.
pub(crate) fn find(model: &mut Model, pane: Pane, is_back: bool) {
    if model.searched.is_empty() {
        return;
    }
    let pane = if pane.is_list() { pane } else { Pane::Source };
    let text_of = |model: &Model, row: usize| match pane {
        Pane::Source => model.files.get(model.file).and_then(|f| f.lines.get(row)).map(|line| line.to_lowercase()),
        _ => row_text(model, pane, row).map(|line| line.to_lowercase()),
    };
    let (from, count) = (model.scroll(pane).cursor, model.rows(pane));
    let is_found = |row: &usize| text_of(model, *row).is_some_and(|line| line.contains(&model.searched));
    let row_at = |i: usize| if is_back { (from + count - i) % count } else { (from + i) % count };
    let found = (1..=count).map(row_at).find(is_found);
    model.is_searching = found.is_some();
    match found {
        Some(row) => {
            model.scroll_mut(pane).cursor = row;
            model
                .say(format!("/{}   n finds the next, N the previous; Escape ends the search.", model.searched), false);
        }
        None if pane == Pane::Source => model.say(format!("\"{}\" is not in this file.", model.searched), true),
        None => model.say(format!("\"{}\" is not in the {} pane.", model.searched, pane.row().title), true),
    }
}
