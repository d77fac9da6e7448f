module vibevm.org/adapters

go 1.26.0

require (
	github.com/sourcegraph/jsonrpc2 v0.2.3
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
	vibevm.org/core v0.0.0
	vibevm.org/tcgfamily v0.0.0
	vibevm.org/workspace v0.0.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace (
	vibevm.org/core => ../core
	vibevm.org/tcgfamily => ../tcgfamily
	vibevm.org/workspace => ../workspace
)
