package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// Retries calls as the service config says. connect-go does not read service configs, so this does.
type retryPolicy struct {
	MaxAttempts          int
	InitialBackoff       seconds
	MaxBackoff           seconds
	BackoffMultiplier    float64
	RetryableStatusCodes []string
}

// A duration in the format of the service config: "0.2s".
type seconds time.Duration

func (s *seconds) UnmarshalText(text []byte) error {
	duration, err := time.ParseDuration(string(text))
	*s = seconds(duration)
	return err
}

// The config's first policy is the one for the data services.
func readRetryPolicy(path string) (retryPolicy, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return retryPolicy{}, err
	}
	var config struct {
		MethodConfig []struct{ RetryPolicy retryPolicy }
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return retryPolicy{}, err
	}
	return config.MethodConfig[0].RetryPolicy, nil
}

func (p retryPolicy) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		backoff := time.Duration(p.InitialBackoff)
		for attempt := 1; ; attempt++ {
			answer, err := next(ctx, request)
			if err == nil || attempt == p.MaxAttempts || !slices.Contains(p.RetryableStatusCodes, statusName(err)) {
				return answer, err
			}
			wait, isTold := retryDelay(err)
			if !isTold {
				// Retrying helps only with limits on calls, not with others such as the size of a message.
				if connect.CodeOf(err) == connect.CodeResourceExhausted {
					return answer, err
				}
				wait = time.Duration(float64(backoff) * (0.8 + 0.4*rand.Float64()))
				backoff = min(time.Duration(float64(backoff)*p.BackoffMultiplier), time.Duration(p.MaxBackoff))
			}
			// A wait beyond the deadline, such as until the next month, is not worth it.
			if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
				return answer, err
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return answer, err
			}
		}
	}
}

func (p retryPolicy) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (p retryPolicy) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

// UNAVAILABLE for unavailable.
func statusName(err error) string {
	return strings.ToUpper(connect.CodeOf(err).String())
}

// How long the server says to wait.
func retryDelay(err error) (time.Duration, bool) {
	var failure *connect.Error
	if !errors.As(err, &failure) {
		return 0, false
	}
	for _, detail := range failure.Details() {
		if value, err := detail.Value(); err == nil {
			if info, ok := value.(*errdetails.RetryInfo); ok {
				return info.GetRetryDelay().AsDuration(), true
			}
		}
	}
	return 0, false
}
