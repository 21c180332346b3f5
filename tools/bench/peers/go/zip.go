package main

import (
	"archive/zip"
	"bufio"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

type entry struct{ name, url string }

// newZip answers with an uncompressed archive of the files in a list, whose lines have a name, a tab and a URL. It reads each file
// from the store while it writes.
func newZip(flags *flag.FlagSet, args []string) (http.Handler, error) {
	list := flags.String("list", "", "the file with the entries")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	entries, err := readList(*list)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: storeTransport()}
	pool := newBuffers()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/zip")
		archive := zip.NewWriter(w)
		for _, each := range entries {
			if err := add(archive, client, pool, r, each); err != nil {
				// The headers are already sent, so only a cut connection reports the error to the client.
				panic(http.ErrAbortHandler)
			}
		}
		if err := archive.Close(); err != nil {
			panic(http.ErrAbortHandler)
		}
	}), nil
}

func add(archive *zip.Writer, client *http.Client, pool *buffers, r *http.Request, each entry) error {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, each.url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", each.name, answer.Status)
	}
	into, err := archive.CreateHeader(&zip.FileHeader{Name: each.name, Method: zip.Store})
	if err != nil {
		return err
	}
	buffer := pool.Get()
	defer pool.Put(buffer)
	_, err = io.CopyBuffer(into, answer.Body, buffer)
	return err
}

func readList(path string) ([]entry, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var entries []entry
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, url, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("a line of %s is not a name, a tab and an address", path)
		}
		entries = append(entries, entry{name, url})
	}
	return entries, lines.Err()
}
