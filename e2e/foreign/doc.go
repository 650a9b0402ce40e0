// Package foreign plays the rounds of rounds.json against the fake provider
// twice: with the makers' own npm SDKs (play.mjs) and with our adapters. Both
// must hear the same text, calls, usage and errors; so the fake is held to the
// real clients, and the adapters to the fake.
package foreign
