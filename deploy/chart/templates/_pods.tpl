{{- /*
Applies the values of pods to `template`, the pod of the workload `name`: the common ones, and those of `services.NAME`, which win. Sets each container's image, and the
names of its settings and its Secret.
*/}}
{{- define "recording-request.pod" }}
{{- $v := .root.Values }}
{{- $own := default dict (get $v.services .name) }}
{{- $spec := .template.spec }}
{{- range $field := list "imagePullSecrets" "tolerations" "priorityClassName" }}
  {{- with default (get $v $field) (get $own $field) }}{{ $_ := set $spec $field . }}{{ end }}
{{- end }}
{{- with merge (deepCopy (default dict $own.nodeSelector)) $v.nodeSelector }}{{ $_ := set $spec "nodeSelector" . }}{{ end }}
{{- include "recording-request.metadata" (dict "object" .template "labels" (list $own.podLabels $v.podLabels) "annotations" (list $own.podAnnotations $v.podAnnotations)) }}
{{- $images := dict "recording-request" $v.images.services "recording-request-workers" $v.images.workers }}
{{- range $container := $spec.containers }}
  {{- $image := get $images (first (splitList ":" $container.image)) }}
  {{- if $image }}
    {{- $_ := set $container "image" (ternary (printf "%s@%s" $image.repository $image.digest) (printf "%s:%s" $image.repository (default $.root.Chart.AppVersion $image.tag)) (ne $image.digest "")) }}
  {{- end }}
  {{- range default list $container.envFrom }}{{ $_ := set .configMapRef "name" (get $.names .configMapRef.name) }}{{ end }}
  {{- range default list $container.env }}
    {{- if (default dict .valueFrom).secretKeyRef }}{{ $_ := set .valueFrom.secretKeyRef "name" (default .valueFrom.secretKeyRef.name (get $.names .valueFrom.secretKeyRef.name)) }}{{ end }}
  {{- end }}
  {{- if $v.secretFiles }}{{ include "recording-request.secret-files" (dict "container" $container "spec" $spec "secret" (get $.names "recording-request") "only" (eq (toString $v.secretFiles) "only")) }}{{ end }}
  {{- if has $.name (list "migrate" "backup") }}{{ include "recording-request.task-settings" (dict "container" $container "settings" $own.settings) }}{{ end }}
  {{- range $path, $source := $own.mounts }}
    {{- $name := trimPrefix "/" $path | replace "/" "-" }}
    {{- include "recording-request.mounted" (dict "container" $container "spec" $spec "path" $path "volume" (merge (dict "name" $name) $source)) }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* Adds labels and annotations to an object or a pod. Its own labels stay, and the first source of a name wins. */}}
{{- define "recording-request.metadata" }}
{{- $metadata := default dict .object.metadata }}
{{- range $field := list "labels" "annotations" }}
  {{- $all := deepCopy (default dict (get $metadata $field)) }}
  {{- range get $ $field }}{{ $all = merge $all (default dict .) }}{{ end }}
  {{- if $all }}{{ $_ := set $metadata $field $all }}{{ end }}
{{- end }}
{{- $_ := set .object "metadata" $metadata }}
{{- end }}

{{- /*
Mounts the workload's Secret at /secrets, and gives NAME_FILE in place of each required variable. The variables of optional keys go away: `settings` name their files. Two kinds
stay unless `only` is true, because they cannot be files: KAFKA_USERNAME, which is no secret, and the headers of OpenTelemetry.
*/}}
{{- define "recording-request.secret-files" }}
{{- $env := list }}
{{- range .container.env }}
  {{- $key := (default dict .valueFrom).secretKeyRef }}
  {{- $isNoFile := or (eq .name "KAFKA_USERNAME") (hasSuffix "_HEADERS" .name) }}
  {{- if or (not $key) (and $isNoFile (not $.only)) }}
    {{- $env = append $env . }}
  {{- else if not $key.optional }}
    {{- $env = append $env (dict "name" (printf "%s_FILE" .name) "value" (printf "/secrets/%s" $key.key)) }}
  {{- end }}
{{- end }}
{{- $_ := set .container "env" $env }}
{{- $secret := dict "secretName" .secret "defaultMode" 288 }}
{{- include "recording-request.mounted" (dict "container" .container "spec" .spec "path" "/secrets" "volume" (dict "name" "secrets" "secret" $secret)) }}
{{- end }}

{{- /* Sets variables of the migration or the backup, which have no ConfigMap of their own. They replace the container's variables with the same names. */}}
{{- define "recording-request.task-settings" }}
{{- $settings := default dict .settings }}
{{- $env := list }}
{{- range .container.env }}{{ if not (hasKey $settings .name) }}{{ $env = append $env . }}{{ end }}{{ end }}
{{- range $name, $value := $settings }}{{ $env = append $env (dict "name" $name "value" (kindIs "string" $value | ternary $value (toJson $value))) }}{{ end }}
{{- $_ := set .container "env" $env }}
{{- end }}

{{- define "recording-request.mounted" }}
{{- $mount := dict "name" .volume.name "mountPath" .path "readOnly" true }}
{{- $_ := set .container "volumeMounts" (append (default list .container.volumeMounts) $mount) }}
{{- $_ := set .spec "volumes" (append (default list .spec.volumes) .volume) }}
{{- end }}
