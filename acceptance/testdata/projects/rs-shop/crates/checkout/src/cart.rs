use std::collections::BTreeMap;

use catalog::Product;
use money::{Eur, Money};

use crate::Error;

/// A product and how many of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub product: &'static Product,
    pub quantity: u32,
}

impl Line {
    pub fn total(&self) -> Money<Eur> {
        self.product.price.times(f64::from(self.quantity))
    }
}

/// What somebody is about to buy.
#[derive(Debug, Default)]
pub struct Cart {
    lines: BTreeMap<&'static str, Line>,
}

impl Cart {
    pub const MOST: u32 = 100;

    /// Puts a quantity of a product into the cart.
    pub fn add(&mut self, name: &str, quantity: u32) -> Result<&mut Line, Error> {
        let product = catalog::find(name).ok_or_else(|| Error::Unknown {
            name: name.to_owned(),
        })?;
        let line = self.lines.entry(product.name).or_insert(Line {
            product,
            quantity: 0,
        });
        line.quantity += quantity;
        if line.quantity > Self::MOST {
            return Err(Error::Quantity(line.quantity));
        }
        Ok(line)
    }

    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.values()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The line that costs most.
    pub fn dearest(&self) -> Option<&Line> {
        self.lines().max_by_key(|line| line.total())
    }

    pub fn total(&self) -> Money<Eur> {
        self.lines().map(Line::total).sum()
    }
}
