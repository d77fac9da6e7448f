package shadow_test

import (
	"fmt"
	"testing"
)

func TestHypotheticalTextIsChecked(t *testing.T) {
	c := newChecker(t, crate(t))
	requireClean(t, c.check("src/lib.rs", nil))
	r := c.check("src/lib.rs", files{"src/lib.rs": "pub fn one() -> u32 { \"x\" }\n"})
	fmt.Printf("%+v\n", r)
	requireClean(t, c.check("src/lib.rs", nil))
}
