use checkout::quote::{quote_all, Quote};
use checkout::{Cart, Error};

#[test]
fn a_cart_costs_its_goods_tax_and_shipping() {
    let mut cart = Cart::default();
    cart.add("tea", 2).unwrap();
    cart.add("book", 1).unwrap();
    let quote = Quote::of(&cart).unwrap();
    assert_eq!(quote.total().cents(), 27_30 + 5_19 + 5_40);
    assert_eq!(cart.dearest().unwrap().product.name, "book");
}

#[test]
fn carts_are_quoted_in_parallel() {
    let quotes = quote_all(vec![Cart::default(), Cart::default()]);
    assert!(quotes.into_iter().all(|quote| quote == Err(Error::Empty)));
}
