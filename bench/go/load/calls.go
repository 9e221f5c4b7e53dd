package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"

	"google.golang.org/protobuf/proto"

	"quintet.test/bench/farkle"
	farklev1 "quintet.test/bench/gen/quintet/farkle/v1"
)

// How many rolls are prepared. A load picks them at random.
const rollCount = 4096

// A roll as each protocol sends it, and how to recognise the right response.
type roll struct {
	// The body of a request over HTTP/2, or the request target of REST.
	request []byte
	target  string
	// What a right response contains: the score. In binary it begins the message, and a score of 0 is left out, as it may be in JSON.
	score []byte
	json  [2][]byte
	// The length of the response's message in binary, the same for every server.
	length int
}

// Calls makes what differs between calls. Only one goroutine at a time uses it.
type calls struct {
	protocol string
	repeated bool
	keys     []string
	// How many keys were called with, one after another.
	called int
	rolls  []roll
	random *rand.Rand
	text   [64]byte
	// REST of another path than the score's.
	path  string
	holds []byte
	// How many variants (pages, orders and filters) of the request there are; each call sends one. 0 for none.
	varied int
	target []byte
}

func newCalls(protocol string, repeated bool, varied int, path, holds string, keys []string) *calls {
	made := &calls{protocol: protocol, repeated: repeated, varied: varied, keys: keys, path: path, holds: []byte(holds)}
	// Every contender is sent the same calls.
	made.random = rand.New(rand.NewPCG(1, *seed))
	if repeated {
		made.rolls = []roll{made.prepare([]int32{1, 1, 1, 5, 5, 5})}
		return made
	}
	for range rollCount {
		dice := make([]int32, 1+made.random.IntN(6))
		for index := range dice {
			dice[index] = 1 + made.random.Int32N(6)
		}
		made.rolls = append(made.rolls, made.prepare(dice))
	}
	return made
}

func (calls *calls) prepare(dice []int32) roll {
	scored, _ := farkle.Score(dice)
	request := &farklev1.ScoreRequest{Dice: dice}
	message, err := proto.Marshal(request)
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(map[string]any{"dice": dice})
	if err != nil {
		panic(err)
	}
	made := roll{target: "/farkle/v1/score?dice=", length: proto.Size(scored)}
	for index, face := range dice {
		if index > 0 {
			made.target += ","
		}
		made.target += strconv.Itoa(int(face))
	}
	switch calls.protocol {
	case "connect":
		made.request = message
	case "connect-json":
		made.request = text
	default:
		made.request = append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	}
	if scored.Score > 0 {
		made.score = binary.AppendUvarint([]byte{0x08}, uint64(scored.Score))
	}
	made.json = [2][]byte{fmt.Appendf(nil, `"score":%d,`, scored.Score), fmt.Appendf(nil, `"score": %d,`, scored.Score)}
	return made
}

func (calls *calls) roll() *roll {
	return &calls.rolls[calls.random.IntN(len(calls.rolls))]
}

var (
	orders   = [...]string{"name", "votes", "clickcount", "bitrate", "clicktrend"}
	bitrates = [...]string{"", "&bitrate_min=64", "&bitrate_min=96&bitrate_max=320", "&bitrate_max=192"}
	reverses = [...]string{"", "&reverse=true"}
)

// How many searches there are with an offset. Each of them finds stations.
const searchesAPage = len(orders) * len(bitrates) * len(reverses)

// pathOf is the path to request: one of `varied` searches, if they differ.
func (calls *calls) pathOf() []byte {
	target := append(calls.target[:0], calls.path...)
	if calls.varied > 0 {
		search := calls.random.IntN(calls.varied)
		target = append(append(target, "&order="...), orders[search%len(orders)]...)
		target = append(target, bitrates[search/len(orders)%len(bitrates)]...)
		target = append(target, reverses[search/len(orders)/len(bitrates)%len(reverses)]...)
		target = strconv.AppendInt(append(target, "&offset="...), int64(search/searchesAPage), 10)
	}
	calls.target = target
	return target
}

// key is a new one for each call. A connection whose calls repeat keeps its own: one key for all of them would reach its rate limit.
func (calls *calls) key(own *string) string {
	if len(calls.keys) == 0 {
		return ""
	}
	if *each {
		if calls.called == 0 {
			calls.random.Shuffle(len(calls.keys), func(a, b int) { calls.keys[a], calls.keys[b] = calls.keys[b], calls.keys[a] })
		}
		calls.called++
		return calls.keys[(calls.called-1)%len(calls.keys)]
	}
	if *own == "" || !calls.repeated {
		*own = calls.keys[calls.random.IntN(len(calls.keys))]
	}
	return *own
}

// traceparent is a new one, as https://www.w3.org/TR/trace-context/ defines it.
func (calls *calls) traceparent() []byte {
	const digits = "0123456789abcdef"
	text := append(calls.text[:0], "00-"...)
	for _, length := range [...]int{32, 16} {
		bits := uint64(0)
		for index := range length {
			if index%16 == 0 {
				bits = calls.random.Uint64()
			}
			text = append(text, digits[bits&15])
			bits >>= 4
		}
		text = append(text, '-')
	}
	return append(text, "01"...)
}

// timeout is what grpc-go sends when little of five seconds has passed.
func (calls *calls) timeout() string {
	return strconv.Itoa(4_990_000+calls.random.IntN(10_000)) + "u"
}

// check says whether a body has the right score of the roll.
func (calls *calls) check(roll *roll, body []byte) error {
	if calls.path != "" {
		if bytes.Contains(body, calls.holds) {
			return nil
		}
		return fmt.Errorf("a wrong response: %.300s", body)
	}
	isRight := false
	switch calls.protocol {
	case "grpc", "grpc-web":
		// gRPC-Web has its trailers after it.
		isRight = len(body) >= 5 && binary.BigEndian.Uint32(body[1:]) == uint32(roll.length) && bytes.HasPrefix(body[5:], roll.score)
	case "connect":
		isRight = len(body) == roll.length && bytes.HasPrefix(body, roll.score)
	default:
		isRight = bytes.Contains(body, roll.json[0]) || bytes.Contains(body, roll.json[1]) ||
			(roll.score == nil && !bytes.Contains(body, []byte(`"score"`)))
	}
	if !isRight {
		return fmt.Errorf("a wrong response to %s: %.300q", roll.target, body)
	}
	return nil
}
