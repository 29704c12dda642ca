//! The expressions of `#if`: integers of 64 bits, the operators of C with their precedence.

/// How deep parentheses and prefixes may nest.
const MAX_DEPTH: usize = 100;

/// Evaluates an expression in which macros and `defined` were replaced. Names that are left count as 0.
pub(super) fn evaluate(text: &str) -> Result<i64, String> {
    let mut parser = Parser { rest: text.trim_start(), depth: 0 };
    if parser.rest.is_empty() {
        return Err("an expression is missing".into());
    }
    let value = parser.ternary()?;
    if parser.rest.is_empty() { Ok(value) } else { Err(format!("`{}` is out of place", parser.token())) }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

/// Binary operators from the weakest to the strongest; longer ones first within a level.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'a> Parser<'a> {
    fn token(&self) -> &'a str {
        let length = self.rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        &self.rest[..length.max(self.rest.chars().next().map_or(0, char::len_utf8))]
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest[length..].trim_start();
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.rest.starts_with(symbol);
        if found {
            self.skip(symbol.len());
        }
        found
    }

    fn ternary(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the expression is nested too deeply".into());
        }
        let condition = self.binary(0)?;
        let value = if self.take("?") {
            let yes = self.ternary()?;
            if !self.take(":") {
                return Err("`:` is missing after `?`".into());
            }
            let no = self.ternary()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// The operator of a level that comes next. A prefix of a longer operator does not count.
    fn operator(&self, level: usize) -> Option<&'static str> {
        let found = LEVELS[level].iter().copied().find(|op| self.rest.starts_with(op))?;
        let rest = &self.rest[found.len()..];
        let longer = match found {
            "|" => rest.starts_with('|'),
            "&" => rest.starts_with('&'),
            "<" => rest.starts_with('<'),
            ">" => rest.starts_with('>'),
            _ => false,
        };
        (!longer).then_some(found)
    }

    fn binary(&mut self, level: usize) -> Result<i64, String> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(op) = self.operator(level) {
            self.skip(op.len());
            // Both sides are read, but a division by zero that `&&` or `||` leaves out is no error.
            let right = match self.binary(level + 1) {
                Ok(right) => right,
                Err(_) if op == "&&" && left == 0 && self.rest.is_empty() => 0,
                Err(why) => return Err(why),
            };
            left = apply(op, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the expression is nested too deeply".into());
        }
        let value = if self.take("!") {
            i64::from(self.unary()? == 0)
        } else if self.take("-") {
            self.unary()?.wrapping_neg()
        } else if self.take("+") {
            self.unary()?
        } else if self.take("~") {
            !self.unary()?
        } else if self.take("(") {
            let value = self.ternary()?;
            if !self.take(")") {
                return Err("`)` is missing".into());
            }
            value
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn primary(&mut self) -> Result<i64, String> {
        let token = self.token();
        let Some(first) = token.bytes().next() else { return Err("the expression breaks off".into()) };
        if first == b'\'' {
            let inside = self.rest[1..].split('\'').next().unwrap_or("");
            let value = inside.chars().next().ok_or("an empty character constant")?;
            self.skip(inside.len() + 2.min(self.rest.len() - inside.len()));
            return Ok(value as i64);
        }
        if first.is_ascii_digit() {
            let value = number(token).ok_or_else(|| format!("`{token}` is not an integer"))?;
            self.skip(token.len());
            return Ok(value);
        }
        if first.is_ascii_alphabetic() || first == b'_' {
            self.skip(token.len());
            // A call of what is no macro, such as `__has_include(…)`, counts as 0 too.
            if self.rest.starts_with('(') {
                return Err(format!("`{token}` is not a macro with arguments"));
            }
            return Ok(0);
        }
        Err(format!("`{token}` is out of place"))
    }
}

fn number(token: &str) -> Option<i64> {
    let digits = token.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(&digits[1..], 8)
    } else {
        digits.parse::<u64>()
    };
    value.ok().map(|v| v as i64)
}

fn apply(op: &str, a: i64, b: i64) -> Result<i64, String> {
    Ok(match op {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return Err("division by zero".into()),
        "/" => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_the_precedence_of_c() {
        for (text, value) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("1 << 2 + 1", 8),
            ("!0 && 2 > 1", 1),
            ("NAME", 0),
            ("1 ? 2 : 3", 2),
            ("0x10 + 010 + 1L", 25),
            ("5 & 6 | 8", 12),
            ("-3 % 2 == -1", 1),
            ("~0 == -1 || 0", 1),
            ("1 == 2 != 1", 1),
            ("'A'", 65),
        ] {
            assert_eq!(evaluate(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn broken_expressions_are_errors() {
        for text in ["", "1 +", "(1", "1 2", "1 / 0", "\"a\"", "99999999999999999999", "f(1)"] {
            assert!(evaluate(text).is_err(), "{text}");
        }
        assert!(evaluate(&"(".repeat(100_000)).is_err());
        assert!(evaluate(&"!".repeat(100_000)).is_err());
    }
}
