//! Arrays of two and more dimensions as text: a table with a line for each row, with its subscripts.
//!
//! Not here: single values and arrays within a line (`format`), and arrays for a screen (`array`).

use crate::command::Radix;
use crate::eval::context::{Context, Object, Store};
use crate::eval::value::{Eval, Kind, Value};

/// Most rows of a table.
const MOST_ROWS: u64 = 32;
/// Most tables of an array of more dimensions.
const MOST_TABLES: u64 = 8;
/// How many equal elements are shown as one, if they are the whole array.
const LEAST_REPEATED: u64 = 10;
const MOST_COMPARED: u64 = 1 << 20;
/// Columns of the screen that a table may take.
const WIDTH: usize = 100;

impl Context<'_> {
    /// The text of an object for `print`: an array of two or more dimensions by rows.
    pub(crate) fn show_rows(&self, object: &Object, radix: Radix) -> Eval<String> {
        let object = self.bounded(object.clone());
        if object.dims.len() < 2 || object.count()? == 0 || matches!(object.kind, Kind::Derived(..)) {
            return self.show(&object, radix);
        }
        let bounds =
            object.dims.iter().map(|d| format!("{}:{}", d.lower, d.lower.wrapping_add(d.extent.unwrap_or(0) - 1)));
        let mut text = format!("({})", bounds.collect::<Vec<_>>().join(","));
        let extents: Vec<u64> = object.dims.iter().map(|d| d.extent.unwrap_or(0).max(0) as u64).collect();
        if let Some(all) = self.repeated(&object, radix)? {
            return Ok(format!("{text} {all}"));
        }
        let count = extents[2..].iter().fold(1, |n: u64, extent| n.saturating_mul(*extent));
        let size = extents[0].saturating_mul(extents[1]);
        for number in 0..count {
            if number >= MOST_TABLES {
                text.push_str("\n...");
                break;
            }
            if count > 1 {
                let mut rest = number;
                let mut subscripts = String::new();
                for (dim, extent) in object.dims[2..].iter().zip(&extents[2..]) {
                    subscripts.push_str(&format!(",{}", dim.lower.wrapping_add((rest % extent) as i64)));
                    rest /= extent;
                }
                text.push_str(&format!("\n(:,:{subscripts})"));
            }
            self.table(&object, number.saturating_mul(size), [extents[0], extents[1]], radix, &mut text)?;
        }
        Ok(text)
    }

    /// The text of an array whose elements are all equal.
    fn repeated(&self, object: &Object, radix: Radix) -> Eval<Option<String>> {
        let count = object.count()?;
        if !(LEAST_REPEATED..=MOST_COMPARED).contains(&count) {
            return Ok(None);
        }
        let data = self.load(object)?.data;
        let mut elements = data.chunks_exact((object.kind.bytes() as usize).max(1));
        let first = elements.next();
        if elements.any(|e| Some(e) != first) {
            return Ok(None);
        }
        Ok(Some(format!("{} <repeats {count} times>", self.element_text(object, 0, radix)?)))
    }

    /// A table of the rows and columns from element `first` on.
    fn table(&self, object: &Object, first: u64, size: [u64; 2], radix: Radix, text: &mut String) -> Eval<()> {
        let rows = size[0].min(MOST_ROWS);
        let is_cut = size[0] > rows;
        let mut lines: Vec<String> = vec![String::new()];
        lines.extend((0..rows).map(|row| object.dims[0].lower.wrapping_add(row as i64).to_string()));
        lines.extend(is_cut.then(|| "...".to_owned()));
        let add = |lines: &mut Vec<String>, cells: Vec<String>, gap: usize| {
            let width = cells.iter().map(|c| c.chars().count()).max().unwrap_or(0) + gap;
            for (line, cell) in lines.iter_mut().zip(cells) {
                line.push_str(&format!("{cell:>width$}"));
            }
        };
        let labels = std::mem::replace(&mut lines, vec![String::new(); 1 + rows as usize + usize::from(is_cut)]);
        add(&mut lines, labels, 2);
        for column in 0..size[1] {
            let mut cells = vec![object.dims[1].lower.wrapping_add(column as i64).to_string()];
            for row in 0..rows {
                cells.push(self.element_text(
                    object,
                    first.wrapping_add(column.wrapping_mul(size[0])).wrapping_add(row),
                    radix,
                )?);
            }
            let width = cells.iter().map(|c| c.chars().count()).max().unwrap_or(0) + 2;
            if lines[0].chars().count() + width > WIDTH {
                add(&mut lines, vec!["...".to_owned(); 1 + rows as usize], 2);
                break;
            }
            add(&mut lines, cells, 2);
        }
        for line in lines {
            text.push('\n');
            text.push_str(&line);
        }
        Ok(())
    }

    /// The text of element `i` in array element order.
    pub(crate) fn element_text(&self, object: &Object, i: u64, radix: Radix) -> Eval<String> {
        let store = match object.store {
            Store::Memory(address) => Store::Memory(address.wrapping_add_signed(object.offset_of(i))),
            _ => Store::Value(Value { kind: object.kind, dims: Vec::new(), data: self.load_element(object, i)? }),
        };
        self.show(&Object::scalar(object.kind, store), radix)
    }
}
