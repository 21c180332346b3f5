{{- /* Refuses values that no object can have, or that another would undo: what a schema cannot say. */}}
{{- define "recording-request.checked" }}
{{- $v := .Values }}
{{- with .Files.Get "files/settings.txt" }}
  {{- $known := splitList "\n" . }}
  {{- range $name := keys $v.settings }}
    {{- if not (or (has $name $known) (hasPrefix "NODE_" $name)) }}{{ fail (printf "settings.%s: nothing reads a setting of this name; docs/settings.md and docs/telemetry.md have all" $name) }}{{ end }}
  {{- end }}
{{- end }}
{{- range $name, $own := $v.services }}
  {{- $worker := has $name (list "media" "transcription" "webhooks") }}
  {{- $scaled := or (not $worker) (ne $v.scaling "none") }}
  {{- if and $own.replicas $scaled }}
    {{- fail (printf "services.%s.replicas and %s exclude each other: remove one, or say services.%s.autoscaling" $name (ternary (printf "scaling=%s" $v.scaling) "its autoscaler" $worker) $name) }}
  {{- end }}
  {{- if and $own.tmp (not (dig "limits" "ephemeral-storage" "" (default dict $own.resources))) }}
    {{- fail (printf "services.%s.tmp needs services.%s.resources.limits.ephemeral-storage, which is more: a pod that has more than that is evicted" $name $name) }}
  {{- end }}
  {{- with $own.autoscaling }}
    {{- if not $scaled }}{{ fail (printf "services.%s.autoscaling needs scaling=keda or scaling=cpu" $name) }}{{ end }}
    {{- if and .min .max }}{{ if gt (int .min) (int .max) }}{{ fail (printf "services.%s.autoscaling: min is %d, more than max, which is %d" $name (int .min) (int .max)) }}{{ end }}{{ end }}
  {{- end }}
{{- end }}
{{- if and $v.backup.claim (eq $v.profile "operators") }}{{ fail "backup.claim: with profile=operators the backup logs in as a user of its own, which kustomize alone sets up (deploy/k8s/overlays/operators/backup)" }}{{ end }}
{{- if and $v.edge.ingress.tlsSecret (not $v.edge.hosts) }}{{ fail "edge.ingress.tlsSecret needs edge.hosts: the names of its certificate" }}{{ end }}
{{- if and (ne $v.edge.kind "none") (not $v.edge.hosts) }}{{ fail (printf "edge.kind=%s needs edge.hosts: without them it would take the requests of every name" $v.edge.kind) }}{{ end }}
{{- end }}
