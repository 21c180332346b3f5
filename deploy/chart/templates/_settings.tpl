{{- /*
Returns the ConfigMaps of settings, except those named in `current`, that running pods use. Helm deletes the objects of an old revision before it replaces their pods, and a pod
that restarts in between would find no settings. A later revision, when no pod uses them, deletes them.
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
{{- range $name := keys $names }}
  {{- $found := has $name $.current | ternary dict (lookup "v1" "ConfigMap" $namespace $name) }}
  {{- if and $found (eq (default "" (get (default dict $found.metadata.labels) "app.kubernetes.io/instance")) $.root.Release.Name) }}
    {{- $metadata := dict "name" $name "namespace" $namespace "labels" $found.metadata.labels }}
    {{- $used = append $used (dict "apiVersion" "v1" "kind" "ConfigMap" "metadata" $metadata "data" $found.data) }}
  {{- end }}
{{- end }}
{{ toYaml $used }}
{{- end }}
