// Command grpc-go serves the score by google.golang.org/grpc on its own transport, behind a guard like Quintet's.
package main

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

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

var codeOf = map[guard.Refusal]codes.Code{
	guard.KeyInvalid:     codes.Unauthenticated,
	guard.RateExceeded:   codes.ResourceExhausted,
	guard.QuotaExhausted: codes.ResourceExhausted,
}

func admit(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	var key string
	if keys := metadata.ValueFromIncomingContext(ctx, "x-gateway-key"); len(keys) == 1 {
		key = keys[0]
	}
	admission, refusal := guard.Admit(key)
	if refusal != guard.None {
		return nil, status.Error(codeOf[refusal], refusal.Error())
	}
	if err := grpc.SetHeader(ctx, metadata.MD{
		"cache-control":    {"private"},
		"ratelimit-policy": {guard.Policy},
		"ratelimit":        {admission.RateLimit},
		"x-request-id":     {admission.RequestID},
	}); err != nil {
		return nil, err
	}
	return next(ctx, request)
}

func main() {
	options := []grpc.ServerOption{grpc.UnaryInterceptor(admit)}
	if certificate, secure := ready.Certificate(); secure {
		options = append(options, grpc.Creds(credentials.NewServerTLSFromCert(&certificate)))
	}
	service := grpc.NewServer(options...)
	farklev1.RegisterFarkleServiceServer(service, server{})
	panic(service.Serve(ready.Listen()))
}
