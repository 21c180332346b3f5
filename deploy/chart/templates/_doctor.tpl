{{- /*
Returns the Job `doctor` as the test of the release (`helm test`), with an account and copies of the network policies to the servers. Helm creates them for each test, and
deletes all but the Job after it. Each container gets the settings, the Secret and the further mounts of the workload with its name.
*/}}
{{- define "recording-request.doctor" }}
{{- $root := .root }}
{{- $names := .names }}
{{- /* Helm never uninstalls a hook. So it deletes these when the test ends; only the Job stays, for its logs. */}}
{{- $beside := dict "helm.sh/hook" "test" "helm.sh/hook-weight" "-1" "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded,hook-failed" }}
{{- $job := dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation" }}
{{- $tested := list }}
{{- $workloads := dict }}
{{- range $o := .objects }}
  {{- if has $o.kind (list "Deployment" "Job") }}{{ $_ := set $workloads $o.metadata.name $o.spec.template.spec }}{{ end }}
  {{- if and (eq $o.kind "NetworkPolicy") (hasPrefix "to-" $o.metadata.name) (ne $o.metadata.name "to-backup") }}
    {{- $copy := deepCopy $o }}
    {{- $_ := set $copy.metadata "name" (printf "doctor-%s" $o.metadata.name) }}
    {{- $_ := set $copy.metadata "labels" (include "recording-request.doctor-labels" $root | fromYaml) }}
    {{- $_ := set $copy.metadata "annotations" $beside }}
    {{- $_ := set $copy.spec "podSelector" (dict "matchLabels" (dict "app.kubernetes.io/name" "doctor")) }}
    {{- $tested = append $tested $copy }}
  {{- end }}
{{- end }}
{{- range $text := splitList "\n---\n" ($root.Files.Get "files/doctor.yaml") }}
  {{- $o := fromYaml $text }}
  {{- $_ := set $o.metadata "namespace" $root.Release.Namespace }}
  {{- $_ := set $o.metadata "labels" (include "recording-request.doctor-labels" $root | fromYaml) }}
  {{- $_ := set $o.metadata "annotations" (ternary $job $beside (eq $o.kind "Job")) }}
  {{- if eq $o.kind "ServiceAccount" }}
    {{- $own := dig "doctor" "serviceAccount" dict $root.Values.services }}
    {{- $common := default dict $root.Values.serviceAccount }}
    {{- include "recording-request.metadata" (dict "object" $o "labels" (list $own.labels $common.labels) "annotations" (list $own.annotations $common.annotations)) }}
  {{- else if eq $o.kind "Job" }}
    {{- $spec := $o.spec.template.spec }}
    {{- include "recording-request.metadata" (dict "object" $o.spec.template "labels" (list $root.Values.podLabels) "annotations" (list $root.Values.podAnnotations)) }}
    {{- $image := (first (get $workloads "projects").containers).image }}
    {{- range $field := list "imagePullSecrets" "nodeSelector" "tolerations" "priorityClassName" }}{{ with get (get $workloads "projects") $field }}{{ $_ := set $spec $field . }}{{ end }}{{ end }}
    {{- range $container := $spec.containers }}
      {{- $workload := get $workloads $container.name }}
      {{- $own := first $workload.containers }}
      {{- $_ := set $container "image" $image }}
      {{- $_ := set $container "env" $own.env }}
      {{- $_ := set $container "envFrom" (deepCopy $own.envFrom) }}
      {{- /* The migration's copy of the settings exists only while it runs. */}}
      {{- range $container.envFrom }}{{ if eq .configMapRef.name "migrate-settings" }}{{ $_ := set .configMapRef "name" $names.settings }}{{ end }}{{ end }}
      {{- range $mount := $own.volumeMounts }}
        {{- if not (has $mount.mountPath (list "/tmp" "/tls" "/servers-ca" "/secrets")) }}
          {{- range $volume := $workload.volumes }}
            {{- if eq $volume.name $mount.name }}
              {{- $name := printf "%s-%s" $container.name $volume.name }}
              {{- $_ := set $container "volumeMounts" (append $container.volumeMounts (merge (dict "name" $name) $mount)) }}
              {{- $_ := set $spec "volumes" (append $spec.volumes (merge (dict "name" $name) $volume)) }}
            {{- end }}
          {{- end }}
        {{- end }}
      {{- end }}
    {{- end }}
    {{- range $volume := $spec.volumes }}
      {{- if hasPrefix "secrets-" $volume.name }}
        {{- $_ := set $volume.secret "secretName" (default (get $names "recording-request") (get $root.Values.secretNames (trimPrefix "secrets-" $volume.name))) }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- $tested = append $tested $o }}
{{- end }}
{{ toYaml $tested }}
{{- end }}

{{- define "recording-request.doctor-labels" -}}
app.kubernetes.io/name: doctor
app.kubernetes.io/part-of: recording-request
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
recording-request/hook: doctor
{{- end }}
