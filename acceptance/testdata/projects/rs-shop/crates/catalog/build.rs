//! Makes a table of the products in products.txt.

use std::fmt::Write;
use std::{env, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=products.txt");
    let list = fs::read_to_string("products.txt").expect("products.txt is beside build.rs");
    let mut table = String::from("pub static PRODUCTS: &[Product] = &[\n");
    for (name, cents) in list.lines().filter_map(|line| line.split_once(' ')) {
        writeln!(
            table,
            "    Product {{ name: {name:?}, price: Money::new({cents}) }},"
        )
        .unwrap();
    }
    table.push_str("];\n");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("products.rs"), table).expect("OUT_DIR can be written");
}
