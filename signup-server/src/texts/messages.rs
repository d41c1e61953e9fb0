//! The messages of a file in Fluent's syntax, as the build script and the tests need them.

/// A message: a text with arguments.
pub(crate) struct Message<'a> {
    pub(crate) id: &'a str,
    /// The message as it is written, without the id.
    pub(crate) text: &'a str,
    /// The name of each argument, in the order in which the text shows them. Those that only choose between variants come last.
    pub(crate) arguments: Vec<&'a str>,
}

/// Returns the messages of a file, in its order. A message begins at the start of a line, and its further lines do not begin with a
/// letter or with the `#` of a comment.
pub(crate) fn messages(file: &str) -> Vec<Message<'_>> {
    let mut starts = vec![];
    let mut at = 0;
    for line in file.split_inclusive('\n') {
        if line.starts_with(|first: char| first.is_ascii_alphabetic() || first == '#') {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([file.len()]);
    let entries = starts.iter().zip(ends).filter_map(|(start, end)| file[*start..end].split_once(" ="));
    let entries = entries.filter(|(id, _)| !id.starts_with('#'));
    entries.map(|(id, text)| Message { id, text: text.trim(), arguments: arguments(text) }).collect()
}

fn arguments(text: &str) -> Vec<&str> {
    let (mut shown, mut choosing) = (vec![], vec![]);
    for rest in text.split('$').skip(1) {
        let end = rest.find(|next: char| !next.is_ascii_alphanumeric() && next != '-');
        let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
        if rest.trim_start().starts_with("->") { choosing.push(name) } else { shown.push(name) }
    }
    let mut names = vec![];
    for name in shown.into_iter().chain(choosing) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
