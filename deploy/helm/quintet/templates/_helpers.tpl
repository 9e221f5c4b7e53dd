{{/* What selects the pods, and marks all objects. */}}
{{- define "quintet.labels" -}}
app.kubernetes.io/name: {{ .Release.Name }}
{{- end }}

{{/* An object's metadata. */}}
{{- define "quintet.metadata" -}}
name: {{ .Release.Name }}
namespace: {{ .Release.Namespace }}
labels: {{- include "quintet.labels" . | nindent 2 }}
{{- end }}

{{- define "quintet.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "quintet.settings" -}}
{{ toYaml (merge (dict "QUINTET_ADMIN_HOST" "0.0.0.0" "QUINTET_ADMIN_PORT" "9464") .Values.settings) }}
{{- end }}

{{/* Its name has its content's hash: pods take new settings only when they start anew. */}}
{{- define "quintet.configMap" -}}
{{ .Release.Name }}-{{ include "quintet.settings" . | sha256sum | trunc 10 }}
{{- end }}

{{- define "quintet.envFrom" -}}
- configMapRef:
    name: {{ include "quintet.configMap" . }}
- secretRef:
    name: {{ .Values.secret }}
{{- end }}

{{- define "quintet.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
