// The main of a harnessed Rust program, which provides
// fn run(input: serde_json::Value) -> serde_json::Value.
extern crate serde_json;

mod prelude {
    #[allow(unused_imports)]
    pub use serde_json::Value;
}

mod program {
    // A glob, so that a program that says the same by itself is not told that it is said twice.
    #[allow(unused_imports)]
    use super::prelude::*;

    include!(env!("COVE_ENTRY"));

    pub fn cove_main() {
        let program = std::env::args_os().nth(1).expect("the program's path");
        let path = std::path::Path::new(&program).with_file_name("input.json");
        let input: serde_json::Value = std::fs::read(path)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or(serde_json::Value::Null);
        let output: serde_json::Value = run(input);
        println!("\n{}", output);
    }
}

fn main() {
    program::cove_main();
}
