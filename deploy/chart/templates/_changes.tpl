{{- /* Applies the values to `object`. */}}
{{- define "recording-request.changed" }}
{{- $o := .object }}
{{- $v := .root.Values }}
{{- /* A workload's own Secret replaces the common one. */}}
{{- $names := .names }}
{{- with get $v.secretNames $o.metadata.name }}{{ $names = merge (dict "recording-request" .) $names }}{{ end }}
{{- if or (eq $o.kind "ConfigMap") (eq $o.kind "Secret") }}
  {{- $_ := set $o.metadata "name" (default $o.metadata.name (get .names $o.metadata.name)) }}
{{- else if or (eq $o.kind "Deployment") (eq $o.kind "Job") }}
  {{- include "recording-request.pod" (dict "name" $o.metadata.name "template" $o.spec.template "names" $names "root" .root) }}
  {{- if eq $o.kind "Job" }}
    {{- /* A Job is immutable, so each revision creates a new Job. In production the Job is a hook, which Helm deletes first. */}}
    {{- if ne $v.profile "production" }}{{ $_ := set $o.metadata "name" (printf "%s-%d" $o.metadata.name .root.Release.Revision) }}{{ end }}
  {{- else }}
    {{- /* Pods read a Secret only when they start, so a changed Secret must start new pods. Without a cluster, a rendering finds no Secret. */}}
    {{- $secret := lookup "v1" "Secret" .root.Release.Namespace (get $names "recording-request") }}
    {{- if and $secret (ne $v.profile "local") }}
      {{- $seen := dict "recording-request/secret" (toJson $secret.data | sha256sum | trunc 16) }}
      {{- $_ := set $o.spec.template.metadata "annotations" (merge $seen (default dict $o.spec.template.metadata.annotations)) }}
    {{- end }}
    {{- $own := default dict (get $v.services $o.metadata.name) }}
    {{- $container := first $o.spec.template.spec.containers }}
    {{- if $own.resources }}{{ $_ := set $container "resources" (merge (deepCopy $own.resources) $container.resources) }}{{ end }}
    {{- if $own.tmp }}{{ range $o.spec.template.spec.volumes }}{{ if eq .name "tmp" }}{{ $_ := set .emptyDir "sizeLimit" $own.tmp }}{{ end }}{{ end }}{{ end }}
    {{- if $own.graceSeconds }}{{ include "recording-request.grace" (dict "object" $o "seconds" (int $own.graceSeconds)) }}{{ end }}
    {{- if $own.replicas }}{{ $_ := set $o.spec "replicas" $own.replicas }}{{ end }}
    {{- if and (ne $v.scaling "none") (has $o.metadata.name (list "media" "transcription" "webhooks")) }}{{ $_ := unset $o.spec "replicas" }}{{ end }}
  {{- end }}
{{- else if eq $o.kind "StatefulSet" }}
  {{- include "recording-request.pod" (dict "name" $o.metadata.name "template" $o.spec.template "names" .names "root" .root) }}
{{- else if eq $o.kind "CronJob" }}
  {{- $_ := set $o.spec "schedule" $v.backup.schedule }}
  {{- $_ := set $o.spec.jobTemplate.spec "activeDeadlineSeconds" (int $v.backup.deadlineSeconds) }}
  {{- $template := $o.spec.jobTemplate.spec.template }}
  {{- with $v.backup.bucket }}{{ $_ := set (first $template.spec.containers) "args" (list "tools/admin/src/main.ts" "backup" "--to" .) }}{{ end }}
  {{- range $template.spec.volumes }}{{ if .persistentVolumeClaim }}{{ $_ := set .persistentVolumeClaim "claimName" $v.backup.claim }}{{ end }}{{ end }}
  {{- include "recording-request.pod" (dict "name" $o.metadata.name "template" $template "names" $names "root" .root) }}
{{- else if eq $o.kind "Pod" }}
  {{- include "recording-request.pod" (dict "name" $o.metadata.name "template" $o "names" .names "root" .root) }}
{{- else if eq $o.kind "ServiceAccount" }}
  {{- $own := default dict (default dict (get $v.services $o.metadata.name)).serviceAccount }}
  {{- $common := default dict $v.serviceAccount }}
  {{- include "recording-request.metadata" (dict "object" $o "labels" (list $own.labels $common.labels) "annotations" (list $own.annotations $common.annotations)) }}
{{- else if and (eq $o.kind "TriggerAuthentication") $v.kedaSecret }}
  {{- $login := list (dict "parameter" "username" "name" $v.kedaSecret "key" "KAFKA_USERNAME") (dict "parameter" "password" "name" $v.kedaSecret "key" "KAFKA_PASSWORD") }}
  {{- $_ := set (unset $o.spec "env") "secretTargetRef" (concat $login $o.spec.secretTargetRef) }}
{{- else if or (eq $o.kind "HorizontalPodAutoscaler") (eq $o.kind "ScaledObject") }}
  {{- $least := ternary "minReplicas" "minReplicaCount" (eq $o.kind "HorizontalPodAutoscaler") }}
  {{- $most := ternary "maxReplicas" "maxReplicaCount" (eq $o.kind "HorizontalPodAutoscaler") }}
  {{- $bounds := default dict (default dict (get $v.services $o.metadata.name)).autoscaling }}
  {{- if $bounds.min }}{{ $_ := set $o.spec $least $bounds.min }}{{ end }}
  {{- if $bounds.max }}{{ $_ := set $o.spec $most $bounds.max }}{{ end }}
  {{- if eq $o.kind "ScaledObject" }}
    {{- range $o.spec.triggers }}
      {{- if eq .type "kafka" }}{{ include "recording-request.kafka" (dict "trigger" .metadata "settings" $.settings) }}{{ end }}
      {{- if eq .type "prometheus" }}
        {{- $_ := set .metadata "serverAddress" $v.streams.prometheus }}
        {{- if $bounds.streams }}{{ $_ := set .metadata "threshold" (toString $bounds.streams) }}{{ end }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- with $bounds.behavior }}
    {{- $own := dict "behavior" . }}
    {{- if eq $o.kind "ScaledObject" }}{{ $own = dict "advanced" (dict "horizontalPodAutoscalerConfig" $own) }}{{ end }}
    {{- $_ := mergeOverwrite $o.spec (deepCopy $own) }}
  {{- end }}
{{- else if eq $o.kind "NetworkPolicy" }}
  {{- if and (or $v.backup.claim $v.backup.bucket) (has $o.metadata.name (list "to-mongo" "to-kafka" "to-objects")) }}
    {{- $callers := first $o.spec.podSelector.matchExpressions }}
    {{- $_ := set $callers "values" (append $callers.values "backup") }}
  {{- end }}
  {{- if eq $o.metadata.name "webhooks-to-owners" }}
    {{- $versions := (first $o.spec.egress).to }}
    {{- range $v.webhooksExcept }}
      {{- $block := (index $versions (ternary 1 0 (contains ":" .))).ipBlock }}
      {{- $_ := set $block "except" (append $block.except .) }}
    {{- end }}
  {{- end }}
  {{- $name := $o.metadata.name | trimPrefix "to-" | trimPrefix "from-" }}
  {{- with get $v.networks $name }}{{ $_ := set $o.spec (ternary "ingress" "egress" (eq $name "edge")) . }}{{ end }}
{{- else if eq $o.kind "Kafka" }}
  {{- range $listener := $o.spec.kafka.listeners }}
    {{- range $listener.networkPolicyPeers }}{{ $_ := set .namespaceSelector.matchLabels "kubernetes.io/metadata.name" $.root.Release.Namespace }}{{ end }}
  {{- end }}
{{- else if eq $o.kind "HTTPRoute" }}
  {{- $parent := dict "name" $v.edge.gateway.name }}
  {{- range $field := list "namespace" "sectionName" }}
    {{- with get $v.edge.gateway $field }}{{ $_ := set $parent $field . }}{{ end }}
  {{- end }}
  {{- $_ := set $o.spec "parentRefs" (list $parent) }}
  {{- if $v.edge.hosts }}{{ $_ := set $o.spec "hostnames" $v.edge.hosts }}{{ end }}
{{- else if eq $o.kind "Ingress" }}
  {{- $_ := set $o.metadata "annotations" (merge (deepCopy $v.edge.ingress.annotations) $o.metadata.annotations) }}
  {{- if $v.edge.ingress.className }}{{ $_ := set $o.spec "ingressClassName" $v.edge.ingress.className }}{{ end }}
  {{- if $v.edge.hosts }}
    {{- $http := (first $o.spec.rules).http }}
    {{- $rules := list }}
    {{- range $v.edge.hosts }}{{ $rules = append $rules (dict "host" . "http" $http) }}{{ end }}
    {{- $_ := set $o.spec "rules" $rules }}
    {{- if $v.edge.ingress.tlsSecret }}{{ $_ := set $o.spec "tls" (list (dict "hosts" $v.edge.hosts "secretName" $v.edge.ingress.tlsSecret)) }}{{ end }}
  {{- end }}
{{- end }}
{{- include "recording-request.possible" (dict "object" $o "settings" .settings "own" .own) }}
{{- end }}

