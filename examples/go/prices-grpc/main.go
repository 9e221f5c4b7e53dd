// Gets token prices from Quintet, or watches them, with grpc-go.
//
//	prices-grpc price TOKEN...
//	prices-grpc watch TOKEN...
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "example.com/prices/gen/quintet/tokenprice/v1"
)

// The time limit of a call, including its retries.
const timeout = 10 * time.Second

func main() {
	if len(os.Args) < 3 || (os.Args[1] != "price" && os.Args[1] != "watch") {
		fmt.Fprintln(os.Stderr, "usage: prices-grpc price|watch TOKEN...")
		os.Exit(2)
	}
	// Ctrl-C cancels the call.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2:]); err != nil && ctx.Err() == nil {
		printError(err)
		os.Exit(1)
	}
}

func run(ctx context.Context, command string, tokens []string) error {
	conn, err := connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	client := pb.NewTokenPriceServiceClient(conn)
	if key := os.Getenv("QUINTET_KEY"); key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "x-gateway-key", key)
	}
	if command == "price" {
		return price(ctx, client, tokens)
	}
	return watch(ctx, client, tokens)
}

// One connection serves all calls of a program. It is opened for the first call.
func connect() (*grpc.ClientConn, error) {
	// What is retried, and how often.
	serviceConfig, err := os.ReadFile("grpc-service-config.json")
	if err != nil {
		return nil, err
	}
	server, err := url.Parse(os.Getenv("QUINTET_URL"))
	if err != nil {
		return nil, err
	}
	if server.Host == "" {
		server = &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}
	}
	transport := insecure.NewCredentials()
	if server.Scheme == "https" {
		transport = credentials.NewTLS(nil)
	}
	return grpc.NewClient(server.Host, grpc.WithTransportCredentials(transport), grpc.WithDefaultServiceConfig(string(serviceConfig)))
}

func price(ctx context.Context, client pb.TokenPriceServiceClient, tokens []string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := client.GetPrices(ctx, &pb.GetPricesRequest{Tokens: tokens})
	if err != nil {
		return err
	}
	printPrices(answer.GetResults(), answer.GetMissing())
	return nil
}

// A stream has no deadline: it continues until one side ends it.
func watch(ctx context.Context, client pb.TokenPriceServiceClient, tokens []string) error {
	stream, err := client.WatchPrices(ctx, &pb.WatchPricesRequest{Tokens: tokens})
	if err != nil {
		return err
	}
	for {
		change, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		printPrices(change.GetResults(), change.GetMissing())
	}
}

func printPrices(results []*pb.TokenPrice, missing []string) {
	for _, result := range results {
		fmt.Println(result.GetToken(), result.GetPrice(), "USD")
	}
	for _, token := range missing {
		fmt.Println(token, "has no price")
	}
}

// Programs decide by the reason; the message is for people.
func printError(err error) {
	failure := status.Convert(err)
	reason, more := failure.Code().String(), ""
	for _, detail := range failure.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			reason = detail.GetReason()
		case *errdetails.RetryInfo:
			more += fmt.Sprintf("  retry after: %v s\n", detail.GetRetryDelay().AsDuration().Seconds())
		case *errdetails.QuotaFailure:
			for _, violation := range detail.GetViolations() {
				more += fmt.Sprintf("  quota: %s\n", violation.GetSubject())
			}
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				more += fmt.Sprintf("  field: %s %s\n", violation.GetField(), violation.GetDescription())
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n%s", reason, failure.Message(), more)
}
