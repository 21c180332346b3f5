package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"golang.org/x/sync/singleflight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	accountsv1 "recording-request/bench-peers/gen/recording/accounts/v1"
	projectsv1 "recording-request/bench-peers/gen/recording/projects/v1"
	submissionsv1 "recording-request/bench-peers/gen/recording/submissions/v1"
)

const (
	tokenLifetime = 5 * time.Second
	callLimit     = 5 * time.Second
)

// gateway answers GET /api/projects/{id} with the same calls as the product: first the token's owner, cached for five seconds,
// then the project and its counts at once.
type gateway struct {
	accounts    accountsv1.AccountsServiceClient
	submissions submissionsv1.SubmissionsServiceClient
	generated   *runtime.ServeMux
	tokens      tokenCache
}

func newGateway(flags *flag.FlagSet, args []string) (http.Handler, error) {
	projects := flags.String("projects", "", "host:port of the projects service")
	submissions := flags.String("submissions", "", "host:port of the submissions service")
	cert := flags.String("cert", "", "file with the certificate")
	key := flags.String("key", "", "file with its key")
	ca := flags.String("ca", "", "file with the authority of the services' certificates")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	secure, err := mutualTLS(*cert, *key, *ca)
	if err != nil {
		return nil, err
	}
	toProjects, err := grpc.NewClient(*projects, grpc.WithTransportCredentials(secure))
	if err != nil {
		return nil, err
	}
	toSubmissions, err := grpc.NewClient(*submissions, grpc.WithTransportCredentials(secure))
	if err != nil {
		return nil, err
	}
	json := &runtime.JSONPb{MarshalOptions: protojson.MarshalOptions{EmitUnpopulated: true}}
	generated := runtime.NewServeMux(
		runtime.WithMarshalerOption(runtime.MIMEWildcard, &composing{json}),
		runtime.WithForwardResponseRewriter(addCounts),
	)
	if err := projectsv1.RegisterProjectsServiceHandler(context.Background(), generated, toProjects); err != nil {
		return nil, err
	}
	return &gateway{
		accounts:    accountsv1.NewAccountsServiceClient(toProjects),
		submissions: submissionsv1.NewSubmissionsServiceClient(toSubmissions),
		generated:   generated,
		tokens:      tokenCache{known: map[string]knownOwner{}},
	}, nil
}

// mutualTLS trusts every certificate of the authority, because the services' names are not host names.
func mutualTLS(certFile, keyFile, caFile string) (credentials.TransportCredentials, error) {
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, errors.New("there is no certificate in " + caFile)
	}
	return credentials.NewTLS(&tls.Config{
		Certificates:       []tls.Certificate{certificate},
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			intermediates := x509.NewCertPool()
			for _, each := range state.PeerCertificates[1:] {
				intermediates.AddCert(each)
			}
			_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: pool, Intermediates: intermediates})
			return err
		},
	}), nil
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), callLimit)
	defer cancel()
	token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	projectID, isProject := strings.CutPrefix(r.URL.Path, "/api/projects/")
	if !isBearer {
		http.Error(w, "send a token", http.StatusUnauthorized)
		return
	}
	if !isProject {
		http.NotFound(w, r)
		return
	}
	ownerID, err := g.tokens.ownerOf(token, func() (string, error) {
		hash := sha256.Sum256([]byte(token))
		found, err := g.accounts.Authenticate(ctx, &accountsv1.AuthenticateRequest{TokenHash: hash[:]})
		return found.GetUser().GetUserId(), err
	})
	if err != nil {
		http.Error(w, "no such token", http.StatusUnauthorized)
		return
	}
	counts := make(chan counted, 1)
	go func() {
		request := &submissionsv1.CountSubmissionsRequest{OwnerId: ownerID, ProjectIds: []string{projectID}}
		reply, err := g.submissions.CountSubmissions(ctx, request)
		counts <- counted{reply, err}
	}()
	inner := r.WithContext(context.WithValue(ctx, countsKey{}, counts))
	path := *r.URL
	path.Path = "/api/owners/" + ownerID + "/projects/" + projectID
	inner.URL = &path
	// This header is only for this gateway; without this line, the generated gateway would forward it.
	inner.Header.Del("Authorization")
	g.generated.ServeHTTP(w, inner)
}

type countsKey struct{}

type counted struct {
	reply *submissionsv1.CountSubmissionsResponse
	err   error
}

// composed is the HTTP response, with two messages in one JSON object.
type composed struct {
	project, counts proto.Message
}

func addCounts(ctx context.Context, project proto.Message) (any, error) {
	counts, ok := ctx.Value(countsKey{}).(chan counted)
	if !ok {
		return nil, status.Error(codes.Internal, "no counts were asked for")
	}
	select {
	case found := <-counts:
		return &composed{project, found.reply}, found.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type composing struct {
	*runtime.JSONPb
}

func (c *composing) Marshal(value any) ([]byte, error) {
	both, ok := value.(*composed)
	if !ok {
		return c.JSONPb.Marshal(value)
	}
	answer, err := c.MarshalOptions.MarshalAppend([]byte(`{"project":`), both.project)
	if err != nil {
		return nil, err
	}
	answer, err = c.MarshalOptions.MarshalAppend(append(answer, `,"counts":`...), both.counts)
	return append(answer, '}'), err
}

type knownOwner struct {
	ownerID string
	until   time.Time
}

type tokenCache struct {
	flights singleflight.Group
	mutex   sync.RWMutex
	known   map[string]knownOwner
}

func (c *tokenCache) ownerOf(token string, lookUp func() (string, error)) (string, error) {
	c.mutex.RLock()
	found, ok := c.known[token]
	c.mutex.RUnlock()
	if ok && time.Now().Before(found.until) {
		return found.ownerID, nil
	}
	ownerID, err, _ := c.flights.Do(token, func() (any, error) {
		until := time.Now().Add(tokenLifetime)
		ownerID, err := lookUp()
		if err == nil {
			c.mutex.Lock()
			c.known[token] = knownOwner{ownerID, until}
			c.mutex.Unlock()
		}
		return ownerID, err
	})
	if err != nil {
		return "", err
	}
	return ownerID.(string), nil
}
