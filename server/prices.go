package server

import (
	"context"
	"errors"
	"os"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// maxPriceFile bounds the operator's price table.
const maxPriceFile = 1 << 20

// prices reads the operator's price table, or gives the one that is built in.
func (c Config) prices() (agent.Prices, error) {
	if c.PriceFile == "" {
		return policy.DefaultPrices(), nil
	}
	info, err := os.Stat(c.PriceFile)
	if err == nil && info.Size() > maxPriceFile {
		err = errors.New("it is larger than 1 MiB")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(c.PriceFile)
	}
	if err != nil {
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "The price table " + c.PriceFile + " cannot be read.",
			Hint: "Name a JSON file in prices, or leave the member out.", Cause: err}
	}
	table, err := policy.ParsePrices(data)
	var ours *agent.Error
	if errors.As(err, &ours) {
		return nil, &agent.Error{Code: ours.Code, Pointer: ours.Pointer, Hint: ours.Hint, Cause: ours.Cause,
			Message: "The price table " + c.PriceFile + " is wrong at " + ours.Pointer + ": " + ours.Message}
	}
	return table, err
}

// recordEgress tells the turn on whose behalf a request went, if there is one.
func recordEgress(ctx context.Context, e outbound.Egress) {
	line := agent.EgressLine{Host: e.Host, Purpose: e.Purpose, Requests: 1, BytesOut: e.BytesOut, BytesIn: e.BytesIn,
		FirstAt: e.At.UnixMilli(), At: e.At.UnixMilli()}
	if e.Status == 0 || e.Status >= 400 {
		line.Failures = 1
	}
	agent.RecordEgress(ctx, line)
}
