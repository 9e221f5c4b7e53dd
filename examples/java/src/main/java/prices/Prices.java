package prices;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import com.quintet.tokenprice.v1.GetPricesRequest;
import com.quintet.tokenprice.v1.TokenPrice;
import com.quintet.tokenprice.v1.TokenPriceServiceGrpc;
import com.quintet.tokenprice.v1.TokenPriceServiceGrpc.TokenPriceServiceBlockingStub;
import com.quintet.tokenprice.v1.WatchPricesRequest;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Gets token prices from Quintet, or watches them, with grpc-java.
 *
 * <p>{@code java -jar target/prices.jar price|watch TOKEN...}
 */
public final class Prices {
  /** The time limit of a call, including its retries. */
  private static final long TIMEOUT_SECONDS = 10;

  public static void main(String[] args) throws Exception {
    if (args.length < 2 || !(args[0].equals("price") || args[0].equals("watch"))) {
      System.err.println("usage: java -jar target/prices.jar price|watch TOKEN...");
      System.exit(2);
    }
    List<String> tokens = Arrays.asList(args).subList(1, args.length);
    // One channel serves all calls of a program. It connects for the first call.
    ManagedChannel channel = connect();
    TokenPriceServiceBlockingStub client =
        TokenPriceServiceGrpc.newBlockingStub(channel)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(key()));
    int code = 0;
    try {
      if (args[0].equals("price")) {
        price(client, tokens);
      } else {
        watch(channel, client, tokens);
      }
    } catch (StatusRuntimeException error) {
      Errors.print(error);
      code = 1;
    } finally {
      channel.shutdownNow();
    }
    System.exit(code);
  }

  private static ManagedChannel connect() throws IOException {
    URI server = URI.create(System.getenv().getOrDefault("QUINTET_URL", "http://127.0.0.1:8080"));
    // What is retried, and how often.
    String text = Files.readString(Path.of("grpc-service-config.json"));
    Map<String, Object> serviceConfig = new Gson().fromJson(text, new TypeToken<Map<String, Object>>() {});
    boolean secure = server.getScheme().equals("https");
    int port = server.getPort() != -1 ? server.getPort() : secure ? 443 : 80;
    NettyChannelBuilder builder = NettyChannelBuilder.forAddress(server.getHost(), port).defaultServiceConfig(serviceConfig);
    return secure ? builder.build() : builder.usePlaintext().build();
  }

  private static Metadata key() {
    Metadata headers = new Metadata();
    String key = System.getenv("QUINTET_KEY");
    if (key != null) {
      headers.put(Metadata.Key.of("x-gateway-key", Metadata.ASCII_STRING_MARSHALLER), key);
    }
    return headers;
  }

  private static void price(TokenPriceServiceBlockingStub client, List<String> tokens) {
    var request = GetPricesRequest.newBuilder().addAllTokens(tokens).build();
    var answer = client.withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS).getPrices(request);
    print(answer.getResultsList(), answer.getMissingList());
  }

  /** A stream has no deadline: it continues until one side ends it. Ctrl-C cancels it. */
  private static void watch(ManagedChannel channel, TokenPriceServiceBlockingStub client, List<String> tokens)
      throws Exception {
    var request = WatchPricesRequest.newBuilder().addAllTokens(tokens).build();
    Context.CancellableContext context = Context.current().withCancellation();
    Thread onCtrlC = new Thread(() -> cancel(context, channel));
    Runtime.getRuntime().addShutdownHook(onCtrlC);
    try {
      context.call(() -> {
        client.watchPrices(request).forEachRemaining(change -> print(change.getResultsList(), change.getMissingList()));
        return null;
      });
    } catch (StatusRuntimeException error) {
      if (!context.isCancelled()) {
        Runtime.getRuntime().removeShutdownHook(onCtrlC);
        throw error;
      }
    }
  }

  /** Cancels the calls of a context, and ends the program when the server has been notified. */
  private static void cancel(Context.CancellableContext context, ManagedChannel channel) {
    context.cancel(null);
    try {
      channel.shutdown().awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(0);
  }

  private static void print(List<TokenPrice> results, List<String> missing) {
    results.forEach(result -> System.out.println(result.getToken() + " " + result.getPrice() + " USD"));
    missing.forEach(token -> System.out.println(token + " has no price"));
  }
}
