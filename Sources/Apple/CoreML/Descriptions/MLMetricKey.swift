/// The name of a number that training reports.
public final class MLMetricKey: MLKey, @unchecked Sendable {
  /// The value of the loss.
  public class var lossValue: MLMetricKey { MLMetricKey(name: "lossValue") }
  /// The index of the pass over the training data.
  public class var epochIndex: MLMetricKey { MLMetricKey(name: "epochIndex") }
  /// The index of the step within the pass.
  public class var miniBatchIndex: MLMetricKey { MLMetricKey(name: "miniBatchIndex") }
}
