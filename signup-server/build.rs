//! Writes a method for each English text. So code and templates that name a text or an argument that does not exist do not compile,
//! and a text that nothing uses is a warning.

#[path = "src/texts/messages.rs"]
mod messages;

use std::{env, fs, io};

use messages::{Message, messages};

const ENGLISH: &str = "templates/en.ftl";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={ENGLISH}");
    println!("cargo::rerun-if-changed=src/texts/messages.rs");
    let file = fs::read_to_string(ENGLISH)?;
    let methods: String = messages(&file).iter().map(method).collect();
    let directory = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(format!("{directory}/texts.rs"), format!("impl Texts {{\n{methods}}}\n"))
}

/// Returns the method of a message. Its parameters are the arguments, in the order in which the English text shows them.
fn method(Message { id, text, arguments }: &Message<'_>) -> String {
    let name = id.replace('-', "_");
    let parameters: String =
        arguments.iter().map(|argument| format!(", {}: impl Argument", argument.replace('-', "_"))).collect();
    let values: String = arguments
        .iter()
        .map(|argument| format!("(\"{argument}\", &{} as &dyn Argument), ", argument.replace('-', "_")))
        .collect();
    let (kind, format) = if id.ends_with("-html") { ("Html", "html") } else { ("String", "text") };
    let doc: String = text.lines().map(|line| format!("    /// {line}\n")).collect();
    format!(
        "    /// ```ftl\n{doc}    /// ```\n    pub(crate) fn {name}(self{parameters}) -> {kind} {{\n        \
         self.{format}(\"{id}\", &[{values}])\n    }}\n"
    )
}
