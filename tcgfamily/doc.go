// Package tcgfamily is the portable tool family of PROP-026: the four type
// oracle tools (tcg_validate, tcg_scope, tcg_complete, tcg_type), their
// schemas, argument checks and rendering, and the OracleRegistry that keeps one
// warm oracle process per language behind them.
//
// It knows neither MCP nor any project layout. A server mounts it through
// Family.Tools and Family.Call; the project it serves reaches it through the
// TcgHost and OracleBinaries ports.
package tcgfamily
