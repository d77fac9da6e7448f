// Command demo holds a real MCP session with bin/typescript-ai-native-mcp about
// code that is not on disk, and prints what was asked, what was answered, and
// how long it took, beside what tsc takes for the same question. `make demo`
// runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	shop, err := prepare(ctx)
	if err != nil {
		return err
	}
	before, err := shop.Checksum()
	if err != nil {
		return err
	}
	fmt.Printf("The project: ts-shop, typescript 7.0.2, installed in %s\n", short(shop.Dir))
	fmt.Printf("Its checksum before the session: %.16s\n", before)

	var table timings
	if err := converse(ctx, shop, &table); err != nil {
		return err
	}
	after, err := shop.Checksum()
	if err != nil {
		return err
	}
	fmt.Printf("\nThe project's checksum after the session: %.16s\n", after)
	if before != after {
		return fmt.Errorf("the session wrote into the project")
	}
	fmt.Println("Nothing was written.")
	if err := table.measureTsc(ctx, shop); err != nil {
		return err
	}
	table.print(os.Stdout)
	return nil
}