{{- /* Sets a pod's grace period. Sets STOP_GRACE_SECONDS to this period minus preStop's sleep and a reserve, like the base. */}}
{{- define "recording-request.grace" }}
{{- $pod := .object.spec.template.spec }}
{{- $container := first $pod.containers }}
{{- $env := list (dict "name" "STOP_GRACE_SECONDS" "value" (sub .seconds 20 | toString)) }}
{{- range $container.env }}{{ if ne .name "STOP_GRACE_SECONDS" }}{{ $env = append $env . }}{{ end }}{{ end }}
{{- $_ := set $container "env" $env }}
{{- $_ := set $pod "terminationGracePeriodSeconds" .seconds }}
{{- /* A new pod may have to wait until a terminating pod frees its resources. */}}
{{- $_ := set .object.spec "progressDeadlineSeconds" (max 600 (add .seconds 240)) }}
{{- end }}

{{- /* Sets KEDA's trigger to the services' topic prefix, TLS and login. */}}
{{- define "recording-request.kafka" }}
{{- $trigger := .trigger }}
{{- $settings := .settings }}
{{- range list "topic" "consumerGroup" }}
  {{- $_ := set $trigger . (printf "%s%s" (default "" $settings.KAFKA_TOPIC_PREFIX) (get $trigger .)) }}
{{- end }}
{{- if hasKey $trigger "sasl" }}
  {{- if $settings.KAFKA_CERT_FILE }}{{ fail "scaling=keda cannot use the client certificate of KAFKA_CERT_FILE: choose scaling=cpu" }}{{ end }}
  {{- $mechanism := default "" $settings.KAFKA_SASL_MECHANISM }}
  {{- $sasl := get (dict "" "none" "PLAIN" "plaintext" "SCRAM-SHA-256" "scram_sha256" "SCRAM-SHA-512" "scram_sha512") $mechanism }}
  {{- if not $sasl }}{{ fail (printf "scaling=keda cannot log in with KAFKA_SASL_MECHANISM=%s: choose scaling=cpu" $mechanism) }}{{ end }}
  {{- $_ := set $trigger "sasl" $sasl }}
  {{- $_ := set $trigger "tls" (ternary "enable" "disable" (eq (default "" $settings.KAFKA_TLS) "true")) }}
{{- end }}
{{- end }}
