package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/net/http2/hpack"
)

const (
	frameData         = 0
	frameHeaders      = 1
	frameReset        = 3
	frameSettings     = 4
	framePing         = 6
	frameGoAway       = 7
	frameWindowUpdate = 8

	flagEndStream  = 1
	flagAck        = 1
	flagEndHeaders = 4
	flagPadded     = 8

	headerLength = 9
	// What the contender may send before it receives a window update.
	receiveWindow = 1 << 30
)

var contentTypes = map[string]string{
	"grpc":         "application/grpc",
	"grpc-web":     "application/grpc-web+proto",
	"connect":      "application/proto",
	"connect-json": "application/json",
}

// One connection over HTTP/2. Header blocks are those of the encoder that Go's own clients use.
type h2 struct {
	load    *load
	socket  net.Conn
	encoder *hpack.Encoder
	decoder *hpack.Decoder
	block   bytes.Buffer
	out     []byte
	in      []byte
	filled  int
	key     string
	nextID  uint32
	// How many bytes of bodies may still be sent.
	sendWindow int64
	received   int
	streams    map[uint32]*h2Stream
	spare      []*h2Stream
	// The stream whose headers are read.
	reading *h2Stream
}

type h2Stream struct {
	due         time.Time
	roll        *roll
	status      string
	grpcStatus  string
	grpcMessage string
	body        []byte
}

func newH2(load *load, socket net.Conn) (*h2, error) {
	made := &h2{
		load: load, socket: socket, in: make([]byte, 4096), nextID: 1, sendWindow: 65535, streams: map[uint32]*h2Stream{},
	}
	made.encoder = hpack.NewEncoder(&made.block)
	made.decoder = hpack.NewDecoder(4096, made.readHeader)
	made.out = append(made.out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"...)
	// No pushes, and streams as wide as the connection.
	made.frame(frameSettings, 0, 0, 12)
	made.out = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(made.out, 2), 0)
	made.out = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(made.out, 4), receiveWindow)
	made.frame(frameWindowUpdate, 0, 0, 4)
	made.out = binary.BigEndian.AppendUint32(made.out, receiveWindow-65535)
	return made, made.flush()
}

func (h2 *h2) readHeader(field hpack.HeaderField) {
	switch {
	case h2.reading == nil:
	case field.Name == ":status":
		h2.reading.status = field.Value
	case field.Name == "grpc-status":
		h2.reading.grpcStatus = field.Value
	case field.Name == "grpc-message":
		h2.reading.grpcMessage = field.Value
	}
}

func (h2 *h2) frame(kind, flags byte, stream uint32, length int) {
	h2.out = append(h2.out, byte(length>>16), byte(length>>8), byte(length), kind, flags)
	h2.out = binary.BigEndian.AppendUint32(h2.out, stream)
}

func (h2 *h2) write(name, value string) {
	_ = h2.encoder.WriteField(hpack.HeaderField{Name: name, Value: value})
}

// begin writes the headers that grpc-go and connect-go write, in their order.
func (h2 *h2) begin(due time.Time) error {
	calls := h2.load.calls
	var stream *h2Stream
	if count := len(h2.spare); count > 0 {
		stream, h2.spare = h2.spare[count-1], h2.spare[:count-1]
	} else {
		stream = &h2Stream{}
	}
	*stream = h2Stream{due: due, roll: calls.roll(), body: stream.body[:0]}
	isGrpc := calls.protocol == "grpc"
	h2.block.Reset()
	h2.write(":method", "POST")
	h2.write(":scheme", scheme())
	h2.write(":path", "/quintet.farkle.v1.FarkleService/Score")
	h2.write(":authority", *address)
	h2.write("content-type", contentTypes[calls.protocol])
	if isGrpc {
		h2.write("user-agent", "grpc-go/1.84.0")
		h2.write("te", "trailers")
	} else {
		h2.write("user-agent", "connect-go/1.21.1 (go1.26.8)")
	}
	if key := calls.key(&h2.key); key != "" {
		h2.write("x-gateway-key", key)
	}
	if !calls.repeated {
		if isGrpc || calls.protocol == "grpc-web" {
			h2.write("grpc-timeout", calls.timeout())
		} else {
			h2.write("connect-timeout-ms", calls.timeout()[:4])
		}
		h2.write("traceparent", string(calls.traceparent()))
	}
	id := h2.nextID
	h2.nextID += 2
	h2.streams[id] = stream
	h2.frame(frameHeaders, flagEndHeaders, id, h2.block.Len())
	h2.out = append(h2.out, h2.block.Bytes()...)
	body := stream.roll.request
	h2.sendWindow -= int64(len(body))
	if h2.sendWindow < 0 {
		return errors.New("the contender opens no window for bodies")
	}
	h2.frame(frameData, flagEndStream, id, len(body))
	h2.out = append(h2.out, body...)
	return nil
}

