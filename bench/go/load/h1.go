package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// What clients of five kinds send besides what differs from call to call.
var agents = [...]string{
	"user-agent: curl/8.14.1\r\naccept: */*\r\n",
	"user-agent: python-requests/2.32.4\r\naccept-encoding: gzip, deflate\r\naccept: */*\r\nconnection: keep-alive\r\n",
	"user-agent: Go-http-client/1.1\r\naccept-encoding: gzip\r\n",
	"user-agent: okhttp/5.1.0\r\naccept-encoding: gzip\r\nconnection: Keep-Alive\r\n",
	"user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36\r\n" +
		"accept: application/json\r\naccept-encoding: gzip, deflate, br, zstd\r\naccept-language: en-GB,en;q=0.9\r\n",
}

// The same for a response that is long enough to be compressed: the peers do not compress.
var plainAgents = func() (plain [len(agents)]string) {
	for index, lines := range agents {
		for line := range strings.Lines(lines) {
			if !strings.HasPrefix(line, "accept-encoding") {
				plain[index] += line
			}
		}
	}
	return plain
}()

// One connection over HTTP/1.1, with one call at a time.
type h1 struct {
	load   *load
	socket net.Conn
	out    []byte
	in     []byte
	filled int
	key    string
	due    time.Time
	roll   *roll
}

func newH1(load *load, socket net.Conn) *h1 {
	return &h1{load: load, socket: socket, in: make([]byte, 4096)}
}

func (h1 *h1) begin(due time.Time) error {
	calls := h1.load.calls
	h1.due, h1.roll = due, calls.roll()
	h1.out = append(h1.out, "GET "...)
	if calls.path == "" {
		h1.out = append(h1.out, h1.roll.target...)
	} else {
		h1.out = append(h1.out, calls.pathOf()...)
	}
	h1.out = append(h1.out, " HTTP/1.1\r\nhost: "...)
	h1.out = append(append(h1.out, *address...), "\r\n"...)
	if key := calls.key(&h1.key); key != "" {
		h1.out = append(append(append(h1.out, "x-gateway-key: "...), key...), "\r\n"...)
	}
	if calls.repeated {
		h1.out = append(h1.out, "user-agent: load\r\n\r\n"...)
		return nil
	}
	lines := agents[:]
	if calls.path != "" {
		lines = plainAgents[:]
	}
	h1.out = append(h1.out, lines[calls.random.IntN(len(lines))]...)
	h1.out = append(append(append(h1.out, "traceparent: "...), calls.traceparent()...), "\r\n\r\n"...)
	return nil
}

func (h1 *h1) flush() error {
	if len(h1.out) == 0 {
		return nil
	}
	_, err := h1.socket.Write(h1.out)
	h1.out = h1.out[:0]
	return err
}

func (h1 *h1) read() error {
	if h1.filled == len(h1.in) {
		h1.in = append(h1.in, make([]byte, len(h1.in))...)
	}
	count, err := h1.socket.Read(h1.in[h1.filled:])
	h1.filled += count
	if err != nil {
		if err == io.EOF {
			return errors.New("the connection was closed")
		}
		return err
	}
	h1.load.mutex.Lock()
	defer h1.load.mutex.Unlock()
	return h1.take(time.Now())
}

var (
	headEnd    = []byte("\r\n\r\n")
	lengthName = []byte("\r\ncontent-length: ")
)

// take takes the response, once it is whole.
func (h1 *h1) take(now time.Time) error {
	input := h1.in[:h1.filled]
	head, _, isWhole := bytes.Cut(input, headEnd)
	if !isWhole {
		return nil
	}
	length := lengthOf(head)
	if length < 0 || len(head) < 12 {
		return errors.New("a response without its length: " + string(head))
	}
	end := len(head) + len(headEnd) + length
	if len(input) < end {
		return nil
	}
	body := input[len(head)+len(headEnd) : end]
	isRefusal, err := judge(string(head[9:12]), body)
	if err == nil && !isRefusal {
		err = h1.load.calls.check(h1.roll, body)
	}
	if err != nil {
		return err
	}
	if end != len(input) {
		return errors.New("more than one response")
	}
	h1.filled = 0
	if err := h1.load.ended(h1, h1.due, now, isRefusal); err != nil {
		return err
	}
	return h1.flush()
}

// lengthOf is the content-length of a head, or -1. Contenders write its name in small letters or with two capitals.
func lengthOf(head []byte) int {
	for start := bytes.Index(head, lengthName[:2]); start >= 0; {
		line := head[start:]
		if len(line) > len(lengthName) && bytes.EqualFold(line[:len(lengthName)], lengthName) {
			value, _, _ := bytes.Cut(line[len(lengthName):], lengthName[:2])
			if length, err := strconv.Atoi(string(value)); err == nil {
				return length
			}
			return -1
		}
		next := bytes.Index(head[start+2:], lengthName[:2])
		if next < 0 {
			return -1
		}
		start += 2 + next
	}
	return -1
}
