// Package quintet is a client of Quintet's data services over REST. It needs the standard library alone.
package quintet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// If the server asks for a longer wait, the monthly quota is used up, and no call waits for the next month.
	maxWait = 30 * time.Second
	// An error is no longer.
	maxErrorBytes = 1 << 20
)

// A Client has a field for each data service. Programs need one; it is safe for concurrent use.
type Client struct {
	// HTTP sends the calls. Set another one before the first call, for example with a proxy or an authority of your own.
	HTTP *http.Client

	Services
	origin, key string
	throttle    throttle
}

// New creates a client. The URL is the server's, such as https://api.example.com. Nothing is sent before the first call.
func New(origin, key string) (*Client, error) {
	server, err := url.Parse(origin)
	if err != nil || (server.Scheme != "http" && server.Scheme != "https") || server.Host == "" || server.User != nil || strings.Trim(server.Path, "/") != "" {
		return nil, fmt.Errorf("quintet: the URL must look like https://api.example.com, and is %q", origin)
	}
	client := &Client{HTTP: &http.Client{}, origin: strings.TrimRight(origin, "/"), key: key, throttle: throttle{tokens: maxTokens}}
	client.connect()
	return client, nil
}

// An Error is a refusal or failure of a call that the server reports. Use errors.As to get it.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Code is the gRPC code, such as RESOURCE_EXHAUSTED. Empty if something in front of the server has responded.
	Code string
	// Reason is why, such as RATE_LIMITED. New reasons may be added: if you do not know one, decide by Code.
	Reason string
	// Message says what to change, for people.
	Message string
	// RequestID is the call's id, for questions about it.
	RequestID string
	// RetryAfter is how long to wait before the next try; 0 if the server does not say.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("quintet: %d %s", e.Status, e.Message)
	}
	return fmt.Sprintf("quintet: %s: %s", e.Reason, e.Message)
}

// How a method is called.
type spec struct {
	verb, path string
	attempts   int
	// For all attempts together, if the context has no deadline; 0 if there is none.
	timeout time.Duration
}

func call[Response any](ctx context.Context, client *Client, spec spec, request any) (*Response, error) {
	if _, has := ctx.Deadline(); !has && spec.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, spec.timeout)
		defer cancel()
		ctx = limited
	}
	response, err := client.send(ctx, spec, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var envelope struct{ Data *Response }
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil {
		return nil, fmt.Errorf("quintet: reading the response of %s: %w", spec.path, err)
	}
	return envelope.Data, nil
}

// The call ends with the loop over its messages.
func stream[Message any](ctx context.Context, client *Client, spec spec, request any) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		response, err := client.send(ctx, spec, request)
		if err != nil {
			yield(nil, err)
			return
		}
		defer response.Body.Close()
		for lines := json.NewDecoder(response.Body); ; {
			var line json.RawMessage
			if err := lines.Decode(&line); err != nil {
				if !errors.Is(err, io.EOF) {
					yield(nil, fmt.Errorf("quintet: reading %s: %w", spec.path, err))
				}
				return
			}
			var failed envelope
			message := new(Message)
			if json.Unmarshal(line, &failed) == nil && failed.Error != nil {
				yield(nil, failed.error(response))
				return
			}
			if err := json.Unmarshal(line, message); !yield(message, err) || err != nil {
				return
			}
		}
	}
}

func all[Request, Result any](first Request, list func(*Request) ([]Result, bool, error)) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		request := first
		for {
			results, hasMore, err := list(&request)
			for _, result := range results {
				if !yield(result, nil) {
					return
				}
			}
			if err != nil {
				var none Result
				yield(none, err)
			}
			if err != nil || !hasMore {
				return
			}
		}
	}
}

// Sends a call until it succeeds, or must not be repeated.
func (c *Client) send(ctx context.Context, spec spec, request any) (*http.Response, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	for failed := 1; ; failed++ {
		response, err := c.attempt(ctx, spec, body)
		if err == nil {
			c.throttle.add(tokenRatio)
			return response, nil
		}
		wait, isTemporary := waitAfter(err, failed)
		if isTemporary {
			c.throttle.add(-1)
		}
		deadline, has := ctx.Deadline()
		if !isTemporary || failed >= spec.attempts || wait > maxWait || has && time.Until(deadline) <= wait || c.throttle.isShut() {
			return nil, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *Client) attempt(ctx context.Context, spec spec, body []byte) (*http.Response, error) {
	target, content := c.origin+spec.path, io.Reader(bytes.NewReader(body))
	if spec.verb == http.MethodGet {
		query, err := queryOf(body)
		if err != nil {
			return nil, err
		}
		target, content = target+"?"+query, nil
	}
	request, err := http.NewRequestWithContext(ctx, spec.verb, target, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Gateway-Key", c.key)
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if deadline, has := ctx.Deadline(); has {
		request.Header.Set("X-Server-Timeout", strconv.FormatFloat(max(0.001, time.Until(deadline).Seconds()), 'f', 3, 64))
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, fmt.Errorf("quintet: %w", err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	var failed envelope
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes))
	if json.Unmarshal(text, &failed) != nil || failed.Error == nil {
		return nil, &Error{Status: response.StatusCode, Message: http.StatusText(response.StatusCode)}
	}
	return nil, failed.error(response)
}

// How REST reports a failure.
type envelope struct {
	Message string
	Meta    struct {
		RequestID string `json:"request_id"`
	}
	Error *struct{ Code, Reason string }
}

func (e *envelope) error(response *http.Response) *Error {
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return &Error{response.StatusCode, e.Error.Code, e.Error.Reason, e.Message, e.Meta.RequestID, time.Duration(seconds) * time.Second}
}

// How long to wait before the next try, and whether one helps.
func waitAfter(err error, failed int) (time.Duration, bool) {
	backoff := min(maxBackoff, time.Duration(float64(initialBackoff)*math.Pow(backoffMultiplier, float64(failed-1))))
	backoff = time.Duration(float64(backoff) * (0.8 + 0.4*rand.Float64()))
	var refused *Error
	if !errors.As(err, &refused) {
		// The connection has failed.
		return backoff, !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	if refused.RetryAfter > 0 {
		return refused.RetryAfter, refused.Code == "UNAVAILABLE" || refused.Code == "RESOURCE_EXHAUSTED"
	}
	return backoff, refused.Code == "UNAVAILABLE"
}

// The fields of a request as a query: a list repeats its name.
func queryOf(body []byte) (string, error) {
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return "", err
	}
	query := url.Values{}
	for name, value := range fields {
		values, isList := value.([]any)
		if !isList {
			values = []any{value}
		}
		for _, one := range values {
			query.Add(name, fmt.Sprint(one))
		}
	}
	return query.Encode(), nil
}

// Stops repeating calls when many fail, as gRPC's retryThrottling does: a failure takes a token, and a success returns a tenth of one.
type throttle struct {
	mutex  sync.Mutex
	tokens float64
}

func (t *throttle) add(tokens float64) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.tokens = max(0, min(maxTokens, t.tokens+tokens))
}

func (t *throttle) isShut() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.tokens <= maxTokens/2
}
