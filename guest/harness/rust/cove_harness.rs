// The main of a harnessed Rust program, which provides
// fn run(input: serde_json::Value) -> serde_json::Value.
extern crate serde_json;

mod prelude {
    #[allow(unused_imports)]
    pub use serde_json::{json, Value};
}

mod program {
    // A glob, so that a program that says the same by itself is not told that it is said twice.
    #[allow(unused_imports)]
    use super::prelude::*;

    include!(env!("COVE_ENTRY"));

    // All of the harness that the program's own names could be in the way of.
    pub(super) fn cove_run(input: ::serde_json::Value) -> ::serde_json::Value {
        run(input)
    }
}

fn main() {
    let program = std::env::args_os().nth(1).expect("the program's path");
    let path = std::path::Path::new(&program).with_file_name("input.json");
    let input: serde_json::Value = std::fs::read(path)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or(serde_json::Value::Null);
    let output = program::cove_run(input);
    // Always on a line of its own: what is in front of that newline is what the program printed.
    println!("\n{}", output);
}
