/// The name of a metric that training reports.
public final class MLMetricKey: MLKey, @unchecked Sendable {
  /// The value of the loss.
  public class var lossValue: MLMetricKey { MLMetricKey(name: "lossValue") }
  /// The index of the epoch. An epoch is one pass over the training data.
  public class var epochIndex: MLMetricKey { MLMetricKey(name: "epochIndex") }
  /// The index of the mini-batch within the epoch.
  public class var miniBatchIndex: MLMetricKey { MLMetricKey(name: "miniBatchIndex") }
}
