//! Quotes what is named on the command line.

use checkout::quote::Quote;
use checkout::{Cart, Error};

fn main() -> Result<(), Error> {
    let mut cart = Cart::default();
    for name in std::env::args().skip(1) {
        cart.add(&name, 1)?;
    }
    let quote = Quote::of(&cart)?;
    println!("{} and {} tax", quote.goods, quote.tax);
    Ok(())
}
