package main

type doctorCmd struct {
	Cache doctorCacheCmd `cmd:"" help:"Say which part of the prompt changed between model calls, and what it cost."`
}
