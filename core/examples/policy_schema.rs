//! Prints the JSON Schema of policy documents: what `cargo xtask schema` commits.

fn main() {
    print!("{}", retrywise::policy::schema());
}
