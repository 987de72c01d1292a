//! Quoting of text in a command that a person copies.

/// Returns a text as one word of a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./+:@%=".contains(letter);
    let is_plain = !text.is_empty() && text.chars().all(plain);
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
