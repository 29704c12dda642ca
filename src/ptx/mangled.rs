//! The names of the source behind those that C++ compilers make (Itanium C++ ABI, 5.1).

/// The name of a function: `scale` of `_Z5scalefi`. Another name stays as it is.
pub(crate) fn function_name(name: &str) -> &str {
    name.strip_prefix("_Z").and_then(identifier).unwrap_or(name)
}

/// The name of a variable that was declared in a function: `t` of `_ZZ9block_sumE1t`. Another name stays as it is.
pub(crate) fn variable_name(name: &str) -> &str {
    let local = name.strip_prefix("_ZZ").and_then(|inside| inside.rsplit_once('E'));
    local.and_then(|(_, name)| identifier(name)).unwrap_or(name)
}

/// A name with its length before it, and perhaps more behind it.
fn identifier(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = text.split_at(digits);
    rest.get(..length.parse().ok()?).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        let functions = ["_Z5scalefi", "scale", "_Zx", "_Z9scale"].map(function_name);
        assert_eq!(functions, ["scale", "scale", "_Zx", "_Z9scale"]);
        let variables = ["_ZZ9block_sumE1t", "t", "_Z1t", "_ZZ9block_sumE0"].map(variable_name);
        assert_eq!(variables, ["t", "t", "_Z1t", "_ZZ9block_sumE0"]);
    }
}
