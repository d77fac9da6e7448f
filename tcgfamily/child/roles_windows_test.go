package child_test

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

var ignorable = []os.Signal{os.Interrupt}
