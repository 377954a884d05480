package iree

import (
	"errors"

	"zonemark/invocations"
)

// dispatchProvider runs single dispatches out of the executable libraries inside a module, without a runtime.
type dispatchProvider struct{ installation Installation }

func newDispatchProvider(in Installation) provider { return &dispatchProvider{in} }

func (p *dispatchProvider) name() string { return providerDispatch }

func (p *dispatchProvider) missing() error { return nil }

func (p *dispatchProvider) open(artifact invocations.Artifact) (session, error) {
	return nil, errors.New("not a dispatch library")
}
