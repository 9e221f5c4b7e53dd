// Calls each operation of standard input with the client that openapi-generator made, and prints each result on a line.
// Reflection finds the method, so an operation that the generator left out is an error and not skipped.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"

	client "quintet.example/client"
)

type call struct {
	OperationID string                     `json:"operationId"`
	Tag         string                     `json:"tag"`
	Input       map[string]json.RawMessage `json:"input"`
	HasBody     bool                       `json:"hasBody"`
	IsStream    bool                       `json:"isStream"`
}

// What a stream needs as well. The client reads a response to its end, which a stream does not have, so it gets the first line. And because
// the errors are JSON, the client asks for nothing else.
type firstLine struct{}

func (firstLine) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("accept", "application/x-ndjson, application/json")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil && strings.HasPrefix(response.Header.Get("content-type"), "application/x-ndjson") {
		line, readErr := bufio.NewReader(response.Body).ReadBytes('\n')
		response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(line))
		return response, readErr
	}
	return response, err
}

func pascal(name string) string {
	var whole strings.Builder
	for _, part := range strings.Split(name, "_") {
		whole.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return whole.String()
}

// Passes a value, as JSON, to the request's method for it.
func set(request reflect.Value, method string, value []byte) (reflect.Value, error) {
	setter := request.MethodByName(method)
	if !setter.IsValid() {
		return request, fmt.Errorf("%s has no %s", request.Type(), method)
	}
	argument := reflect.New(setter.Type().In(0))
	if err := json.Unmarshal(value, argument.Interface()); err != nil {
		return request, err
	}
	return setter.Call([]reflect.Value{argument.Elem()})[0], nil
}

func run(api *client.APIClient, one call) (any, error) {
	service := reflect.ValueOf(api).Elem().FieldByName(one.Tag + "API")
	if !service.IsValid() {
		return nil, fmt.Errorf("no %sAPI", one.Tag)
	}
	method := service.MethodByName(strings.ReplaceAll(one.OperationID, "_", ""))
	if !method.IsValid() {
		return nil, fmt.Errorf("no method for %s", one.OperationID)
	}
	request := method.Call([]reflect.Value{reflect.ValueOf(context.Background())})[0]
	var err error
	if one.HasBody {
		body, _ := json.Marshal(one.Input)
		request, err = set(request, strings.SplitN(one.OperationID, "_", 2)[1]+"Request", body)
	}
	for name, value := range one.Input {
		if err == nil && !one.HasBody {
			request, err = set(request, pascal(name), value)
		}
	}
	if err != nil {
		return nil, err
	}
	out := request.MethodByName("Execute").Call(nil)
	if response, isOne := out[1].Interface().(*http.Response); one.IsStream && isOne && response != nil {
		var message json.RawMessage
		err = json.NewDecoder(response.Body).Decode(&message)
		return message, err
	}
	if failure, failed := out[2].Interface().(error); failed {
		return nil, failure
	}
	return out[0].Interface(), nil
}

func main() {
	var calls []call
	if err := json.NewDecoder(os.Stdin).Decode(&calls); err != nil {
		panic(err)
	}
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("QUINTET_URL")}}
	configuration.AddDefaultHeader("x-gateway-key", os.Getenv("QUINTET_KEY"))
	configuration.HTTPClient = &http.Client{Transport: firstLine{}}
	api := client.NewAPIClient(configuration)
	out := json.NewEncoder(os.Stdout)
	for _, one := range calls {
		result, err := run(api, one)
		if err != nil {
			out.Encode(map[string]any{"operationId": one.OperationID, "error": err.Error()})
			continue
		}
		out.Encode(map[string]any{"operationId": one.OperationID, "result": result})
	}
}
