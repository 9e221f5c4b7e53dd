// Command manifests reads deployment files from its input as the programs that they are for would, and reports what those would not accept:
// for Kubernetes and the Prometheus operator, every field that their API does not have; for Envoy, every field that is unknown or out of
// bounds; for Compose, what its specification does not have. It prints each object of Kubernetes as a line of JSON, and other YAML as JSON.
package main

import (
	"bufio"
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
	bootstrap "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/retry/host/previous_hosts/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func kubernetes(input io.Reader) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
		monitoringv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	documents := utilyaml.NewYAMLReader(bufio.NewReader(input))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		object, kind, err := strict.Decode(document, nil, nil)
		if err != nil {
			return fmt.Errorf("%v: %w", kind, err)
		}
		line, err := stdjson.Marshal(object)
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
}

func envoy(input io.Reader) error {
	text, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	document, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return err
	}
	var config bootstrap.Bootstrap
	if err := protojson.Unmarshal(bytes.TrimSpace(document), &config); err != nil {
		return err
	}
	// The messages inside others as `typed_config` too.
	return protorange.Range(config.ProtoReflect(), func(path protopath.Values) error {
		message, isMessage := path.Index(-1).Value.Interface().(protoreflect.Message)
		if !isMessage {
			return nil
		}
		if checked, hasBounds := message.Interface().(interface{ ValidateAll() error }); hasBounds {
			return checked.ValidateAll()
		}
		return nil
	})
}

// The project as `docker compose config` would resolve it, with all profiles and the .env beside it. The input is the file's path.
func compose(input io.Reader) error {
	path, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	options, err := cli.NewProjectOptions(
		[]string{string(path)}, cli.WithWorkingDirectory(filepath.Dir(string(path))), cli.WithEnvFiles(), cli.WithDotEnv, cli.WithProfiles([]string{"*"}),
	)
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	document, err := project.MarshalJSON()
	if err != nil {
		return err
	}
	fmt.Println(string(document))
	return nil
}

func anyYAML(input io.Reader) error {
	text, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	document, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	fmt.Println(string(document))
	return nil
}

func main() {
	checks := map[string]func(io.Reader) error{"kubernetes": kubernetes, "envoy": envoy, "compose": compose, "yaml": anyYAML}
	if err := checks[os.Args[1]](os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
