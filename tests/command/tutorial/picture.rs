//! A screen as SVG: a rectangle for each run of cells of one background, a text for each run of one style.

use cufemu_tui::{Model, render};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use std::fmt::Write;

/// Width and height of a cell.
const CELL: (u32, u32) = (9, 18);
/// Around the screen.
const MARGIN: u32 = 12;
const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#d6d9e0";

/// The colour as a terminal shows it on a dark background; none for the default.
fn hex(color: Color) -> Option<String> {
    let named = match color {
        Color::Black => "#16181d",
        Color::Red => "#c94f4f",
        Color::Green => "#5fae6b",
        Color::Yellow => "#d9b44a",
        Color::Blue => "#4d7fd0",
        Color::Magenta => "#b071c9",
        Color::Cyan => "#4fb0b8",
        Color::Gray => "#b4b8c2",
        Color::DarkGray => "#737987",
        Color::LightRed => "#f08080",
        Color::LightGreen => "#8fd694",
        Color::LightYellow => "#f2d87e",
        Color::LightBlue => "#82aaff",
        Color::LightMagenta => "#d6a2ea",
        Color::LightCyan => "#86dbe0",
        Color::White => "#ffffff",
        Color::Rgb(r, g, b) => return Some(format!("#{r:02x}{g:02x}{b:02x}")),
        // The cube of 6 by 6 by 6 and the greys of 256 colours.
        Color::Indexed(n @ 16..=231) => {
            let part = |n: u8| if n == 0 { 0 } else { 55 + 40 * u32::from(n) };
            let n = n - 16;
            return Some(format!("#{:02x}{:02x}{:02x}", part(n / 36), part(n / 6 % 6), part(n % 6)));
        }
        Color::Indexed(n @ 232..) => return Some(format!("#{0:02x}{0:02x}{0:02x}", 8 + 10 * u32::from(n - 232))),
        Color::Indexed(_) | Color::Reset => return None,
    };
    Some(named.to_owned())
}

/// Text colour, background and weight of a cell.
fn style(cell: &Cell) -> (String, Option<String>, bool) {
    let (mut fg, mut bg) = (hex(cell.fg), hex(cell.bg));
    if cell.modifier.contains(Modifier::REVERSED) {
        (fg, bg) = (bg.or(Some(BACKGROUND.into())), fg.or(Some(FOREGROUND.into())));
    }
    (fg.unwrap_or_else(|| FOREGROUND.into()), bg, cell.modifier.contains(Modifier::BOLD))
}

/// The screen of a model.
pub(crate) fn svg(model: &Model) -> String {
    let mut terminal = Terminal::new(TestBackend::new(model.size.0, model.size.1)).expect("a buffer");
    terminal.draw(|frame| render(model, frame)).expect("a drawing");
    let buffer = terminal.backend().buffer();
    let (columns, rows) = (u32::from(buffer.area.width), u32::from(buffer.area.height));
    let (width, height) = (columns * CELL.0 + 2 * MARGIN, rows * CELL.1 + 2 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"15\">\n\
         <title>cufemu's terminal debugger at a data race</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    for y in 0..rows {
        let cells: Vec<&Cell> = (0..columns).map(|x| &buffer[(x as u16, y as u16)]).collect();
        let mut x = 0;
        while x < cells.len() {
            let (fg, bg, is_bold) = style(cells[x]);
            let run = cells[x..].iter().take_while(|c| style(c) == (fg.clone(), bg.clone(), is_bold)).count();
            let (left, top) = (MARGIN + x as u32 * CELL.0, MARGIN + y * CELL.1);
            let length = run as u32 * CELL.0;
            if let Some(bg) = bg {
                let _ = writeln!(
                    out,
                    "<rect x=\"{left}\" y=\"{top}\" width=\"{length}\" height=\"{}\" fill=\"{bg}\"/>",
                    CELL.1
                );
            }
            let text: String = cells[x..x + run].iter().map(|c| c.symbol()).collect();
            if !text.trim().is_empty() {
                let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
                let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                let _ = writeln!(
                    out,
                    "<text x=\"{left}\" y=\"{}\" fill=\"{fg}\"{weight} textLength=\"{length}\" \
                     lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">{text}</text>",
                    top + 14
                );
            }
            x += run;
        }
    }
    out + "</svg>\n"
}
