//! What a cart costs in the end.

use std::sync::mpsc;
use std::thread;

use money::{Eur, Money};

use crate::shipping::Shipped;
use crate::tax::tax;
use crate::{Cart, Error};

/// What a cart costs in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    pub goods: Money<Eur>,
    pub tax: Money<Eur>,
    pub shipping: Money<Eur>,
}

impl Quote {
    pub fn of(cart: &Cart) -> Result<Self, Error> {
        if cart.is_empty() {
            return Err(Error::Empty);
        }
        let goods = cart.total();
        Ok(Quote {
            goods,
            tax: tax(goods),
            shipping: cart.shipping().price(),
        })
    }

    pub fn total(&self) -> Money<Eur> {
        self.goods + self.tax + self.shipping
    }
}

/// Quotes carts on threads of their own, in no order.
pub fn quote_all(carts: Vec<Cart>) -> impl Iterator<Item = Result<Quote, Error>> {
    let (quotes, quoted) = mpsc::channel();
    for cart in carts {
        let quotes = quotes.clone();
        thread::spawn(move || quotes.send(Quote::of(&cart)));
    }
    quoted.into_iter()
}
