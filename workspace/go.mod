module vibevm.org/workspace

go 1.26.0

require github.com/stretchr/testify v1.12.1 // indirect
