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
{{- with .Values.envFrom }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* A pod without this key does not start: otherwise it would have a database of its own, and lose it. */}}
{{- define "quintet.env" -}}
- name: QUINTET_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secret }}
      key: QUINTET_DATABASE_URL
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "quintet.volumeMounts" -}}
- name: data
  mountPath: /data
{{- with .Values.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "quintet.httpGet" -}}
{ path: {{ .path }}, port: quintet{{ if .root.Values.tls }}, scheme: HTTPS{{ end }} }
{{- end }}

{{- define "quintet.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
