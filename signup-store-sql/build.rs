//! Migrations are embedded: a new one has to reach the binary.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
