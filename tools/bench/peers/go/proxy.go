package main

import (
	"flag"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

const (
	copyBytes   = 256 * 1024
	connections = 128
)

// buffers is a pool of reused buffers.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte       { return *b.pool.Get().(*[]byte) }
func (b *buffers) Put(buffer []byte) { b.pool.Put(&buffer) }

func newBuffers() *buffers {
	return &buffers{sync.Pool{New: func() any {
		buffer := make([]byte, copyBytes)
		return &buffer
	}}}
}

func storeTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = connections
	transport.DisableCompression = true
	return transport
}

// newProxy forwards every request to one origin with the origin's host name, so that URLs signed for it are valid here too.
func newProxy(flags *flag.FlagSet, args []string) (http.Handler, error) {
	target := flags.String("target", "", "the origin's address")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	origin, err := url.Parse(*target)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite:    func(request *httputil.ProxyRequest) { request.SetURL(origin) },
		Transport:  storeTransport(),
		BufferPool: newBuffers(),
	}, nil
}
