package minilm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// maxHeader bounds the header of a file of tensors.
const maxHeader = 16 << 20

// tensors is a file in the safetensors form: the length of a JSON header, the header,
// and the members, which its offsets lead to.
type tensors struct {
	header map[string]entry
	data   []byte
}

type entry struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

func openTensors(file []byte) (*tensors, error) {
	if len(file) < 8 {
		return nil, errors.New("the file of tensors is too short")
	}
	n := binary.LittleEndian.Uint64(file)
	if n > maxHeader || n > uint64(len(file)-8) {
		return nil, errors.New("the header of the tensors is longer than the file")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+n], &raw); err != nil {
		return nil, fmt.Errorf("the header of the tensors cannot be read: %w", err)
	}
	t := &tensors{header: map[string]entry{}, data: file[8+n:]}
	for name, text := range raw {
		if name == "__metadata__" {
			continue
		}
		var e entry
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, fmt.Errorf("the tensor %s cannot be read: %w", name, err)
		}
		t.header[name] = e
	}
	return t, nil
}

// floats gives a tensor of a shape, whose members are 32-bit floats.
func (t *tensors) floats(name string, shape ...int) ([]float32, error) {
	e, ok := t.header[name]
	if !ok {
		return nil, fmt.Errorf("there is no tensor %s", name)
	}
	size := 1
	for _, n := range shape {
		size *= n
	}
	if e.Type != "F32" || fmt.Sprint(e.Shape) != fmt.Sprint(shape) {
		return nil, fmt.Errorf("the tensor %s is %s %v, not F32 %v", name, e.Type, e.Shape, shape)
	}
	from, to := e.Offsets[0], e.Offsets[1]
	if from < 0 || to > len(t.data) || to-from != 4*size {
		return nil, fmt.Errorf("the tensor %s lies outside of the file", name)
	}
	out := make([]float32, size)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.data[from+4*i:]))
	}
	return out, nil
}
