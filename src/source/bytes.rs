//! Bytes of source files that are not UTF-8, as in files in Latin-1, within texts that are.
//!
//! Such a byte becomes a character of Unicode's last private area, so that literals can have it back as it was and every other
//! part of a program stays text. People are shown the letter of Latin-1.

use std::borrow::Cow;

/// The character that stands for byte 0.
const FIRST: u32 = 0x0010_ff00;

/// The text of a file. What is not UTF-8 in it, and what looks like a character that stands for a byte, is kept byte by byte.
pub fn decode(bytes: Vec<u8>) -> String {
    let text = match String::from_utf8(bytes) {
        Ok(text) if !text.chars().any(|c| byte_of(c).is_some()) => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            if byte_of(c).is_some() {
                out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(standing_for));
            } else {
                out.push(c);
            }
        }
        out.extend(chunk.invalid().iter().copied().map(standing_for));
    }
    out
}

/// The bytes of a part of a decoded text, as they are in the file.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.chars().any(|c| byte_of(c).is_some()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => out.push(byte),
            None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(out)
}

/// A part of a decoded text for people to read: bytes that are not UTF-8 are those of Latin-1.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| byte_of(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| byte_of(c).map_or(c, char::from)).collect())
}

fn standing_for(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a character stands for.
fn byte_of(c: char) -> Option<u8> {
    u32::from(c).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (1..=255).collect();
        assert_eq!(&*encode(&decode(all.clone())), &all[..]);
        // A character of UTF-8 stays one, also beside bytes that are none; one that would stand for a byte stays its bytes.
        for bytes in [&b"\xc3\xa9 \xe9"[..], b"\xf4\x8f\xbe\x81", b"\xe2\x82", b"plain", "\u{e9}\u{10ff00}".as_bytes()]
        {
            assert_eq!(&*encode(&decode(bytes.to_vec())), bytes);
        }
    }

    #[test]
    fn people_see_latin_1() {
        assert_eq!(shown(&decode(b"caf\xe9 \xc3\xa9".to_vec())), "café é");
        assert_eq!(decode("café".into()), "café");
    }
}
