//! The document of the tables: `cargo run -p countersign-core --example programs > docs/programs.md`.
#![allow(clippy::print_stdout, reason = "it prints a document")]

fn main() {
    print!("{}", countersign_core::shell::programs_document());
}
