// Calls each operation of standard input with the client that openapi-generator made, and prints each result on a line.
// Reflection finds the method, so an operation that the generator left out is an error and not skipped.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.http.HttpResponse;
import java.util.Arrays;
import quintet.client.ApiClient;

public final class Call {
  /** Leaves a call of a stream: the method itself reads a response to its end, which a stream does not have. */
  private static final class FirstLine extends RuntimeException {
    private final String text;

    private FirstLine(String text) {
      this.text = text;
    }
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("QUINTET_URL"));
    client.setRequestInterceptor(request -> request.setHeader("x-gateway-key", System.getenv("QUINTET_KEY")));
    client.setResponseInterceptor(Call::leaveStream);
    ObjectMapper json = client.getObjectMapper();
    for (JsonNode call : json.readTree(System.in)) {
      ObjectNode outcome = json.createObjectNode().set("operationId", call.get("operationId"));
      try {
        outcome.set("result", run(client, call));
      } catch (Exception error) {
        outcome.put("error", String.valueOf(error));
      }
      System.out.println(json.writeValueAsString(outcome));
    }
  }

  private static JsonNode run(ApiClient client, JsonNode call) throws Exception {
    ObjectMapper json = client.getObjectMapper();
    Class<?> type = Class.forName("quintet.client.api." + call.get("tag").asText() + "Api");
    String[] words = call.get("operationId").asText().split("_");
    String name = words[0].substring(0, 1).toLowerCase() + words[0].substring(1) + words[1];
    // Another method of this name also takes headers.
    Method method =
        Arrays.stream(type.getMethods())
            .filter(one -> one.getName().equals(name))
            .min((one, other) -> one.getParameterCount() - other.getParameterCount())
            .orElseThrow(() -> new NoSuchMethodException(name));
    Object[] given =
        Arrays.stream(method.getParameters())
            .map(
                parameter -> {
                  JsonNode value = call.get("hasBody").asBoolean() ? call.get("input") : member(call.get("input"), parameter.getName());
                  return value == null ? null : json.convertValue(value, json.constructType(parameter.getParameterizedType()));
                })
            .toArray();
    try {
      return json.valueToTree(method.invoke(type.getConstructor(ApiClient.class).newInstance(client), given));
    } catch (InvocationTargetException failure) {
      if (failure.getCause() instanceof FirstLine line) {
        return json.readTree(line.text);
      }
      throw (Exception) failure.getCause();
    }
  }

  // The member that the generator gave this name: `bitrate_min` is `bitrateMin`, and `list` is `_list`.
  private static JsonNode member(JsonNode input, String name) {
    return input.get(name.replaceAll("^_", "").replaceAll("(?=[A-Z])", "_").toLowerCase());
  }

  private static void leaveStream(HttpResponse<InputStream> response) {
    if (response.headers().firstValue("content-type").orElse("").startsWith("application/x-ndjson")) {
      try (InputStream body = response.body()) {
        throw new FirstLine(new BufferedReader(new InputStreamReader(body)).readLine());
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  }
}
