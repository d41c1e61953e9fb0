//! The Signup service over HTTP.
fn main() {}
