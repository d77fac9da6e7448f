module vibevm.org/apps

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	go.uber.org/fx v1.24.0
	go.uber.org/goleak v1.3.0
	vibevm.org/adapters v0.0.0
	vibevm.org/core v0.0.0
	vibevm.org/tcgfamily v0.0.0
	vibevm.org/workspace v0.0.0
)

require (
	github.com/sourcegraph/jsonrpc2 v0.2.3 // indirect
	go.uber.org/dig v1.19.0 // indirect
	go.uber.org/multierr v1.10.0 // indirect
	go.uber.org/zap v1.26.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace (
	vibevm.org/adapters => ../adapters
	vibevm.org/core => ../core
	vibevm.org/tcgfamily => ../tcgfamily
	vibevm.org/workspace => ../workspace
)
