{{- /* Rejects invalid or conflicting values that the schema cannot detect. */}}
{{- define "recording-request.checked" }}
{{- $v := .Values }}
{{- if eq $v.profile "production" }}{{ with include "recording-request.placeholders" . | trim }}{{ fail . }}{{ end }}{{ end }}
{{- with .Files.Get "files/settings.txt" }}
  {{- $known := splitList "\n" . }}
  {{- $given := dict "settings" $v.settings }}
  {{- range $name, $own := $v.services }}{{ $_ := set $given (printf "services.%s.settings" $name) (default dict $own.settings) }}{{ end }}
  {{- range $path, $settings := $given }}
    {{- range $name := keys $settings }}
      {{- if not (or (has $name $known) (hasPrefix "NODE_" $name)) }}{{ fail (printf "%s.%s: no service reads this setting; docs/settings.md and docs/telemetry.md list all" $path $name) }}{{ end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- range $name, $own := $v.services }}
  {{- $worker := has $name (list "media" "transcription" "webhooks") }}
  {{- $scaled := or (not $worker) (ne $v.scaling "none") }}
  {{- if and $own.replicas $scaled }}
    {{- fail (printf "services.%s.replicas and %s exclude each other: remove one, or set services.%s.autoscaling" $name (ternary (printf "scaling=%s" $v.scaling) "its autoscaler" $worker) $name) }}
  {{- end }}
  {{- with $own.autoscaling }}
    {{- if not $scaled }}{{ fail (printf "services.%s.autoscaling needs scaling=keda or scaling=cpu" $name) }}{{ end }}
    {{- if .streams }}
      {{- if not (has $name (list "gateway" "submissions")) }}{{ fail (printf "services.%s.autoscaling.streams: only gateway and submissions scale by streams" $name) }}{{ end }}
      {{- if not $v.streams.prometheus }}{{ fail (printf "services.%s.autoscaling.streams needs streams.prometheus" $name) }}{{ end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- range $name, $rules := $v.networks }}
  {{- range $i, $rule := $rules }}
    {{- range $side := list "to" "from" }}
      {{- range $j, $peer := default list (get $rule $side) }}
        {{- include "recording-request.peer" (dict "at" (printf "networks.%s[%d].%s[%d]" $name $i $side $j) "peer" $peer) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- range $i, $cidr := $v.webhooksExcept }}{{ include "recording-request.cidr" (dict "at" (printf "webhooksExcept[%d]" $i) "cidr" $cidr) }}{{ end }}
{{- if and $v.backup.claim $v.backup.bucket }}{{ fail "backup.claim and backup.bucket exclude each other: remove one" }}{{ end }}
{{- if and $v.networks.backup (not $v.backup.bucket) }}{{ fail "networks.backup needs backup.bucket: a backup to a claim reaches no other store" }}{{ end }}
{{- if and (or $v.backup.claim $v.backup.bucket) (eq $v.profile "operators") }}{{ fail "backup: with profile=operators, the backup needs its own users, which only kustomize sets up (deploy/k8s/overlays/operators/backup)" }}{{ end }}
{{- if $v.secretFiles }}
  {{- if ne $v.profile "production" }}{{ fail "secretFiles needs profile=production" }}{{ end }}
  {{- if and $v.networks.redis (not (or $v.settings.REDIS_URL_FILE (dig "gateway" "settings" "REDIS_URL_FILE" "" $v.services))) }}
    {{- fail "secretFiles with networks.redis needs settings.REDIS_URL_FILE=/secrets/REDIS_URL: otherwise each gateway counts requests alone" }}
  {{- end }}
  {{- if and (eq $v.scaling "keda") $v.settings.KAFKA_SASL_MECHANISM (not $v.kedaSecret) }}
    {{- fail "secretFiles needs kedaSecret: the name of a Secret with KAFKA_USERNAME and KAFKA_PASSWORD for KEDA, which reads no file" }}
  {{- end }}
{{- end }}
{{- if and $v.edge.ingress.tlsSecret (not $v.edge.hosts) }}{{ fail "edge.ingress.tlsSecret needs edge.hosts: the host names in its certificate" }}{{ end }}
{{- if and (eq $v.edge.kind "none") $v.edge.hosts }}{{ fail "edge.hosts has no effect with edge.kind=none: set edge.kind to gateway-api or ingress, or remove the hosts" }}{{ end }}
{{- if and (ne $v.edge.kind "none") (not $v.edge.hosts) }}{{ fail (printf "edge.kind=%s needs edge.hosts: without them, it would route the requests of every host name" $v.edge.kind) }}{{ end }}
{{- end }}

{{- /* Rejects an invalid peer of a NetworkPolicy. */}}
{{- define "recording-request.peer" }}
{{- with .peer.ipBlock }}
  {{- if gt (len $.peer) 1 }}{{ fail (printf "%s: an ipBlock and a selector cannot be one peer: make each an entry of its own" $.at) }}{{ end }}
  {{- include "recording-request.cidr" (dict "at" (printf "%s.ipBlock.cidr" $.at) "cidr" .cidr) }}
  {{- range $i, $cidr := .except }}{{ include "recording-request.cidr" (dict "at" (printf "%s.ipBlock.except[%d]" $.at $i) "cidr" $cidr) }}{{ end }}
{{- end }}
{{- end }}

