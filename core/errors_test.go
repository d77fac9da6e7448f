package core_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/core"
)

func TestTransportErrorSaysCodeCauseUnitAndFix(t *testing.T) {
	err := &core.TransportError{Code: core.CodeWrite, Unit: "MCP-CORE §1 p10", Detail: "it happened", Fix: "do this", Err: io.ErrClosedPipe}
	require.EqualError(t, err, "dead-channel: it happened: io: read/write on closed pipe [MCP-CORE §1 p10]; fix: do this")
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.EqualError(t, &core.TransportError{Code: core.CodeRead, Detail: "it happened"}, "read-failed: it happened")
}

func TestTransportErrorsOfOneCodeAreTheSameError(t *testing.T) {
	own := fmt.Errorf("reading: %w", &core.TransportError{Code: core.CodeLineTooLong, Detail: "another limit"})
	require.ErrorIs(t, own, core.ErrLineTooLong)
	require.NotErrorIs(t, &core.TransportError{Code: core.CodeRead}, core.ErrLineTooLong)
	require.NotErrorIs(t, io.EOF, core.ErrLineTooLong)
}
