use std::fmt;

/// Why a cart cannot be filled or quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    Unknown { name: String },
    Quantity(u32),
    Empty,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unknown { name } => write!(f, "there is no {name}"),
            Error::Quantity(n) => write!(f, "{n} is more than we have"),
            Error::Empty => f.write_str("the cart is empty"),
        }
    }
}

impl std::error::Error for Error {}
