package wire

import (
	"fmt"
	"io"
	"log/slog"
)

// levelOf is the level name in an environment variable. An unknown one logs
// nothing: a host may pass on an environment that nobody wrote for this server,
// and that is no reason not to serve.
func levelOf(value string) string {
	if _, err := newLogger(value, io.Discard); err != nil {
		return ""
	}
	return value
}

// newLogger makes the logger of a level name: "" logs nothing, since hosts show
// anything on stderr as a failure.
func newLogger(level string, stderr io.Writer) (*slog.Logger, error) {
	switch level {
	case "":
		return slog.New(slog.DiscardHandler), nil
	case "info":
		return slog.New(slog.NewTextHandler(stderr, nil)), nil
	case "debug":
		return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug})), nil
	}
	return nil, fmt.Errorf("log level %q is not one of debug, info", level)
}
