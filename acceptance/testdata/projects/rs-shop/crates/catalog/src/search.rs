use crate::{Product, PRODUCTS};

/// The product of a name.
pub fn find(name: &str) -> Option<&'static Product> {
    PRODUCTS.iter().find(|product| product.name == name)
}

/// The products whose names begin with a text.
pub fn search(prefix: &str) -> impl Iterator<Item = &'static Product> + '_ {
    PRODUCTS
        .iter()
        .filter(move |product| product.name.starts_with(prefix))
}
