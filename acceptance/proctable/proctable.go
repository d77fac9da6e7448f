// Package proctable reads Linux's process table: who belongs to a process
// session and in which state. A zombie counts; asking with signal 0 would call
// it alive.
package proctable

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process is one row.
type Process struct {
	Pid, Parent, Session int
	// State is the letter of /proc, such as S for sleeping and Z for a zombie.
	State string
	// Command is the command line; empty for a zombie.
	Command []string
	// RSS is the resident set, PeakRSS the largest so far, in bytes.
	RSS, PeakRSS int64
}

// String renders the row for a failure message.
func (p Process) String() string {
	return fmt.Sprintf("pid %d (state %s, parent %d): %s", p.Pid, p.State, p.Parent, strings.Join(p.Command, " "))
}

// InSession lists the processes of a session, its leader included.
func InSession(session int) []Process {
	return list(func(p Process) bool { return p.Session == session })
}

// ChildrenOf lists the direct children of a process.
func ChildrenOf(pid int) []Process {
	return list(func(p Process) bool { return p.Parent == pid })
}

// Naming lists the processes whose command line holds a text.
func Naming(text string) []Process {
	return list(func(p Process) bool { return strings.Contains(strings.Join(p.Command, " "), text) })
}

// Get reads one row; false when there is no such process.
func Get(pid int) (Process, bool) { return read(pid) }

func list(keep func(Process) bool) []Process {
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var kept []Process
	for _, entry := range entries {
		pid, err := strconv.Atoi(filepath.Base(entry))
		if err != nil {
			continue
		}
		if p, ok := read(pid); ok && keep(p) {
			kept = append(kept, p)
		}
	}
	return kept
}

func read(pid int) (Process, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return Process{}, false
	}
	// The name in parentheses may hold spaces; the fields after it do not.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 4 {
		return Process{}, false
	}
	p := Process{Pid: pid, State: fields[0]}
	p.Parent, _ = strconv.Atoi(fields[1])
	p.Session, _ = strconv.Atoi(fields[3])
	if line, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil && len(line) > 0 {
		p.Command = strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	}
	if status, err := os.ReadFile(filepath.Join(dir, "status")); err == nil {
		p.RSS, p.PeakRSS = kilobytes(string(status), "VmRSS:"), kilobytes(string(status), "VmHWM:")
	}
	return p, true
}

// kilobytes reads an amount of memory of /proc, in bytes.
func kilobytes(status, name string) int64 {
	_, rest, ok := strings.Cut(status, name)
	if !ok {
		return 0
	}
	kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kb << 10
}
