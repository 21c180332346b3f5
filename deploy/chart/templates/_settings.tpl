{{- /*
Returns the settings that pods of this release run with, where they are others than `current`. Helm removes what a revision no longer has before its pods are
replaced: one of the revision before that has to start again meanwhile would find none. They go with a revision that comes when no pod has them.
*/}}
{{- define "recording-request.settings-in-use" }}
{{- $namespace := .root.Release.Namespace }}
{{- $names := dict }}
{{- range $set := default list (lookup "apps/v1" "ReplicaSet" $namespace "").items }}
  {{- if gt (int $set.spec.replicas) 0 }}
    {{- range $set.spec.template.spec.containers }}
      {{- range default list .envFrom }}{{ if .configMapRef }}{{ $_ := set $names .configMapRef.name true }}{{ end }}{{ end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- $used := list }}
{{- range $name := keys (omit $names .current) }}
  {{- $found := lookup "v1" "ConfigMap" $namespace $name }}
  {{- if and $found (eq (default "" (get (default dict $found.metadata.labels) "app.kubernetes.io/instance")) $.root.Release.Name) }}
    {{- $metadata := dict "name" $name "namespace" $namespace "labels" $found.metadata.labels }}
    {{- $used = append $used (dict "apiVersion" "v1" "kind" "ConfigMap" "metadata" $metadata "data" $found.data) }}
  {{- end }}
{{- end }}
{{ toYaml $used }}
{{- end }}
