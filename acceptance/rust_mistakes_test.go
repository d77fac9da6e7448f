package acceptance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/tsproject"
)

// mistake is a change to a file of rs-shop that rustc refuses, or one that it
// does not.
type mistake struct {
	name string
	// code is what the mistake is an example of; empty for one without a code.
	// It keeps the list honest and is expected of cargo, not of the server.
	code string
	file string
	// find occurs once in the file and is replaced by text; empty means that
	// text goes to the file's end.
	find, text string
}

func (m mistake) content(t *testing.T, project *tsproject.Project) string {
	t.Helper()
	text, err := project.Read(m.file)
	require.NoError(t, err)
	if m.find == "" {
		return text + "\n" + strings.TrimLeft(m.text, "\n")
	}
	require.Equal(t, 1, strings.Count(text, m.find), "%s: the text to replace occurs once", m.name)
	return strings.Replace(text, m.find, m.text, 1)
}

// The files of rs-shop that mistakes are made in.
const (
	moneyFile    = "crates/money/src/lib.rs"
	catalogFile  = "crates/catalog/src/lib.rs"
	searchFile   = "crates/catalog/src/search.rs"
	cartFile     = "crates/checkout/src/cart.rs"
	errorFile    = "crates/checkout/src/error.rs"
	quoteFile    = "crates/checkout/src/quote.rs"
	shippingFile = "crates/checkout/src/shipping.rs"
	vatFile      = "crates/checkout/src/tax.rs"
	mainFile     = "crates/checkout/src/main.rs"
)

