// Command load calls one contender over many connections, and reports what it saw as one line of JSON: calls, seconds, how long calls took,
// and how much of its core it used itself. It connects first and writes "connected"; it calls once a line arrives on standard input.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

var (
	address     = flag.String("address", "", "the host and port to call")
	secure      = flag.Bool("secure", false, "speak TLS, without checking the certificate")
	protocol    = flag.String("protocol", "grpc", "grpc, grpc-web, connect, connect-json or rest")
	keysFile    = flag.String("keys", "", "a file with one key per line; without it, no key is sent")
	repeated    = flag.Bool("repeated", false, "send one request again and again on each connection")
	path        = flag.String("path", "", "REST: a path to request instead of scores")
	varied      = flag.Int("varied", 0, "REST: add an order, filters and an offset to the path, in this many combinations")
	holds       = flag.String("holds", "", "REST: text that every response to it contains")
	refused     = flag.Bool("refused", false, "expect refusals instead of responses, except for one in a hundred calls")
	counted     = flag.Bool("counted", false, "count refusals of any kind instead of failing, and report the message of the first")
	connections = flag.Int("connections", 8, "how many connections")
	streams     = flag.Int("streams", 16, "how many calls at a time on each")
	each        = flag.Bool("each", false, "call with one key after another, in random order, instead of a random key for each call")
	seed        = flag.Uint64("seed", 2, "the seed of the random choices of calls and keys")
	seconds     = flag.Float64("seconds", 1, "how long new calls are made")
	perSecond   = flag.Float64("rate", 0, "calls a second on all connections together; 0 for as many as are completed")
	processors  = flag.Int("processors", 1, "how many cores to use at a time")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run() error {
	keys, err := readKeys()
	if err != nil {
		return err
	}
	if *perSecond > 0 {
		// One for the pacer, which sleeps in the kernel, and one for the connections.
		*processors++
	}
	runtime.GOMAXPROCS(*processors)
	load := newLoad(newCalls(*protocol, *repeated, *varied, *path, *holds, keys))
	if err := load.connect(); err != nil {
		return err
	}
	fmt.Println("connected")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	before := cpuSeconds()
	begun := time.Now()
	if err := load.run(); err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	report := load.report()
	report.Seconds = took
	report.CPUShare = (cpuSeconds() - before) / took
	return json.NewEncoder(os.Stdout).Encode(report)
}

func readKeys() ([]string, error) {
	if *keysFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(*keysFile)
	return strings.Fields(string(text)), err
}

// cpuSeconds is what this process has used so far, its own time and the kernel's on its behalf.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
