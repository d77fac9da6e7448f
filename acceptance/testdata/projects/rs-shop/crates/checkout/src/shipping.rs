//! What bringing the goods costs.

use money::{Eur, Money};

/// How goods are brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shipping {
    Letter,
    Parcel { kilograms: u32 },
    Pickup,
}

impl Shipping {
    pub fn price(self) -> Money<Eur> {
        match self {
            Shipping::Letter => Money::new(1_60),
            Shipping::Parcel { kilograms } => Money::new(4_90 + 50 * i64::from(kilograms)),
            Shipping::Pickup => Money::ZERO,
        }
    }
}

/// Something that knows how it is brought.
pub trait Shipped {
    fn shipping(&self) -> Shipping;

    fn weightless(&self) -> bool {
        self.shipping() == Shipping::Letter
    }
}

impl Shipped for crate::Cart {
    fn shipping(&self) -> Shipping {
        match self.lines().map(|line| line.quantity).sum() {
            0 => Shipping::Pickup,
            1 => Shipping::Letter,
            n => Shipping::Parcel { kilograms: n / 2 },
        }
    }
}
