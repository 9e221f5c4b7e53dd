// Command grpc-gateway serves the score as REST by grpc-gateway on net/http, in one process with its service, behind a guard like Quintet's
// and in Quintet's envelope.
package main

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"quintet.test/bench/farkle"
	farklev1 "quintet.test/bench/gen/quintet/farkle/v1"
	"quintet.test/bench/guard"
	"quintet.test/bench/ready"
)

type server struct {
	farklev1.UnimplementedFarkleServiceServer
}

func (server) Score(_ context.Context, request *farklev1.ScoreRequest) (*farklev1.ScoreResponse, error) {
	response, ok := farkle.Score(request.Dice)
	if !ok {
		return nil, status.Error(codes.InvalidArgument, "dice: 1 to 6 faces from 1 to 6")
	}
	return response, nil
}

// A response on its way into the envelope.
type answer struct {
	data      proto.Message
	requestID string
}

type requestIDKey struct{}

func envelop(ctx context.Context, data proto.Message) (any, error) {
	requestID, _ := ctx.Value(requestIDKey{}).(string)
	return answer{data, requestID}, nil
}

// Writes responses in the envelope, and everything else as the gateway does.
type enveloping struct {
	runtime.JSONPb
}

func (marshaler *enveloping) Marshal(value any) ([]byte, error) {
	wrapped, ok := value.(answer)
	if !ok {
		return marshaler.JSONPb.Marshal(value)
	}
	text := make([]byte, 0, 512)
	text = append(text, `{"data":`...)
	text, err := marshaler.MarshalOptions.MarshalAppend(text, wrapped.data)
	if err != nil {
		return nil, err
	}
	text = append(text, `,"meta":{"timestamp":"`...)
	text = time.Now().UTC().AppendFormat(text, "2006-01-02T15:04:05.000Z")
	text = append(text, `","request_id":"`...)
	text = append(text, wrapped.requestID...)
	return append(text, `"},"status":"ok","message":"Roll scored","success":true}`...), nil
}

// Accepts `dice=1,1,5` for `dice=1&dice=1&dice=5`, as Quintet does.
type commas struct {
	runtime.DefaultQueryParser
}

func (parser *commas) Parse(message proto.Message, values url.Values, filter *utilities.DoubleArray) error {
	for name, given := range values {
		if len(given) == 1 {
			values[name] = strings.Split(given[0], ",")
		}
	}
	return parser.DefaultQueryParser.Parse(message, values, filter)
}

func main() {
	mux := runtime.NewServeMux(
		runtime.WithMarshalerOption(runtime.MIMEWildcard, &enveloping{runtime.JSONPb{
			MarshalOptions: protojson.MarshalOptions{UseProtoNames: true, EmitUnpopulated: true},
		}}),
		runtime.WithForwardResponseRewriter(envelop),
		runtime.SetQueryParameterParser(&commas{}),
	)
	if err := farklev1.RegisterFarkleServiceHandlerServer(context.Background(), mux, server{}); err != nil {
		panic(err)
	}
	withRequestID := http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		requestID := response.Header().Get("X-Request-Id")
		mux.ServeHTTP(response, request.WithContext(context.WithValue(request.Context(), requestIDKey{}, requestID)))
	})
	ready.Serve(guard.Over(withRequestID, func(response http.ResponseWriter, _ *http.Request, refusal guard.Refusal) {
		code := http.StatusTooManyRequests
		if refusal == guard.KeyInvalid {
			code = http.StatusUnauthorized
		}
		http.Error(response, refusal.Error(), code)
	}))
}
