//! What the shop sells.

mod search;

use money::{Eur, Money};

pub use search::{find, search};

/// Something to buy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    pub name: &'static str,
    pub price: Money<Eur>,
}

// The table that build.rs makes of products.txt.
include!(concat!(env!("OUT_DIR"), "/products.rs"));
