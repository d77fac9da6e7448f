//! Amounts of money, with the currency in their type.

use std::fmt;
use std::iter::Sum;
use std::marker::PhantomData;
use std::ops::Add;

/// A currency.
pub trait Currency {
    /// What amounts are written with.
    const SYMBOL: &'static str;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Eur;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd;

impl Currency for Eur {
    const SYMBOL: &'static str = "€";
}

impl Currency for Usd {
    const SYMBOL: &'static str = "$";
}

/// An amount in hundredths of its currency's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money<C> {
    cents: i64,
    currency: PhantomData<C>,
}

impl<C: Currency> Money<C> {
    pub const ZERO: Self = Self::new(0);

    pub const fn new(cents: i64) -> Self {
        Money {
            cents,
            currency: PhantomData,
        }
    }

    pub const fn cents(self) -> i64 {
        self.cents
    }

    /// The amount times a factor, rounded half away from zero.
    pub fn times(self, factor: f64) -> Self {
        Self::new((self.cents as f64 * factor).round() as i64)
    }
}

impl<C: Currency> Add for Money<C> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.cents + other.cents)
    }
}

impl<C: Currency> Sum for Money<C> {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl<C: Currency> fmt::Display for Money<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}.{:02}",
            C::SYMBOL,
            self.cents / 100,
            self.cents.abs() % 100
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_add_up() {
        let prices = [Money::<Eur>::new(3_50), Money::new(1_25)];
        assert_eq!(prices.into_iter().sum::<Money<Eur>>().to_string(), "€4.75");
    }
}