// mistakes are kinds of compile errors, each in code that somebody could have
// meant.
var mistakes = []mistake{
	// Syntax and items.
	{name: "unclosed brace", file: vatFile, find: "goods.times(STANDARD)\n}", text: "goods.times(STANDARD)"},
	{name: "missing semicolon", file: cartFile, find: "line.quantity += quantity;", text: "line.quantity += quantity"},
	{name: "keyword as a name", file: vatFile, text: "pub fn match(n: i64) -> i64 { n }"},
	{name: "unknown macro", file: quoteFile, find: "return Err(Error::Empty);", text: "bail!(Error::Empty);"},
	{name: "too few format arguments", file: mainFile, find: `println!("{} and {} tax", quote.goods, quote.tax);`, text: `println!("{} and {} tax", quote.goods);`},
	{name: "unknown derive", file: shippingFile, find: "#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]", text: "#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]"},
	{name: "unknown attribute", file: vatFile, text: "#[inlined]\npub fn zero() -> Money<Eur> { Money::ZERO }"},
	{name: "missing module file", code: "E0583", file: "crates/checkout/src/lib.rs", text: "mod returns;"},
	{name: "defined twice", code: "E0428", file: vatFile, text: "pub const STANDARD: f64 = 0.2;"},
	{name: "imported twice", code: "E0252", file: errorFile, find: "use std::fmt;", text: "use std::fmt;\nuse std::fmt;"},

	// Names.
	{name: "unknown value", code: "E0425", file: vatFile, find: "goods.times(STANDARD)", text: "goods.times(REDUCED)"},
	{name: "unknown function", code: "E0425", file: quoteFile, find: "tax: tax(goods)", text: "tax: vat(goods)"},
	{name: "unknown type", code: "E0425", file: vatFile, text: "pub fn refund(receipt: Receipt) -> Money<Eur> { receipt.paid }"},
	{name: "unknown trait", code: "E0405", file: shippingFile, text: "impl Weighed for Shipping {}"},
	{name: "unknown import", code: "E0432", file: quoteFile, find: "use crate::tax::tax;", text: "use crate::tax::{reduced, tax};"},
	{name: "unknown path", code: "E0433", file: cartFile, find: "BTreeMap<&'static str, Line>,", text: "collections::BTreeMap<&'static str, Line>,"},
	{name: "unknown crate", code: "E0432", file: mainFile, find: "use checkout::quote::Quote;", text: "use checkout::quote::Quote;\nuse serde::Serialize;"},
	{name: "unknown variant", code: "E0599", file: quoteFile, find: "Err(Error::Empty)", text: "Err(Error::Vacant)"},
	{name: "unknown method", code: "E0599", file: vatFile, find: "goods.times(STANDARD)", text: "goods.multiply(STANDARD)"},
	{name: "unknown associated function", code: "E0599", file: cartFile, text: "pub fn one() -> Money<Eur> { Money::<Eur>::from_cents(1) }"},
	{name: "unknown field", code: "E0609", file: cartFile, find: "line.quantity > Self::MOST", text: "line.amount > Self::MOST"},
	{name: "unknown field in a literal", code: "E0560", file: quoteFile, find: "            tax: tax(goods),\n", text: "            tax: tax(goods),\n            tip: goods,\n"},
	{name: "unknown lifetime", code: "E0261", file: searchFile, find: "pub fn find(name: &str)", text: "pub fn find(name: &'a str)"},
	{name: "unknown label", code: "E0426", file: mainFile, find: "cart.add(&name, 1)?;", text: "if cart.add(&name, 1).is_err() { break 'names; }"},
	{name: "self outside of a method", code: "E0424", file: cartFile, find: "pub fn is_empty(&self) -> bool {", text: "pub fn is_empty() -> bool {"},
	{name: "unknown associated type", code: "E0220", file: vatFile, text: "pub fn first<I: Iterator>(mut amounts: I) -> Option<I::Amount> { amounts.next() }"},

	// Privacy.
	{name: "private field", code: "E0616", file: vatFile, find: "goods.times(STANDARD)", text: "Money::new(goods.cents / 5)"},
	{name: "private field in a literal", code: "E0451", file: vatFile, text: "pub fn cent() -> Money<Eur> { Money { cents: 1, currency: std::marker::PhantomData } }"},
	{name: "private function", code: "E0624", file: quoteFile, text: "mod till {\n    pub struct Till;\n    impl Till {\n        fn open(&self) {}\n    }\n}\n\npub fn ring(till: &till::Till) {\n    till.open()\n}"},
	{name: "private module", code: "E0603", file: mainFile, find: "use checkout::quote::Quote;", text: "use checkout::cart::Line;\nuse checkout::quote::Quote;"},

	// Types.
	{name: "mismatched types", code: "E0308", file: vatFile, find: "goods.times(STANDARD)", text: "goods.cents()"},
	{name: "mismatched argument", code: "E0308", file: mainFile, find: "cart.add(&name, 1)?;", text: "cart.add(name, 1)?;"},
	{name: "mismatched currencies", code: "E0308", file: vatFile, text: "pub fn dollars(n: Money<money::Usd>) -> Money<money::Usd> { n + Money::<Eur>::new(1) }"},
	{name: "mismatched branches", code: "E0308", file: vatFile, text: "pub fn rate(reduced: bool) -> f64 {\n    if reduced { 0.07 } else { \"0.19\" }\n}"},
	{name: "mismatched arms", code: "E0308", file: shippingFile, find: "Shipping::Pickup => Money::ZERO,", text: "Shipping::Pickup => 0,"},
	{name: "missing value at the end", code: "E0308", file: cartFile, find: "self.lines.is_empty()", text: "self.lines.is_empty();"},
	{name: "argument missing", code: "E0061", file: vatFile, find: "goods.times(STANDARD)", text: "goods.times()"},
	{name: "argument of a closure missing", code: "E0057", file: vatFile, text: "pub fn twice() -> i64 {\n    let double = |n: i64| 2 * n;\n    double()\n}"},
	{name: "parameter of a closure missing", code: "E0593", file: searchFile, find: "find(|product| product.name == name)", text: "find(|| true)"},
	{name: "generic argument too many", code: "E0107", file: vatFile, text: "pub fn both(n: Money<Eur, Eur>) -> i64 { 0 }"},
	{name: "type cannot be inferred", code: "E0282", file: mainFile, find: "let mut cart = Cart::default();", text: "let mut cart = Cart::default();\n    let refused = Vec::new();"},
	{name: "type needs an annotation", code: "E0283", file: vatFile, text: "pub fn owed(cents: &[i64]) -> bool {\n    cents.iter().sum() > 0\n}"},
	{name: "not a function", code: "E0618", file: vatFile, find: "goods.times(STANDARD)", text: "goods.times(STANDARD(goods))"},
	{name: "not a struct", code: "E0574", file: vatFile, text: "pub fn tea() -> u8 {\n    let _ = STANDARD { cents: 1 };\n    1\n}"},
	{name: "not a reference", code: "E0614", file: cartFile, find: "line.quantity > Self::MOST", text: "*line.quantity > Self::MOST"},
	{name: "not an iterator", code: "E0277", file: mainFile, find: "std::env::args().skip(1)", text: "std::env::args().len()"},
	{name: "not a type of this cast", code: "E0605", file: vatFile, find: "goods.times(STANDARD)", text: "goods.times(goods as f64)"},
	{name: "cast that needs a value", code: "E0606", file: vatFile, text: "pub fn byte(n: &u32) -> u8 { n as u8 }"},
	{name: "operator for this type", code: "E0369", file: vatFile, find: "goods.times(STANDARD)", text: "goods - goods.times(STANDARD)"},
	{name: "assignment operator for this type", code: "E0368", file: quoteFile, find: "let goods = cart.total();", text: "let mut goods = cart.total();\n        goods += goods;"},
	{name: "negation of this type", code: "E0600", file: vatFile, text: "pub fn back(n: Money<Eur>) -> Money<Eur> { -n }"},
	{name: "index of this type", code: "E0608", file: cartFile, find: "self.lines().max_by_key(|line| line.total())", text: "self.total()[0]"},
	{name: "number of elements", code: "E0308", file: vatFile, text: "pub const RATES: [f64; 3] = [0.19, 0.07];"},
	{name: "type of unbounded size", code: "E0072", file: cartFile, text: "pub struct Order {\n    pub lines: Vec<Line>,\n    pub next: Option<Order>,\n}"},
	{name: "value of unknown size", code: "E0277", file: vatFile, text: "pub fn code(name: str) -> usize { name.len() }"},

	// Patterns.
	{name: "match that is not exhaustive", code: "E0004", file: shippingFile, find: "            Shipping::Pickup => Money::ZERO,\n", text: ""},
	{name: "pattern that can fail", code: "E0005", file: mainFile, find: "let quote = Quote::of(&cart)?;", text: "let Ok(quote) = Quote::of(&cart);"},
	{name: "fields of a variant", code: "E0026", file: shippingFile, find: "Shipping::Parcel { kilograms } => Money::new(4_90 + 50 * i64::from(kilograms)),", text: "Shipping::Parcel { grams, .. } => Money::new(i64::from(grams)),"},
	{name: "field missing in a pattern", code: "E0027", file: errorFile, find: "Error::Unknown { name } => write!(f, \"there is no {name}\"),", text: "Error::Unknown {} => write!(f, \"there is none\"),"},
	{name: "fields of a tuple variant", code: "E0023", file: errorFile, find: "Error::Quantity(n) =>", text: "Error::Quantity(n, _) =>"},
	{name: "field missing in a literal", code: "E0063", file: quoteFile, find: "            tax: tax(goods),\n", text: ""},
	{name: "bound twice", code: "E0416", file: vatFile, text: "pub fn pair(amounts: (i64, i64)) -> i64 {\n    let (a, a) = amounts;\n    a\n}"},
	{name: "parameter named twice", code: "E0415", file: vatFile, text: "pub fn sum(a: i64, a: i64) -> i64 { a }"},

	// Traits.
	{name: "trait bound", code: "E0277", file: vatFile, text: "pub struct Bitcoin;\n\npub fn coins() -> Money<Bitcoin> { Money::new(1) }"},
	{name: "bound of a method", code: "E0599", file: vatFile, text: "pub struct Bitcoin;\n\npub fn half(n: Money<Bitcoin>) -> Money<Bitcoin> { n.times(0.5) }"},
	{name: "question mark for another error", code: "E0277", file: mainFile, find: "cart.add(&name, 1)?;", text: "cart.add(&name, name.parse::<u32>()?)?;"},
	{name: "question mark in a function without a result", code: "E0277", file: cartFile, find: "self.lines.is_empty()", text: "self.dearest()?;\n        true"},
	{name: "no display", code: "E0277", file: mainFile, find: "println!(\"{} and {} tax\", quote.goods, quote.tax);", text: "println!(\"{quote}\");"},
	{name: "derive of what a field lacks", code: "E0277", file: vatFile, text: "pub struct Rate(f64);\n\n#[derive(Debug)]\npub struct Rates {\n    pub standard: Rate,\n}"},
	{name: "type of an associated type", code: "E0271", file: vatFile, text: "pub fn names() -> impl Iterator<Item = String> { [\"vat\"].into_iter() }"},
	{name: "missing trait item", code: "E0046", file: vatFile, text: "impl crate::shipping::Shipped for Money<Eur> {}"},
	{name: "surplus trait item", code: "E0407", file: errorFile, find: "impl std::error::Error for Error {}", text: "impl std::error::Error for Error {\n    fn code(&self) -> u8 {\n        1\n    }\n}"},
	{name: "trait item of another type", code: "E0053", file: shippingFile, find: "impl Shipped for crate::Cart {\n    fn shipping(&self)", text: "impl Shipped for crate::Cart {\n    fn shipping(&mut self)"},
	{name: "trait item with another number of parameters", code: "E0050", file: shippingFile, find: "impl Shipped for crate::Cart {\n    fn shipping(&self)", text: "impl Shipped for crate::Cart {\n    fn shipping(&self, _express: bool)"},
	{name: "foreign trait for a foreign type", code: "E0117", file: vatFile, text: "impl Default for Money<Eur> {\n    fn default() -> Self {\n        Money::ZERO\n    }\n}"},
	{name: "conflicting implementations", code: "E0119", file: moneyFile, text: "impl<C> Clone for Money<C> {\n    fn clone(&self) -> Self {\n        Money { cents: self.cents, currency: PhantomData }\n    }\n}"},
	{name: "method defined twice", code: "E0592", file: moneyFile, text: "impl Money<Eur> {\n    pub fn times(self, factor: i64) -> Self {\n        Self::new(self.cents * factor)\n    }\n}"},
	{name: "trait that makes no objects", code: "E0038", file: vatFile, text: "pub fn symbol(_: &dyn money::Currency) {}"},
	{name: "object with an unnamed associated type", code: "E0191", file: vatFile, text: "pub fn all(_: &dyn Iterator) {}"},
	{name: "implementation of what is no trait", code: "E0404", file: vatFile, text: "pub struct Duty;\n\nimpl Money<Eur> for Duty {}"},
	{name: "parameter that nothing uses", code: "E0392", file: vatFile, text: "pub struct Rate<C> {\n    pub percent: u8,\n}"},
	{name: "parameter that nothing constrains", code: "E0207", file: vatFile, text: "pub struct Rate;\n\nimpl<C> Rate {\n    pub fn of() {}\n}"},
	{name: "copy of what owns something", code: "E0204", file: cartFile, find: "#[derive(Debug, Default)]\npub struct Cart", text: "#[derive(Debug, Default, Clone, Copy)]\npub struct Cart"},

	// Ownership.
	{name: "use after move", code: "E0382", file: quoteFile, find: "    quoted.into_iter()\n", text: "    drop(quoted);\n    quoted.into_iter()\n"},
	{name: "use after move into a loop", code: "E0382", file: quoteFile, find: "    quoted.into_iter()\n", text: "    println!(\"{} carts\", carts.len());\n    quoted.into_iter()\n"},
	{name: "two mutable borrows", code: "E0499", file: mainFile, find: "cart.add(&name, 1)?;", text: "let first = cart.add(&name, 1)?;\n        cart.add(\"tea\", 1)?;\n        first.quantity += 1;"},
	{name: "shared and mutable borrow", code: "E0502", file: mainFile, find: "cart.add(&name, 1)?;", text: "let dearest = cart.dearest();\n        cart.add(&name, 1)?;\n        println!(\"{dearest:?}\");"},
	{name: "move while borrowed", code: "E0505", file: mainFile, find: "let quote = Quote::of(&cart)?;", text: "let lines = cart.lines();\n    drop(cart);\n    println!(\"{} lines\", lines.count());\n    let quote = Quote::of(&Cart::default())?;"},
	{name: "assignment while borrowed", code: "E0506", file: mainFile, find: "let quote = Quote::of(&cart)?;", text: "let lines = cart.lines();\n    cart = Cart::default();\n    println!(\"{} lines\", lines.count());\n    let quote = Quote::of(&cart)?;"},
	{name: "move out of a reference", code: "E0507", file: errorFile, text: "impl Error {\n    pub fn name(&self) -> Option<String> {\n        match *self {\n            Error::Unknown { name } => Some(name),\n            _ => None,\n        }\n    }\n}"},
	{name: "borrow that outlives its value", code: "E0597", file: mainFile, find: "let quote = Quote::of(&cart)?;", text: "let dearest = {\n        let other = Cart::default();\n        other.dearest()\n    };\n    println!(\"{dearest:?}\");\n    let quote = Quote::of(&cart)?;"},
	{name: "borrow of a temporary", code: "E0716", file: mainFile, find: "let quote = Quote::of(&cart)?;", text: "let dearest = Cart::default().dearest();\n    println!(\"{dearest:?}\");\n    let quote = Quote::of(&cart)?;"},
	{name: "reference to a local returned", code: "E0515", file: vatFile, text: "pub fn label(rate: f64) -> &'static str {\n    let text = format!(\"{rate} %\");\n    &text\n}"},
	{name: "closure that outlives what it borrows", code: "E0373", file: quoteFile, find: "thread::spawn(move ||", text: "thread::spawn(||"},
	{name: "change of what is not mutable", code: "E0596", file: mainFile, find: "let mut cart", text: "let cart"},
	{name: "change behind a shared reference", code: "E0594", file: cartFile, find: "self.product.price.times(f64::from(self.quantity))", text: "self.quantity += 1;\n        self.product.price.times(f64::from(self.quantity))"},
	{name: "second assignment", code: "E0384", file: cartFile, find: "line.quantity += quantity;", text: "quantity += 1;\n        line.quantity += quantity;"},
	{name: "use before a value", code: "E0381", file: vatFile, text: "pub fn rate() -> f64 {\n    let rate: f64;\n    rate\n}"},
	{name: "not to be sent to a thread", code: "E0277", file: quoteFile, find: "let quotes = quotes.clone();", text: "let quotes = std::rc::Rc::new(quotes.clone());"},
	{name: "missing lifetime", code: "E0106", file: vatFile, text: "pub fn longer(a: &str, b: &str) -> &str {\n    if a.len() < b.len() { b } else { a }\n}"},
	{name: "missing lifetime in a struct", code: "E0106", file: cartFile, text: "pub struct View {\n    pub cart: &Cart,\n}"},
	{name: "lifetime that is too short", code: "", file: vatFile, text: "pub fn first<'a, 'b>(a: &'a str, _: &'b str) -> &'b str {\n    a\n}"},
	{name: "bound of a type's lifetime", code: "E0310", file: vatFile, text: "pub fn boxed<T: std::fmt::Display>(value: T) -> Box<dyn std::fmt::Display> {\n    Box::new(value)\n}"},

	// Functions and constants.
	{name: "unsafe call", code: "E0133", file: vatFile, text: "pub fn text(bytes: &[u8]) -> &str { std::str::from_utf8_unchecked(bytes) }"},
	{name: "await outside of async", code: "E0728", file: vatFile, text: "pub fn wait() -> i64 { std::future::ready(1).await }"},
	{name: "break outside of a loop", code: "E0268", file: vatFile, text: "pub fn stop() { break; }"},
	{name: "return outside of a function", code: "E0572", file: vatFile, text: "pub const RATE: f64 = return 0.19;"},
	{name: "call that is not constant", code: "E0015", file: vatFile, text: "pub const NAME: String = String::from(\"VAT\");"},
	{name: "value that is not constant", code: "E0435", file: vatFile, text: "pub fn table(n: usize) -> usize { [0; n].len() }"},
	{name: "overflow in a constant", code: "E0080", file: vatFile, text: "pub const HUNDREDS: u8 = 200 + 100;"},
	{name: "literal out of range", code: "overflowing_literals", file: vatFile, text: "pub fn big() -> u8 { 300 }"},
	{name: "discriminant twice", code: "E0081", file: vatFile, text: "pub enum Rate {\n    Standard = 1,\n    Reduced = 1,\n}"},
	{name: "placeholder as a type", code: "E0121", file: vatFile, text: "pub fn rate() -> _ { 0.19 }"},
	{name: "main without an executable's result", code: "E0277", file: mainFile, find: "fn main() -> Result<(), Error> {", text: "fn main() -> Result<u32, Error> {"},
	{name: "compile_error", file: vatFile, text: "compile_error!(\"no tax is due\");"},
	{name: "error in a macro's text", code: "E0308", file: vatFile, text: "macro_rules! percent {\n    ($n:expr) => {\n        $n / 100\n    };\n}\n\npub fn rate() -> f64 {\n    percent!(19)\n}"},
	{name: "error after text outside of ASCII", code: "E0308", file: vatFile, text: "pub fn rate() -> f64 { /* 💡 é */ \"19 %\" }"},

	// The build script.
	{name: "error in a build script", code: "E0599", file: "crates/catalog/build.rs", find: "String::from(\"pub static PRODUCTS: &[Product] = &[\\n\")", text: "\"pub static PRODUCTS: &[Product] = &[\\n\""},
}

