{{- /* Returns the values that are still placeholders of values.production.example.yaml, one per line. check:overlay has the same rules (tools/k8s/src/overlay/placeholders.ts). */}}
{{- define "recording-request.placeholders" }}
{{- $v := .Values }}
{{- $found := list }}
{{- /* The domains for examples (RFC 2606). */}}
{{- $domain := "(^|[^A-Za-z0-9_-])example\\.(com|net|org)([^A-Za-z0-9_-]|$)" }}
{{- range $name, $value := $v.settings }}
  {{- if regexMatch $domain (toString $value) }}{{ $found = append $found (printf "settings.%s=%v is a placeholder: set your own address" $name $value) }}{{ end }}
{{- end }}
{{- range $name, $own := $v.services }}
  {{- range $setting, $value := (default dict $own).settings }}
    {{- if regexMatch $domain (toString $value) }}{{ $found = append $found (printf "services.%s.settings.%s=%v is a placeholder: set your own address" $name $setting $value) }}{{ end }}
  {{- end }}
{{- end }}
{{- range $name, $image := $v.images }}
  {{- if regexMatch $domain $image.repository }}{{ $found = append $found (printf "images.%s.repository=%s is a placeholder: set your registry" $name $image.repository) }}{{ end }}
  {{- range $digit := splitList "" "0123456789abcdef" }}
    {{- if eq (default "" $image.digest) (printf "sha256:%s" (repeat 64 $digit)) }}{{ $found = append $found (printf "images.%s.digest is a placeholder: set the digest that your registry prints" $name) }}{{ end }}
  {{- end }}
{{- end }}
{{- range $host := $v.edge.hosts }}
  {{- if regexMatch $domain $host }}{{ $found = append $found (printf "edge.hosts: %s is a placeholder: set the host of PUBLIC_BASE_URL" $host) }}{{ end }}
{{- end }}
{{- /* The networks for examples (RFC 5737, RFC 3849). */}}
{{- range $name, $rules := $v.networks }}
  {{- range $cidr := regexFindAll "(192\\.0\\.2\\.|198\\.51\\.100\\.|203\\.0\\.113\\.|2001:db8:)[0-9a-f:.]*/[0-9]+" (toJson $rules) -1 }}
    {{- $found = append $found (printf "networks.%s: %s is a placeholder: set the network of your %s" $name $cidr $name) }}
  {{- end }}
{{- end }}
{{- join "\n" $found }}
{{- end }}
