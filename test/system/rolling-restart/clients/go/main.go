// Command rollingrestart calls continuously, by grpc-go or by net/http, until its input ends, and prints the results of its calls.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"
)

// A message is just bytes: nothing here parses one.
type rawCodec struct{}

func (rawCodec) Name() string                        { return "proto" }
func (rawCodec) Marshal(message any) ([]byte, error) { return *message.(*[]byte), nil }
func (rawCodec) Unmarshal(data []byte, message any) error {
	*message.(*[]byte) = append([]byte(nil), data...)
	return nil
}

// How a call ended: "" if it succeeded, "limited", or why it was lost.
type caller func() string

func number(name string) int {
	value, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		panic(err)
	}
	return value
}

func addresses(port string) []string {
	var all []string
	for _, host := range strings.Split(os.Getenv("HOSTS"), ",") {
		all = append(all, net.JoinHostPort(host, os.Getenv(port)))
	}
	return all
}

func overGRPC() caller {
	found := manual.NewBuilderWithScheme("nodes")
	var state resolver.State
	for _, address := range addresses("PORT") {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	found.InitialState(state)
	connection, err := grpc.NewClient("nodes:///quintet",
		grpc.WithResolvers(found),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`),
		// If a server is down it retries after a while, by default up to two minutes.
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: time.Second, Multiplier: 1, MaxDelay: time.Second}}))
	if err != nil {
		panic(err)
	}
	withKey := metadata.AppendToOutgoingContext(context.Background(), "x-gateway-key", os.Getenv("KEY"))
	request := []byte{10, 3, 1, 1, 5}
	return func() string {
		var answer []byte
		err := connection.Invoke(withKey, "/quintet.farkle.v1.FarkleService/Score", &request, &answer, grpc.ForceCodec(rawCodec{}))
		switch status.Code(err) {
		case codes.OK:
			return ""
		case codes.ResourceExhausted:
			return "limited"
		default:
			return err.Error()
		}
	}
}

func overHTTP() caller {
	var turn atomic.Int64
	transport := &http.Transport{
		MaxIdleConnsPerHost: 16,
		// As net.Dialer does with a name that has several addresses: if one refuses the connection, the next one is tried.
		DialContext: func(ctx context.Context, network, _ string) (connection net.Conn, err error) {
			all := addresses("HTTP1_PORT")
			first := int(turn.Add(1))
			for index := range all {
				connection, err = new(net.Dialer).DialContext(ctx, network, all[(first+index)%len(all)])
				if err == nil {
					break
				}
			}
			return connection, err
		},
	}
	client := &http.Client{Transport: transport}
	return func() string {
		request, err := http.NewRequest(http.MethodGet, "http://quintet.test/farkle/v1/score?dice=1,1,5", nil)
		if err != nil {
			panic(err)
		}
		request.Header.Set("x-gateway-key", os.Getenv("KEY"))
		answer, err := client.Do(request)
		if err != nil {
			return err.Error()
		}
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		switch {
		case err != nil:
			return err.Error()
		case answer.StatusCode == http.StatusTooManyRequests:
			return "limited"
		case answer.StatusCode != http.StatusOK:
			return answer.Status
		}
		return ""
	}
}

func main() {
	callers := map[string]func() caller{"grpc": overGRPC, "http": overHTTP}
	call := callers[os.Args[1]]()
	pause := time.Duration(number("PAUSE_MS")) * time.Millisecond
	var isOver atomic.Bool
	var mutex sync.Mutex
	answered, limited, lost := 0, 0, map[string]int{}
	var calling sync.WaitGroup
	for range number("AT_ONCE") {
		calling.Go(func() {
			for !isOver.Load() {
				outcome := call()
				mutex.Lock()
				switch outcome {
				case "":
					answered++
				case "limited":
					limited++
				default:
					lost[outcome]++
				}
				mutex.Unlock()
				time.Sleep(pause)
			}
		})
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	isOver.Store(true)
	calling.Wait()
	tally, err := json.Marshal(map[string]any{"answered": answered, "limited": limited, "lost": lost})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(tally))
}
