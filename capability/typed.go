package capability

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Func makes a capability from a typed function. The schema of the arguments is
// inferred from In, which must be a struct: a field without omitempty is
// required, a jsonschema tag describes it, and other members are refused. Out
// becomes the output as JSON; an Out of agent.Result passes through.
//
// A type that no schema can describe panics with a sentence, as it does so at
// start-up.
func Func[In, Out any](s Spec, handler func(ctx context.Context, call *agent.Call, in In) (Out, error)) agent.Capability {
	c := s.capability(infer[In](s.Name))
	if handler == nil {
		return c // Add refuses it, with a sentence.
	}
	c.Handler = func(ctx context.Context, call *agent.Call) (agent.Result, error) {
		in, err := decode[In](call.Input)
		if err != nil {
			return agent.Result{}, err
		}
		out, err := handler(ctx, call, in)
		if err != nil {
			return agent.Result{}, err
		}
		return result(out)
	}
	return c
}

// Confirm holds the functions of a capability whose change is shown first.
// Resources, Preview and Apply are required.
type Confirm[In, Out any] struct {
	// Resources gives the ids and versions that a preview of this input rests on.
	Resources func(ctx context.Context, call *agent.Call, in In) ([]agent.Resource, error)
	// Preview works out the change and changes nothing that lasts.
	Preview func(ctx context.Context, call *agent.Call, in In) (agent.Preview, error)
	// Apply makes the change; it returns agent.ErrStale when a resource of the
	// receipt moved.
	Apply func(ctx context.Context, call *agent.Call, in In, r agent.Receipt) (Out, error)
	// Discard cleans up after a preview that nobody accepted.
	Discard func(ctx context.Context, call *agent.Call, in In, r agent.Receipt) error
	// Undo takes an applied change back, for UndoFor after it; it returns
	// agent.ErrStaleUndo when a resource changed since.
	Undo    func(ctx context.Context, call *agent.Call, in In, r agent.Receipt) (Out, error)
	UndoFor time.Duration
	// Verify tells after a crash whether the change with call.Key was made.
	Verify func(ctx context.Context, call *agent.Call, in In) (done bool, out Out, err error)
}

// Confirming makes a capability whose change is shown as a preview and made only
// on accept. Types are treated as in Func.
func Confirming[In, Out any](s Spec, c Confirm[In, Out]) agent.Capability {
	cap := s.capability(infer[In](s.Name))
	cap.RequiresConfirmation = true
	if f := c.Resources; f != nil {
		cap.Resources = func(ctx context.Context, call *agent.Call) ([]agent.Resource, error) {
			in, err := decode[In](call.Input)
			if err != nil {
				return nil, err
			}
			return f(ctx, call, in)
		}
	}
	if f := c.Preview; f != nil {
		cap.Handler = func(ctx context.Context, call *agent.Call) (agent.Result, error) {
			in, err := decode[In](call.Input)
			if err != nil {
				return agent.Result{}, err
			}
			p, err := f(ctx, call, in)
			if err != nil {
				return agent.Result{}, err
			}
			return agent.Result{OK: true, Preview: &p}, nil
		}
	}
	c.afterwards(&cap)
	return cap
}

// afterwards sets what runs once a preview was answered.
func (c Confirm[In, Out]) afterwards(cap *agent.Capability) {
	cap.Apply = change(c.Apply)
	cap.Undo, cap.UndoFor = change(c.Undo), c.UndoFor
	if f := c.Discard; f != nil {
		cap.Discard = func(ctx context.Context, call *agent.Call, r agent.Receipt) error {
			in, err := decode[In](call.Input)
			if err != nil {
				return err
			}
			return f(ctx, call, in, r)
		}
	}
	if f := c.Verify; f != nil {
		cap.Verify = func(ctx context.Context, call *agent.Call) (bool, agent.Result, error) {
			in, err := decode[In](call.Input)
			if err != nil {
				return false, agent.Result{}, err
			}
			done, out, err := f(ctx, call, in)
			if err != nil || !done {
				return false, agent.Result{}, err
			}
			res, err := result(out)
			return true, res, err
		}
	}
}

// change adapts a function that changes something under a receipt; nil stays nil.
func change[In, Out any](f func(context.Context, *agent.Call, In, agent.Receipt) (Out, error)) func(context.Context, *agent.Call, agent.Receipt) (agent.Result, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, call *agent.Call, r agent.Receipt) (agent.Result, error) {
		in, err := decode[In](call.Input)
		if err != nil {
			return agent.Result{}, err
		}
		out, err := f(ctx, call, in, r)
		if err != nil {
			return agent.Result{}, err
		}
		return result(out)
	}
}

// decode reads checked arguments. What passed the schema can still be out of a
// Go type's range; the model is told which member it is.
func decode[In any](input json.RawMessage) (In, error) {
	var in In
	err := json.Unmarshal(input, &in)
	if err == nil {
		return in, nil
	}
	e := agent.Wrap(agent.CodeInvalidInput, err, "The arguments do not fit what this capability takes.")
	if typ := (*json.UnmarshalTypeError)(nil); errors.As(err, &typ) && typ.Field != "" {
		e.Pointer = "/" + pointerOf(typ.Field)
		e.Message = fmt.Sprintf("The value at %s is out of range or of the wrong type.", e.Pointer)
	}
	return in, e
}

func result(out any) (agent.Result, error) {
	if r, ok := out.(agent.Result); ok {
		return r, nil
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return agent.Result{}, fmt.Errorf("encode the output: %w", err)
	}
	return agent.Result{OK: true, Output: raw}, nil
}
