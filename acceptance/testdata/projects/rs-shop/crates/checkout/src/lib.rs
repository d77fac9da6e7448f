//! Carts, and what they cost.

mod cart;
mod error;
pub mod quote;
pub mod shipping;
pub mod tax;

pub use cart::{Cart, Line};
pub use error::Error;
