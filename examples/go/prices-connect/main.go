// Gets token prices from Quintet, or watches them, with connect-go.
//
//	prices-connect price TOKEN...
//	prices-connect watch TOKEN...
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	pb "example.com/prices/gen/quintet/tokenprice/v1"
	"example.com/prices/gen/quintet/tokenprice/v1/tokenpricev1connect"
)

// The time limit of a call, including its retries.
const timeout = 10 * time.Second

func main() {
	if len(os.Args) < 3 || (os.Args[1] != "price" && os.Args[1] != "watch") {
		fmt.Fprintln(os.Stderr, "usage: prices-connect price|watch TOKEN...")
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
	policy, err := readRetryPolicy("grpc-service-config.json")
	if err != nil {
		return err
	}
	url := os.Getenv("QUINTET_URL")
	if url == "" {
		url = "http://127.0.0.1:8080"
	}
	// Speaks Connect. With connect.WithGRPC() or connect.WithGRPCWeb() it speaks those.
	client := tokenpricev1connect.NewTokenPriceServiceClient(
		http.DefaultClient, url, connect.WithInterceptors(keyInterceptor{os.Getenv("QUINTET_KEY")}, policy))
	if command == "price" {
		return price(ctx, client, tokens)
	}
	return watch(ctx, client, tokens)
}

func price(ctx context.Context, client tokenpricev1connect.TokenPriceServiceClient, tokens []string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := client.GetPrices(ctx, connect.NewRequest(&pb.GetPricesRequest{Tokens: tokens}))
	if err != nil {
		return err
	}
	printPrices(answer.Msg.GetResults(), answer.Msg.GetMissing())
	return nil
}

// A stream has no deadline: it continues until one side ends it.
func watch(ctx context.Context, client tokenpricev1connect.TokenPriceServiceClient, tokens []string) error {
	stream, err := client.WatchPrices(ctx, connect.NewRequest(&pb.WatchPricesRequest{Tokens: tokens}))
	if err != nil {
		return err
	}
	defer stream.Close()
	for stream.Receive() {
		printPrices(stream.Msg().GetResults(), stream.Msg().GetMissing())
	}
	return stream.Err()
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
	var failure *connect.Error
	if !errors.As(err, &failure) {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	reason, more := failure.Code().String(), ""
	for _, detail := range failure.Details() {
		// Details of types that this program does not know are left out.
		value, _ := detail.Value()
		switch value := value.(type) {
		case *errdetails.ErrorInfo:
			reason = value.GetReason()
		case *errdetails.RetryInfo:
			more += fmt.Sprintf("  retry after: %v s\n", value.GetRetryDelay().AsDuration().Seconds())
		case *errdetails.QuotaFailure:
			for _, violation := range value.GetViolations() {
				more += fmt.Sprintf("  quota: %s\n", violation.GetSubject())
			}
		case *errdetails.BadRequest:
			for _, violation := range value.GetFieldViolations() {
				more += fmt.Sprintf("  field: %s %s\n", violation.GetField(), violation.GetDescription())
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n%s", reason, failure.Message(), more)
}
