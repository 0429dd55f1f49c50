//! Build script. Migrations are compiled in, and cargo does not notice a new file among them by itself.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
