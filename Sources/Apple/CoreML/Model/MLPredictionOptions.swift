import Foundation

/// The options of a prediction.
open class MLPredictionOptions: NSObject {
  /// The objects to which the prediction writes outputs, by output name. Each object is an `MLMultiArray` or a
  /// `CVPixelBuffer` with the output's shape. The prediction returns the object as the value of the output.
  public var outputBackings: [String: Any] = [:]

  /// Has no effect. Instead, set ``MLModelConfiguration/computeUnits`` in the configuration with which you load the
  /// model.
  public var usesCPUOnly: Bool = false

  /// The time limit of a prediction in seconds; nil for none. A prediction that takes longer throws after its current
  /// layer or loop iteration. Not in Apple's framework.
  public var timeLimit: Double?

  /// A closure that a prediction of a neural network calls before each layer, on the computing thread. The argument is
  /// the fraction of finished layers, 0 to 1. The prediction does not call the closure if the values of tensors decide
  /// which layers run, as in loops. Not in Apple's framework.
  public var progress: (@Sendable (Double) -> Void)?

  /// Makes the default options.
  override public init() {
    super.init()
  }
}
