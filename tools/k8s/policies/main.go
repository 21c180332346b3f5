// Package main reports the connections that NetworkPolicies allow. Reads {"policies": [NetworkPolicy…], "connections": [{"from", "to", "port"}…]}
// from standard input and writes a list of booleans, in the order of the connections.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/mattfenwick/cyclonus/pkg/matcher"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// One end of a connection: an address, and its pod, if any.
type end struct {
	IP              string            `json:"ip"`
	Namespace       string            `json:"namespace"`
	NamespaceLabels map[string]string `json:"namespaceLabels"`
	Labels          map[string]string `json:"labels"`
}

func (e end) peer() *matcher.TrafficPeer {
	if e.Namespace == "" {
		return &matcher.TrafficPeer{IP: e.IP}
	}
	pod := &matcher.InternalPeer{PodLabels: e.Labels, NamespaceLabels: e.NamespaceLabels, Namespace: e.Namespace}
	return &matcher.TrafficPeer{Internal: pod, IP: e.IP}
}

type question struct {
	Policies    []*networkingv1.NetworkPolicy `json:"policies"`
	Connections []struct {
		From     end    `json:"from"`
		To       end    `json:"to"`
		Port     int    `json:"port"`
		PortName string `json:"portName"`
		Protocol string `json:"protocol"`
	} `json:"connections"`
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatalf("the input is invalid: %v", err)
	}
	policy := matcher.BuildNetworkPolicies(false, asked.Policies)
	answers := make([]bool, 0, len(asked.Connections))
	for _, each := range asked.Connections {
		protocol := corev1.ProtocolTCP
		if each.Protocol != "" {
			protocol = corev1.Protocol(each.Protocol)
		}
		result := policy.IsTrafficAllowed(&matcher.Traffic{
			Source: each.From.peer(), Destination: each.To.peer(),
			ResolvedPort: each.Port, ResolvedPortName: each.PortName, Protocol: protocol,
		})
		answers = append(answers, result.IsAllowed())
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
