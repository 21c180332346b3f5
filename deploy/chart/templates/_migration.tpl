{{- /*
Runs the migration before the revision: its Job and account become hooks. Returns copies of the settings and of the migration's network policies, because Helm
creates the release's objects after the hooks, and on an upgrade those of the previous version still apply. Helm deletes the copies when the migration succeeds,
and the Job, whose log stays until then, before the next migration. Argo CD runs the same hooks before its sync.
*/}}
{{- define "recording-request.migrated-before" }}
{{- $needed := list }}
{{- $own := dict "recording-request/hook" "migration" }}
{{- range $o := . }}
  {{- if eq (default "" (get $o.metadata.labels "app.kubernetes.io/component")) "migration" }}
    {{- $name := printf "migrate-%s" (ternary "settings" $o.metadata.name (eq $o.kind "ConfigMap")) }}
    {{- if eq $o.kind "Job" }}
      {{- range $o.spec.template.spec.containers }}{{ range .envFrom }}{{ $_ := set .configMapRef "name" "migrate-settings" }}{{ end }}{{ end }}
      {{- $_ := set $o.metadata "annotations" (dict "helm.sh/hook" "pre-install,pre-upgrade" "helm.sh/hook-weight" "0" "helm.sh/hook-delete-policy" "before-hook-creation") }}
      {{- $_ := set $o.metadata "labels" (merge (deepCopy $own) $o.metadata.labels) }}
    {{- else if eq $o.kind "ServiceAccount" }}
      {{- $_ := set $o.metadata "annotations" (merge (include "recording-request.needed-before" . | fromYaml) (omit (default dict $o.metadata.annotations) "argocd.argoproj.io/sync-wave")) }}
      {{- $_ := set $o.metadata "labels" (merge (deepCopy $own) $o.metadata.labels) }}
    {{- else }}
      {{- $copy := deepCopy $o }}
      {{- $_ := set $copy.metadata "name" $name }}
      {{- $_ := set $copy.metadata "annotations" (include "recording-request.needed-before" . | fromYaml) }}
      {{- $_ := set $copy.metadata "labels" (merge (deepCopy $own) $copy.metadata.labels) }}
      {{- if eq $o.kind "NetworkPolicy" }}{{ $_ := set $copy.spec "podSelector" (dict "matchLabels" (dict "app.kubernetes.io/name" "migrate")) }}{{ end }}
      {{- $needed = append $needed $copy }}
    {{- end }}
  {{- end }}
{{- end }}
{{ toYaml $needed }}
{{- end }}

{{- define "recording-request.needed-before" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: "-1"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
