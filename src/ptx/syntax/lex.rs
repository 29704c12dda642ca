//! The tokens of PTX (PTX ISA 4.2 to 4.5).
//!
//! A word is an identifier or a directive with all its dotted parts, such as `ld.global.v2.f32`, `%tid.x` or `.visible`.

/// A token.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Token<'a> {
    /// An identifier, opcode or directive.
    Word(&'a str),
    /// A constant.
    Number(Number),
    /// A literal, without its quotes.
    Text(&'a str),
    /// Another character.
    Mark(char),
}

/// A constant (PTX ISA 4.5).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    /// An integer, of 64 bits.
    Int(u64),
    /// The bits of a `.f32`.
    Single(u32),
    /// A `.f64`.
    Double(f64),
}

/// A token with its place in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Text that is no token: where, and what is wrong with it.
#[derive(Clone, Debug)]
pub(crate) struct LexError {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) what: String,
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.')
}

/// The tokens of a file.
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed<'_>>, LexError> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let rest = &text[at..];
        let token = match bytes[at] {
            c if c.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with("/*") => {
                let Some(length) = rest[2..].find("*/") else { return Err(error(start, 2, "comment without its end")) };
                at += length + 4;
                continue;
            }
            b'"' => {
                let Some(length) = rest[1..].find(['"', '\n']).filter(|&n| rest.as_bytes()[n + 1] == b'"') else {
                    return Err(error(start, 1, "literal without its closing quote"));
                };
                at += length + 2;
                Token::Text(&rest[1..=length])
            }
            c if c.is_ascii_digit() => {
                at += rest.bytes().take_while(|&c| is_word(c)).count();
                // The exponent of a decimal real may have a sign.
                let word = &text[start..at];
                if word.ends_with(['e', 'E']) && !word.starts_with("0x") && matches!(bytes.get(at), Some(b'+' | b'-')) {
                    at += 1 + bytes[at + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
                }
                let word = &text[start..at];
                Token::Number(number(word).ok_or_else(|| error(start, word.len(), "malformed constant"))?)
            }
            c if is_word(c) => {
                while at < bytes.len() && (is_word(bytes[at]) || text[at..].starts_with("::")) {
                    at += if bytes[at] == b':' { 2 } else { 1 };
                }
                Token::Word(&text[start..at])
            }
            _ => {
                let Some(c) = rest.chars().next() else { break };
                at += c.len_utf8();
                if !c.is_ascii() || c.is_ascii_control() {
                    return Err(error(start, c.len_utf8(), "character that has no meaning in PTX"));
                }
                Token::Mark(c)
            }
        };
        out.push(Placed { token, start: start as u32, end: at as u32 });
    }
    Ok(out)
}

fn error(start: usize, length: usize, what: &str) -> LexError {
    LexError { start: start as u32, end: (start + length) as u32, what: what.to_owned() }
}

/// The value of a constant as it is written.
fn number(word: &str) -> Option<Number> {
    let hexadecimal = |digits: &str, length: usize| {
        u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == length && !digits.starts_with('+'))
    };
    if let Some(digits) = word.strip_prefix("0f").or_else(|| word.strip_prefix("0F")) {
        return Some(Number::Single(hexadecimal(digits, 8)? as u32));
    }
    if let Some(digits) = word.strip_prefix("0d").or_else(|| word.strip_prefix("0D")) {
        return Some(Number::Double(f64::from_bits(hexadecimal(digits, 16)?)));
    }
    let whole = word.strip_suffix('U').unwrap_or(word);
    let (digits, radix) = match whole.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&whole[2..], 16),
        [b'0', b'b' | b'B', ..] => (&whole[2..], 2),
        [b'0', b'0'..=b'7', ..] if whole.bytes().all(|c| c.is_ascii_digit()) => (&whole[1..], 8),
        _ => (whole, 10),
    };
    if radix == 10 && word.contains(['.', 'e', 'E']) {
        return word.parse().ok().map(Number::Double);
    }
    u64::from_str_radix(digits, radix).ok().map(Number::Int)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Token<'_>> {
        tokens(text).map(|all| all.iter().map(|t| t.token).collect()).unwrap_or_default()
    }

    #[test]
    fn words_have_their_dotted_parts() {
        assert_eq!(
            of("ld.global.L1::evict_last.v2.f32 {%f1}, [$a$1+-8]; // end"),
            [
                Token::Word("ld.global.L1::evict_last.v2.f32"),
                Token::Mark('{'),
                Token::Word("%f1"),
                Token::Mark('}'),
                Token::Mark(','),
                Token::Mark('['),
                Token::Word("$a$1"),
                Token::Mark('+'),
                Token::Mark('-'),
                Token::Number(Number::Int(8)),
                Token::Mark(']'),
                Token::Mark(';'),
            ]
        );
        assert_eq!(of("$L_1: x"), [Token::Word("$L_1"), Token::Mark(':'), Token::Word("x")]);
    }

    #[test]
    fn constants_have_their_bits() {
        assert_eq!(
            of("0f3F800000 0d4000000000000000 0x1F 017 12U 1.5 2e-1"),
            [
                Token::Number(Number::Single(0x3f80_0000)),
                Token::Number(Number::Double(2.0)),
                Token::Number(Number::Int(31)),
                Token::Number(Number::Int(15)),
                Token::Number(Number::Int(12)),
                Token::Number(Number::Double(1.5)),
                Token::Number(Number::Double(0.2)),
            ]
        );
    }

    #[test]
    fn what_is_no_token_is_told() {
        for (text, what) in [
            ("a /* b", "comment without its end"),
            ("\"abc", "literal without its closing quote"),
            ("0f12", "malformed constant"),
            ("0xg", "malformed constant"),
            ("é", "character that has no meaning in PTX"),
        ] {
            assert_eq!(tokens(text).map_err(|e| e.what).err().as_deref(), Some(what), "{text}");
        }
    }
}
