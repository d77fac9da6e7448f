//go:build unix

package mcppipe

import "syscall"

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
