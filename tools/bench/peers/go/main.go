// Peers of the benchmark: alternatives in front of the same services and the same object store.
//
//	peers gateway -listen A -projects A -submissions A   grpc-gateway
//	peers proxy   -listen A -target URL                  httputil.ReverseProxy
//	peers zip     -listen A -list FILE                   archive/zip
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var peers = map[string]func(flags *flag.FlagSet, args []string) (http.Handler, error){
	"gateway": newGateway,
	"proxy":   newProxy,
	"zip":     newZip,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	if len(args) == 0 || peers[args[0]] == nil {
		return errors.New("usage: peers gateway|proxy|zip -listen HOST:PORT …")
	}
	flags := flag.NewFlagSet(args[0], flag.ExitOnError)
	listen := flags.String("listen", "", "host:port to serve on")
	handler, err := peers[args[0]](flags, args[1:])
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("/", handler)
	server := &http.Server{Addr: *listen, Handler: mux, ReadHeaderTimeout: 10 * time.Second}

	stop, release := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer release()
	go func() {
		<-stop.Done()
		limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(limit)
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
