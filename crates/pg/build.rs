//! Migrations are compiled in; a new file among them is a change that cargo does not see by itself.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
