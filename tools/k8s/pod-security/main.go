// Package main reports the violations of the Pod Security Standard `restricted` in pods, with the messages of Kubernetes' own admission.
// Reads {"version": "v1.30", "pods": [Pod…]} from standard input and writes a list of messages for each pod, in the same order.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

type question struct {
	Version string       `json:"version"`
	Pods    []corev1.Pod `json:"pods"`
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatalf("the input is invalid: %v", err)
	}
	version, err := api.ParseVersion(asked.Version)
	if err != nil {
		log.Fatal(err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		log.Fatal(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: version}
	answers := make([][]string, len(asked.Pods))
	for i, pod := range asked.Pods {
		answers[i] = []string{}
		for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
			if !result.Allowed {
				answers[i] = append(answers[i], fmt.Sprintf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail))
			}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
