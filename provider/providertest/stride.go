//go:build !race

package providertest

// stride is how many bytes lie between two cuts: none is left out.
const stride = 1
