import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.EquivalentAddressGroup;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.Status;
import io.grpc.StatusOr;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Calls continuously by grpc-java, until its input ends, and prints the results of its calls. */
public final class RollingRestart {
  private static final byte[] REQUEST = {10, 3, 1, 1, 5};

  /** A message is just bytes: nothing here parses one. */
  private static final class Raw implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  }

  /** A name that has several addresses. */
  private static final class Nodes extends NameResolverProvider {
    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
      int port = Integer.parseInt(System.getenv("PORT"));
      List<EquivalentAddressGroup> found = Arrays.stream(System.getenv("HOSTS").split(","))
          .map(host -> new EquivalentAddressGroup(new InetSocketAddress(host, port)))
          .toList();
      return new NameResolver() {
        @Override
        public String getServiceAuthority() {
          return "quintet.test";
        }

        @Override
        public void start(Listener2 listener) {
          listener.onResult(ResolutionResult.newBuilder().setAddressesOrError(StatusOr.fromValue(found)).build());
        }

        @Override
        public void shutdown() {}
      };
    }

    @Override
    public String getDefaultScheme() {
      return "nodes";
    }

    @Override
    protected boolean isAvailable() {
      return true;
    }

    @Override
    protected int priority() {
      return 5;
    }
  }

  private static int answered;
  private static int limited;
  private static final Map<String, Integer> lost = new TreeMap<>();
  private static volatile boolean isOver;

  private static synchronized void add(Status.Code code, String why) {
    switch (code) {
      case OK -> answered++;
      case RESOURCE_EXHAUSTED -> limited++;
      default -> lost.merge(why, 1, Integer::sum);
    }
  }

  public static void main(String[] arguments) throws Exception {
    NameResolverRegistry.getDefaultRegistry().register(new Nodes());
    MethodDescriptor<byte[], byte[]> score = MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName("quintet.farkle.v1.FarkleService/Score")
        .setRequestMarshaller(new Raw())
        .setResponseMarshaller(new Raw())
        .build();
    ManagedChannel connections = ManagedChannelBuilder.forTarget("nodes:///quintet")
        .usePlaintext()
        .defaultLoadBalancingPolicy("round_robin")
        .build();
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("x-gateway-key", Metadata.ASCII_STRING_MARSHALLER), System.getenv("KEY"));
    Channel channel = ClientInterceptors.intercept(connections, MetadataUtils.newAttachHeadersInterceptor(headers));
    long pauseMs = Long.parseLong(System.getenv("PAUSE_MS"));
    List<Thread> calling = new ArrayList<>();
    for (int place = 0; place < Integer.parseInt(System.getenv("AT_ONCE")); place++) {
      Thread thread = new Thread(() -> {
        while (!isOver) {
          try {
            ClientCalls.blockingUnaryCall(channel, score, CallOptions.DEFAULT, REQUEST);
            add(Status.Code.OK, "");
          } catch (StatusRuntimeException error) {
            add(error.getStatus().getCode(), error.getMessage().lines().findFirst().orElse(""));
          }
          try {
            Thread.sleep(pauseMs);
          } catch (InterruptedException error) {
            return;
          }
        }
      });
      calling.add(thread);
      thread.start();
    }
    System.in.readAllBytes();
    isOver = true;
    for (Thread thread : calling) {
      thread.join();
    }
    connections.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    String reasons = lost.entrySet().stream()
        .map(one -> "\"" + one.getKey().replace("\\", "/").replace("\"", "'") + "\":" + one.getValue())
        .collect(Collectors.joining(","));
    System.out.println("{\"answered\":" + answered + ",\"limited\":" + limited + ",\"lost\":{" + reasons + "}}");
    System.exit(0);
  }
}
