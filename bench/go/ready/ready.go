// Package ready listens for a contender, and reports where: one line of JSON on standard output, as bench/ready.ts does.
package ready

import (
	"crypto/tls"
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"os"
	"os/signal"

	"quintet.test/bench/guard"
)

var (
	certificate = flag.String("cert", "", "a certificate in PEM; if given, TLS is used")
	key         = flag.String("key", "", "its private key in PEM")
)

// Certificate is the one to use for TLS; false if none is requested.
func Certificate() (tls.Certificate, bool) {
	flag.Parse()
	if *certificate == "" {
		return tls.Certificate{}, false
	}
	loaded, err := tls.LoadX509KeyPair(*certificate, *key)
	if err != nil {
		panic(err)
	}
	return loaded, true
}

// Listen listens on a free port. From then on, an interrupt ends the process.
func Listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		os.Exit(0)
	}()
	port := listener.Addr().(*net.TCPAddr).Port
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"port": port, "keys": guard.Keys}); err != nil {
		panic(err)
	}
	return listener
}

// Serve serves HTTP/1.1 and HTTP/2 by net/http, with TLS if a certificate is given.
func Serve(handler http.Handler) {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := http.Server{Handler: handler, Protocols: &protocols}
	loaded, secure := Certificate()
	listener := Listen()
	if secure {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{loaded}}
		panic(server.ServeTLS(listener, "", ""))
	}
	panic(server.Serve(listener))
}