// changesThatBreakOthers are faultless by themselves, and cargo does not get
// through with them: what is wrong is in another file of the crate.
var changesThatBreakOthers = []mistake{
	{name: "a field that generated code lacks", file: catalogFile, find: "pub price: Money<Eur>,", text: "pub price: Money<Eur>,\n    pub stock: u32,"},
	{name: "a function that a sibling calls is renamed", file: vatFile, find: "pub fn tax(", text: "pub fn vat("},
	{name: "a variant that a sibling matches has another field", file: errorFile, find: "Quantity(u32)", text: "Quantity(u64)"},
}

// soundChanges compile, some with a warning.
var soundChanges = []mistake{
	{name: "nothing", file: cartFile, text: ""},
	{name: "a function more", file: vatFile, text: "/// What is left without the tax.\npub fn net(gross: Money<Eur>) -> Money<Eur> {\n    gross.times(1.0 / (1.0 + STANDARD))\n}"},
	{name: "a generic function", file: moneyFile, text: "pub fn largest<C: Currency + Copy + Ord>(amounts: &[Money<C>]) -> Option<Money<C>> {\n    amounts.iter().copied().max()\n}"},
	{name: "a trait and a closure", file: shippingFile, text: "pub trait Cheapest: Iterator<Item = Shipping> + Sized {\n    fn cheapest(self) -> Option<Shipping> {\n        self.min_by_key(|way| way.price())\n    }\n}\n\nimpl<I: Iterator<Item = Shipping>> Cheapest for I {}"},
	{name: "a macro", file: vatFile, text: "macro_rules! rates {\n    ($($name:ident = $percent:expr),*) => { $(pub const $name: f64 = $percent as f64 / 100.0;)* };\n}\n\nrates!(REDUCED = 7, NONE = 0);"},
	{name: "asynchronous code", file: quoteFile, text: "pub async fn quote_later(cart: Cart) -> Result<Money<Eur>, Error> {\n    let quote = std::future::ready(Quote::of(&cart)).await?;\n    Ok(quote.total())\n}"},
	{name: "a module of its own", file: vatFile, text: "pub mod reduced {\n    use super::{Eur, Money};\n\n    pub fn tax(goods: Money<Eur>) -> Money<Eur> {\n        goods.times(0.07)\n    }\n}"},
	{name: "let else and a slice pattern", file: cartFile, text: "pub fn first_two(lines: &[Line]) -> Option<(&Line, &Line)> {\n    let [first, second, ..] = lines else {\n        return None;\n    };\n    Some((first, second))\n}"},
	{name: "an unused variable", code: "unused_variables", file: vatFile, text: "pub fn spare() {\n    let rate = 0.07;\n}"},
	{name: "an unused import", code: "unused_imports", file: vatFile, find: "use money::{Eur, Money};", text: "use money::{Eur, Money, Usd};"},
	{name: "dead code", code: "dead_code", file: vatFile, text: "fn spare() {}"},
	{name: "a result that is not looked at", code: "unused_must_use", file: mainFile, find: "cart.add(&name, 1)?;", text: "cart.add(&name, 1);"},
	{name: "a name in another style", code: "non_snake_case", file: vatFile, text: "pub fn netAmount() {}"},
	{name: "a deprecated function", code: "deprecated", file: vatFile, text: "#[deprecated = \"use tax\"]\npub fn vat() {}\n\npub fn both() {\n    vat()\n}"},
	{name: "Windows line ends", file: vatFile, text: "pub fn a() {}\r\npub fn b() {}\r\n"},
}
