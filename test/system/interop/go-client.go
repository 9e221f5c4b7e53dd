// Calls the Go module as the first argument says, and prints a line of JSON for each call.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	quintet "git.example/quintet/clients/go"
)

const leftMax = 30 * time.Second

type listing struct {
	ID, Service, Method string
	Input               json.RawMessage
}

// Calls a method, or its method for all pages, with the input as its request.
func (l listing) call(client *quintet.Client, suffix string) []reflect.Value {
	method := reflect.ValueOf(client).Elem().FieldByName(l.Service).MethodByName(l.Method + suffix)
	request := reflect.New(method.Type().In(1))
	must(json.Unmarshal(l.Input, request.Interface()))
	return method.Call([]reflect.Value{reflect.ValueOf(context.Background()), request.Elem()})
}

func main() {
	client, err := quintet.New(os.Getenv("QUINTET_URL"), os.Getenv("QUINTET_KEY"))
	must(err)
	map[string]func(*quintet.Client){"call": callAll, "pages": allPages, "leave": leave, "reason": reason, "wrong": wrong}[os.Args[1]](client)
}

func callAll(client *quintet.Client) {
	for _, one := range read() {
		answer := one.call(client, "")
		if len(answer) == 1 {
			for message, err := range answer[0].Seq2() {
				answer = []reflect.Value{message, err}
				break
			}
		}
		if err, isError := answer[1].Interface().(error); isError {
			log.Fatal(err)
		}
		show(map[string]any{"id": one.ID, "result": answer[0].Interface()})
	}
}

func allPages(client *quintet.Client) {
	for _, one := range read() {
		names := []string{}
		for result, err := range one.call(client, "All")[0].Seq2() {
			if err, isError := err.Interface().(error); isError {
				log.Fatal(err)
			}
			for _, field := range []string{"UUID", "ID", "Name"} {
				if name := result.FieldByName(field); name.IsValid() {
					names = append(names, name.String())
					break
				}
			}
		}
		show(names)
	}
}

// Leaves a stream after its first message, and prints how many the server has then and a little later.
func leave(client *quintet.Client) {
	before := 0
	for _, err := range client.TokenPrice.WatchPrices(context.Background(), quintet.WatchPricesRequest{Tokens: []string{"coingecko:bitcoin"}}) {
		must(err)
		before = streams()
		break
	}
	for until := time.Now().Add(leftMax); streams() > 0 && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
	}
	show([]int{before, streams()})
}

// How many calls the server has not ended.
func streams() int {
	response, err := http.Get(os.Getenv("ADMIN_ORIGIN") + "/metrics")
	must(err)
	defer response.Body.Close()
	sum := 0
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "quintet_calls_in_flight{") {
			count := 0
			fmt.Sscan(lines.Text()[strings.LastIndex(lines.Text(), " "):], &count)
			sum += count
		}
	}
	return sum
}

// Of a call for a price that fails.
func reason(client *quintet.Client) {
	_, err := client.TokenPrice.GetPrices(context.Background(), quintet.GetPricesRequest{Tokens: []string{"coingecko:solana"}})
	var refused *quintet.Error
	if !errors.As(err, &refused) {
		log.Fatal(err)
	}
	show(refused.Reason)
}

// What it says of URLs that cannot be any.
func wrong(*quintet.Client) {
	for _, origin := range []string{"api.example.com", "https://api.example.com/v1", "http://user@127.0.0.1"} {
		_, err := quintet.New(origin, "")
		show(err.Error())
	}
}

func read() (listings []listing) {
	must(json.NewDecoder(os.Stdin).Decode(&listings))
	return listings
}

func show(value any) {
	must(json.NewEncoder(os.Stdout).Encode(value))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
