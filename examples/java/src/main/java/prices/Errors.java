package prices;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.math.BigDecimal;

/** An error as the server describes it. */
final class Errors {
  /** Programs decide by the reason; the message is for people. */
  static void print(StatusRuntimeException error) {
    String reason = error.getStatus().getCode().name();
    StringBuilder more = new StringBuilder();
    try {
      for (Any detail : StatusProto.fromThrowable(error).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          reason = detail.unpack(ErrorInfo.class).getReason();
        } else if (detail.is(RetryInfo.class)) {
          var delay = detail.unpack(RetryInfo.class).getRetryDelay();
          more.append("  retry after: ").append(BigDecimal.valueOf(delay.getSeconds()).add(BigDecimal.valueOf(delay.getNanos(), 9)))
              .append(" s\n");
        } else if (detail.is(QuotaFailure.class)) {
          detail.unpack(QuotaFailure.class).getViolationsList()
              .forEach(violation -> more.append("  quota: ").append(violation.getSubject()).append('\n'));
        } else if (detail.is(BadRequest.class)) {
          detail.unpack(BadRequest.class).getFieldViolationsList()
              .forEach(violation -> more.append("  field: ").append(violation.getField()).append(' ')
                  .append(violation.getDescription()).append('\n'));
        }
      }
    } catch (InvalidProtocolBufferException unreadable) {
      more.append("  (details that cannot be read)\n");
    }
    System.err.print(reason + ": " + error.getStatus().getDescription() + "\n" + more);
  }

  private Errors() {}
}