{{- /* Rejects text that is not a range of addresses. */}}
{{- define "recording-request.cidr" }}
{{- $v4 := regexMatch "^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\\.){3}(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])/(3[0-2]|[12]?[0-9])$" .cidr }}
{{- $v6 := regexMatch "^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*/(12[0-8]|1[01][0-9]|[1-9]?[0-9])$" .cidr }}
{{- if not (or $v4 $v6) }}
  {{- fail (printf "%s: %s is not a range of addresses: write one such as 10.1.0.0/24, 10.1.0.7/32 or fd00::/64; a name needs a rule like the one in values.production.example.yaml" .at .cidr) }}
{{- end }}
{{- end }}

{{- /* Rejects an `object` whose values, with the defaults, conflict with each other. `own` has the service's own settings, `settings` has all that it reads. */}}
{{- define "recording-request.possible" }}
{{- $o := .object }}
{{- $name := $o.metadata.name }}
{{- if has $o.kind (list "HorizontalPodAutoscaler" "ScaledObject") }}
  {{- $min := int (default $o.spec.minReplicaCount $o.spec.minReplicas) }}
  {{- $max := int (default $o.spec.maxReplicaCount $o.spec.maxReplicas) }}
  {{- if gt $min $max }}{{ fail (printf "services.%s.autoscaling: min (%d) is more than max (%d)" $name $min $max) }}{{ end }}
  {{- $partitions := int (default "6" .settings.KAFKA_PARTITIONS) }}
  {{- if and (eq $name "webhooks") (gt $max $partitions) }}{{ fail (printf "services.webhooks.autoscaling: max (%d) is more than KAFKA_PARTITIONS (%d), and other pods would do nothing: lower max" $max $partitions) }}{{ end }}
{{- else if eq $o.kind "Deployment" }}
  {{- $spec := $o.spec.template.spec }}
  {{- $limit := dig "limits" "ephemeral-storage" "" (first $spec.containers).resources }}
  {{- range $spec.volumes }}
    {{- if and $limit (eq .name "tmp") }}
      {{- $tmp := include "recording-request.bytes" .emptyDir.sizeLimit | float64 }}
      {{- if ge $tmp (include "recording-request.bytes" $limit | float64) }}
        {{- fail (printf "services.%s.tmp needs a higher services.%s.resources.limits.ephemeral-storage: /tmp may hold %s, and Kubernetes evicts a pod that uses more than %v" $name $name .emptyDir.sizeLimit $limit) }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- $stop := dict "value" (default "25" .settings.STOP_GRACE_SECONDS) }}
  {{- range (first $spec.containers).env }}
    {{- if and (hasKey . "value") (hasKey $.own .name) }}
      {{- fail (printf "services.%s.settings.%s has no effect, because the Deployment has this variable%s" $name .name (ternary (printf ": set services.%s.graceSeconds" $name) "" (eq .name "STOP_GRACE_SECONDS"))) }}
    {{- end }}
    {{- if eq .name "STOP_GRACE_SECONDS" }}{{ $stop = . }}{{ end }}
  {{- end }}
  {{- $stops := int $stop.value }}
  {{- $grace := int $spec.terminationGracePeriodSeconds }}
  {{- $serves := int (first $spec.containers).lifecycle.preStop.sleep.seconds }}
  {{- if ge $stops (sub $grace $serves) }}
    {{- fail (printf "settings.STOP_GRACE_SECONDS: Kubernetes kills pods of %s %d s after SIGTERM; they serve for %d s of them, and STOP_GRACE_SECONDS is %d s: set services.%s.graceSeconds=%d, which covers both" $name $grace $serves $stops $name (add $stops 20)) }}
  {{- end }}
  {{- /* The defaults of the job limits. */}}
  {{- $jobs := dict "media" "600" "transcription" "300" }}
  {{- if hasKey $jobs $name }}
    {{- $variable := printf "%s_JOB_SECONDS" (upper $name) }}
    {{- $job := int (default (get $jobs $name) (get .settings $variable)) }}
    {{- /* A stop reserves its last five seconds for closing connections, after the jobs. */}}
    {{- if gt $job (sub $stops 5) }}
      {{- fail (printf "services.%s.graceSeconds: a job may take %d s (%s.%s), but the service ends it %d s after SIGTERM: set %d or more" $name $job (ternary (printf "services.%s.settings" $name) "settings" (hasKey .own $variable)) $variable (sub $stops 5) (add $job 25)) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* Converts a Kubernetes quantity to bytes. */}}
{{- define "recording-request.bytes" }}
{{- $text := kindIs "float64" . | ternary (printf "%.0f" .) (toString .) }}
{{- $units := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $unit := regexFind "[A-Za-z]*$" $text }}
{{- if not (and (hasKey $units $unit) (regexMatch "^[0-9]+(\\.[0-9]+)?[A-Za-z]*$" $text)) }}{{ fail (printf "%s is not a size such as 20Gi" $text) }}{{ end }}
{{- mulf (trimSuffix $unit $text) (get $units $unit) }}
{{- end }}