func scheme() string {
	if *secure {
		return "https"
	}
	return "http"
}

func (h2 *h2) flush() error {
	if len(h2.out) == 0 {
		return nil
	}
	_, err := h2.socket.Write(h2.out)
	h2.out = h2.out[:0]
	return err
}

func (h2 *h2) read() error {
	if h2.filled == len(h2.in) {
		h2.in = append(h2.in, make([]byte, len(h2.in))...)
	}
	count, err := h2.socket.Read(h2.in[h2.filled:])
	h2.filled += count
	if err != nil {
		if err == io.EOF {
			return errors.New("the connection was closed")
		}
		return err
	}
	h2.load.mutex.Lock()
	defer h2.load.mutex.Unlock()
	now := time.Now()
	input := h2.in[:h2.filled]
	for len(input) >= headerLength {
		length := int(input[0])<<16 | int(input[1])<<8 | int(input[2])
		if len(input) < headerLength+length {
			break
		}
		id := binary.BigEndian.Uint32(input[5:]) & (1<<31 - 1)
		if err := h2.take(input[3], input[4], id, input[headerLength:headerLength+length], now); err != nil {
			return err
		}
		input = input[headerLength+length:]
	}
	h2.filled = copy(h2.in, input)
	return h2.flush()
}

func (h2 *h2) take(kind, flags byte, id uint32, payload []byte, now time.Time) error {
	switch kind {
	case frameHeaders:
		if flags&flagEndHeaders == 0 || flags&^(flagEndHeaders|flagEndStream) != 0 {
			return fmt.Errorf("headers with flags %x", flags)
		}
		h2.reading = h2.streams[id]
		if _, err := h2.decoder.Write(payload); err != nil {
			return err
		}
		if err := h2.decoder.Close(); err != nil {
			return err
		}
	case frameData:
		if flags&flagPadded != 0 {
			return errors.New("padded data")
		}
		h2.receive(len(payload))
		if stream := h2.streams[id]; stream != nil {
			stream.body = append(stream.body, payload...)
		}
	case frameSettings:
		return h2.takeSettings(flags, payload)
	case framePing:
		if flags&flagAck == 0 {
			h2.frame(framePing, flagAck, 0, len(payload))
			h2.out = append(h2.out, payload...)
		}
	case frameWindowUpdate:
		if id == 0 {
			h2.sendWindow += int64(binary.BigEndian.Uint32(payload))
		}
	case frameReset, frameGoAway:
		return fmt.Errorf("frame %d: %x", kind, payload)
	}
	if (kind == frameData || kind == frameHeaders) && flags&flagEndStream != 0 {
		return h2.end(id, now)
	}
	return nil
}

// receive opens the window again when half of it is used.
func (h2 *h2) receive(count int) {
	h2.received += count
	if h2.received > receiveWindow/2 {
		h2.frame(frameWindowUpdate, 0, 0, 4)
		h2.out = binary.BigEndian.AppendUint32(h2.out, uint32(h2.received))
		h2.received = 0
	}
}

func (h2 *h2) takeSettings(flags byte, payload []byte) error {
	if flags&flagAck != 0 {
		return nil
	}
	for ; len(payload) >= 6; payload = payload[6:] {
		if value := binary.BigEndian.Uint32(payload[2:]); binary.BigEndian.Uint16(payload) == 1 {
			h2.encoder.SetMaxDynamicTableSizeLimit(value)
		}
	}
	h2.frame(frameSettings, flagAck, 0, 0)
	return nil
}

func (h2 *h2) end(id uint32, now time.Time) error {
	stream := h2.streams[id]
	if stream == nil {
		return fmt.Errorf("stream %d ends twice", id)
	}
	delete(h2.streams, id)
	isRefusal, err := judge(stream.status, stream.body)
	if err != nil {
		return err
	}
	switch protocol := h2.load.calls.protocol; {
	case protocol == "grpc" && (*refused || *counted) && stream.grpcStatus != "0":
		isRefusal = true
		if h2.load.firstRefusal == "" {
			h2.load.firstRefusal = stream.grpcMessage
		}
	case protocol == "grpc" && stream.grpcStatus != "0":
		err = errors.New("grpc-status " + stream.grpcStatus)
	case !isRefusal:
		err = h2.load.calls.check(stream.roll, stream.body)
	}
	if err != nil {
		return err
	}
	h2.spare = append(h2.spare, stream)
	return h2.load.ended(h2, stream.due, now, isRefusal)
}
