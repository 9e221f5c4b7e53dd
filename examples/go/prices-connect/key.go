package main

import (
	"context"

	"connectrpc.com/connect"
)

// Sends the key with every call.
type keyInterceptor struct{ key string }

func (i keyInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		if i.key != "" {
			request.Header().Set("x-gateway-key", i.key)
		}
		return next(ctx, request)
	}
}

func (i keyInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		stream := next(ctx, spec)
		if i.key != "" {
			stream.RequestHeader().Set("x-gateway-key", i.key)
		}
		return stream
	}
}

func (i keyInterceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}
