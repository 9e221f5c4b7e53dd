// Command connect-go serves the score by connect-go on net/http, behind a guard like Quintet's.
package main

import (
	"context"
	"errors"
	"net/http"

	"connectrpc.com/connect"

	"quintet.test/bench/farkle"
	farklev1 "quintet.test/bench/gen/quintet/farkle/v1"
	"quintet.test/bench/gen/quintet/farkle/v1/farklev1connect"
	"quintet.test/bench/guard"
	"quintet.test/bench/ready"
)

type server struct{}

func (server) Score(_ context.Context, request *connect.Request[farklev1.ScoreRequest]) (*connect.Response[farklev1.ScoreResponse], error) {
	response, ok := farkle.Score(request.Msg.Dice)
	if !ok {
		return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("dice: 1 to 6 faces from 1 to 6"))
	}
	return connect.NewResponse(response), nil
}

var codeOf = map[guard.Refusal]connect.Code{
	guard.KeyInvalid:     connect.CodeUnauthenticated,
	guard.RateExceeded:   connect.CodeResourceExhausted,
	guard.QuotaExhausted: connect.CodeResourceExhausted,
}

func main() {
	errorWriter := connect.NewErrorWriter()
	mux := http.NewServeMux()
	mux.Handle(farklev1connect.NewFarkleServiceHandler(server{}))
	ready.Serve(guard.Over(mux, func(response http.ResponseWriter, request *http.Request, refusal guard.Refusal) {
		_ = errorWriter.Write(response, request, connect.NewError(codeOf[refusal], refusal))
	}))
}
