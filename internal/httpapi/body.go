package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// bodyTimeout bounds how long a body may take to come, so that a client that
// sends one byte a minute holds nothing.
const bodyTimeout = 30 * time.Second

// believed is how much room is made for a body that is only announced: a client that
// sends nothing of it costs no more.
const believed = 16 << 10

// decode reads the body of a request into the reader's variables: the one way in
// for every operation. Errors: unsupported_media_type, too_large, invalid_request
// (not strict JSON, a wrong type, an unknown member), invalid_input.
func decode(w http.ResponseWriter, r *http.Request, read func(*object)) error {
	return decodeBody(w, r, func(o *object) { read(o); o.closed() })
}

// decodeOpen is decode for a body that may have members we do not know.
func decodeOpen(w http.ResponseWriter, r *http.Request, read func(*object)) error {
	return decodeBody(w, r, read)
}

func decodeBody(w http.ResponseWriter, r *http.Request, read func(*object)) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if err := strict(body); err != nil {
		fault := agent.Wrap(agent.CodeInvalidRequest, err, "The body %s.", err.Error())
		var twice *repeated
		if errors.As(err, &twice) {
			fault.Pointer = twice.pointer
		}
		return fault
	}
	var fault error
	read(newObject(body, "", &fault))
	return fault
}

// noBody refuses a body where an operation takes none; an empty object is fine.
func noBody(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	return decode(w, r, func(*object) {})
}

// readBody reads a whole body. A form or plain text is refused: a page of another
// site may send those without asking first.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, unsupported("The body must be application/json.")
	}
	if cs := params["charset"]; cs != "" && !strings.EqualFold(cs, "utf-8") {
		return nil, unsupported("The body must be UTF-8.")
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return nil, unsupported("The body must not be compressed.")
	}
	if r.ContentLength > agent.MaxBodyBytes {
		return nil, tooLarge()
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // not on every transport
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength, believed)))
	}
	_, err = buf.ReadFrom(http.MaxBytesReader(w, r.Body, agent.MaxBodyBytes))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, tooLarge()
	case err != nil && !errors.Is(err, io.EOF):
		return nil, agent.Wrap(agent.CodeInvalidRequest, err, "The body did not come whole.")
	}
	_ = control.SetReadDeadline(time.Time{})
	return buf.Bytes(), nil
}

func unsupported(message string) error {
	return &agent.Error{Code: agent.CodeUnsupportedMedia, Message: message}
}

func tooLarge() error {
	return agent.Errorf(agent.CodeTooLarge, "The body is longer than %d bytes.", agent.MaxBodyBytes)
}
