// Package minilm makes vectors with all-MiniLM-L6-v2, or any BERT of that build, in
// plain Go: no server, no cgo, nothing downloaded. It reads the folder of the model as
// its makers publish it: config.json, tokenizer.json and model.safetensors.
//
// A text counts by its first 256 pieces of words; the vector is the mean over them,
// brought to length one.
package minilm
