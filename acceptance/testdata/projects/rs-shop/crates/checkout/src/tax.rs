//! Value added tax.

use money::{Eur, Money};

/// The rate that applies to most goods.
pub const STANDARD: f64 = 0.19;

/// The value added tax on goods.
pub fn tax(goods: Money<Eur>) -> Money<Eur> {
    goods.times(STANDARD)
}
