// Calls each operation of standard input with the client that oapi-codegen made, and prints each result on a line. Reflection finds
// the method, so an operation that the generator left out is an error and not skipped.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"

	client "quintet.example/client"
)

type call struct {
	OperationID string          `json:"operationId"`
	Input       json.RawMessage `json:"input"`
	IsStream    bool            `json:"isStream"`
}

func run(api *client.ClientWithResponses, one call) (any, error) {
	name := strings.ReplaceAll(one.OperationID, "_", "")
	service := reflect.ValueOf(api)
	if one.IsStream {
		// The method itself reads a response to its end, which a stream does not have.
		service = reflect.ValueOf(api.ClientInterface)
	} else {
		name += "WithResponse"
	}
	method := service.MethodByName(name)
	if !method.IsValid() {
		return nil, fmt.Errorf("no method %s", name)
	}
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	// The arguments after the context and before the request editors: the parameters, or the body.
	if method.Type().NumIn() == 3 {
		input := reflect.New(method.Type().In(1))
		if err := json.Unmarshal(one.Input, input.Interface()); err != nil {
			return nil, err
		}
		arguments = append(arguments, input.Elem())
	}
	out := method.Call(arguments)
	if failure, failed := out[1].Interface().(error); failed {
		return nil, failure
	}
	if response, isOne := out[0].Interface().(*http.Response); isOne {
		defer response.Body.Close()
		line, err := bufio.NewReader(response.Body).ReadBytes('\n')
		return json.RawMessage(line), err
	}
	return out[0].Elem().FieldByName("JSON200").Interface(), nil
}

func main() {
	var calls []call
	if err := json.NewDecoder(os.Stdin).Decode(&calls); err != nil {
		panic(err)
	}
	withKey := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-gateway-key", os.Getenv("QUINTET_KEY"))
		return nil
	})
	api, err := client.NewClientWithResponses(os.Getenv("QUINTET_URL"), withKey)
	if err != nil {
		panic(err)
	}
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
