package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// A connection sends calls and reads their responses. Its methods, except read, are called with the load's lock held.
type connection interface {
	// begin appends a call to what flush sends. The call was due at that time.
	begin(due time.Time) error
	flush() error
	// read waits for bytes, and passes them to load.take; an error ends the connection.
	read() error
}

// A load is what all connections share: how many calls may be made, and their results.
type load struct {
	calls *calls

	mutex       sync.Mutex
	connections []connection
	// Calls that are due and have no stream, the oldest first; and the streams that are free, the longest free first. Only paced loads use
	// both.
	waiting []time.Time
	free    []connection
	isOver  bool
	until   time.Time
	underWay,
	done,
	refusals int
	// The message of the first refused call.
	firstRefusal string
	tookMs       []float64
	// How late calls were sent because the pacer woke late, in milliseconds.
	lateMs []float64
	failed error
}

type report struct {
	Calls    int `json:"calls"`
	Refusals int `json:"refusals"`
	// The message of the first refused call, in gRPC's form: percent-encoded.
	FirstRefusal string  `json:"firstRefusal"`
	Seconds      float64 `json:"seconds"`
	// The share of the core's time that this process used; above 0.9, it is the bottleneck, not the contender.
	CPUShare float64 `json:"cpuShare"`
	P50Ms    float64 `json:"p50Ms"`
	P99Ms    float64 `json:"p99Ms"`
	P999Ms   float64 `json:"p999Ms"`
	MaxMs    float64 `json:"maxMs"`
	LateMs   float64 `json:"lateMs"`
}

func newLoad(calls *calls) *load {
	return &load{calls: calls}
}

func (load *load) connect() error {
	for range *connections {
		socket, err := dial()
		if err != nil {
			return err
		}
		if *protocol == "rest" {
			load.connections = append(load.connections, newH1(load, socket))
			continue
		}
		opened, err := newH2(load, socket)
		if err != nil {
			return err
		}
		load.connections = append(load.connections, opened)
	}
	return nil
}

func dial() (net.Conn, error) {
	if !*secure {
		return net.Dial("tcp", *address)
	}
	name := "h2"
	if *protocol == "rest" {
		name = "http/1.1"
	}
	return tls.Dial("tcp", *address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{name}})
}

// run makes calls for the requested time, and waits for the last responses.
func (load *load) run() error {
	load.until = time.Now().Add(time.Duration(*seconds * float64(time.Second)))
	var readers sync.WaitGroup
	for _, one := range load.connections {
		readers.Go(func() { load.serve(one) })
	}
	if *perSecond > 0 {
		load.pace()
	} else {
		load.fill()
	}
	readers.Wait()
	return load.failed
}

// fill makes the first calls of a load that is as fast as the contender.
func (load *load) fill() {
	load.mutex.Lock()
	defer load.mutex.Unlock()
	now := time.Now()
	for _, one := range load.connections {
		for range *streams {
			load.fail(load.begin(one, now))
		}
		load.fail(one.flush())
	}
}

func (load *load) begin(one connection, due time.Time) error {
	load.underWay++
	return one.begin(due)
}

// serve reads one connection until the load is over.
func (load *load) serve(one connection) {
	for {
		err := one.read()
		load.mutex.Lock()
		load.fail(err)
		isDone := load.failed != nil || (load.isOver && load.underWay == 0)
		load.mutex.Unlock()
		if isDone {
			load.end()
			return
		}
	}
}

// end wakes the readers of all connections: the last response has arrived, or the load has failed.
func (load *load) end() {
	load.mutex.Lock()
	defer load.mutex.Unlock()
	for _, one := range load.connections {
		switch one := one.(type) {
		case *h1:
			_ = one.socket.SetReadDeadline(time.Unix(1, 0))
		case *h2:
			_ = one.socket.SetReadDeadline(time.Unix(1, 0))
		}
	}
}

// fail keeps the first error. A read that is interrupted because the load is over is not an error.
func (load *load) fail(err error) {
	var timeout net.Error
	if err == nil || load.failed != nil || (errors.As(err, &timeout) && timeout.Timeout() && load.isOver) {
		return
	}
	load.failed = err
	load.isOver = true
}

// ended takes the response to a call that was due at that time, and makes the next call if one is due. The connection flushes later.
func (load *load) ended(one connection, due, now time.Time, isRefusal bool) error {
	load.underWay--
	load.done++
	if isRefusal {
		load.refusals++
	}
	load.tookMs = append(load.tookMs, float64(now.Sub(due).Nanoseconds())/1e6)
	if *perSecond > 0 {
		load.free = append(load.free, one)
		return load.assign(now, nil)
	}
	if now.After(load.until) {
		load.isOver = true
		return nil
	}
	return load.begin(one, now)
}

// assign gives waiting calls to free streams. `dirty` receives the connections that have something to flush.
func (load *load) assign(now time.Time, dirty map[connection]struct{}) error {
	for len(load.waiting) > 0 && len(load.free) > 0 {
		one, due := load.free[0], load.waiting[0]
		load.free, load.waiting = load.free[1:], load.waiting[1:]
		load.lateMs = append(load.lateMs, float64(now.Sub(due).Nanoseconds())/1e6)
		if err := load.begin(one, due); err != nil {
			return err
		}
		if dirty != nil {
			dirty[one] = struct{}{}
		} else if err := one.flush(); err != nil {
			return err
		}
	}
	return nil
}

// pace makes calls at even intervals, whether or not earlier ones have had their responses.
func (load *load) pace() {
	for range *streams {
		load.free = append(load.free, load.connections...)
	}
	begun := time.Now()
	interval := time.Duration(float64(time.Second) / *perSecond)
	dirty := map[connection]struct{}{}
	for made := 0; ; {
		// A timer of Go's wakes to the millisecond, the kernel's to the tenth of it.
		sleep(50 * time.Microsecond)
		now := time.Now()
		load.mutex.Lock()
		for due := begun.Add(time.Duration(made) * interval); !due.After(now) && due.Before(load.until); due = due.Add(interval) {
			load.waiting = append(load.waiting, due)
			made++
		}
		load.fail(load.assign(now, dirty))
		for one := range dirty {
			load.fail(one.flush())
			delete(dirty, one)
		}
		if !now.Before(load.until) && len(load.waiting) == 0 {
			load.isOver = true
		}
		isOver, isIdle := load.isOver, load.underWay == 0
		load.mutex.Unlock()
		if isOver {
			if isIdle {
				load.end()
			}
			return
		}
	}
}

func (load *load) report() report {
	slices.Sort(load.tookMs)
	slices.Sort(load.lateMs)
	return report{
		Calls:        load.done,
		Refusals:     load.refusals,
		FirstRefusal: load.firstRefusal,
		P50Ms:        quantile(load.tookMs, 0.5),
		P99Ms:        quantile(load.tookMs, 0.99),
		P999Ms:       quantile(load.tookMs, 0.999),
		MaxMs:        quantile(load.tookMs, 1),
		LateMs:       quantile(load.lateMs, 0.99),
	}
}

func quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// judge decides what a status means: a refusal if those are expected; otherwise anything but 200 fails the load.
func judge(status string, body []byte) (isRefusal bool, err error) {
	if status == "200" {
		return false, nil
	}
	if *refused && status[0] == '4' {
		return true, nil
	}
	return false, fmt.Errorf("status %s: %.300s", status, body)
}
