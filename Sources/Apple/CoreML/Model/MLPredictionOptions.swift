import Foundation

/// Options of one prediction.
open class MLPredictionOptions: NSObject {
  /// Memory for outputs, by name: an `MLMultiArray` or a `CVPixelBuffer` of the output's shape.
  /// The output's feature value is then that object.
  public var outputBackings: [String: Any] = [:]

  /// Has no effect: set ``MLModelConfiguration/computeUnits`` when loading the model.
  public var usesCPUOnly: Bool = false

  /// The most time that a prediction may take, in seconds; nil for any. One that takes longer throws,
  /// after the layer or the round of a loop that it is in. Not in Apple's framework.
  public var timeLimit: Double?

  /// Told the share of a neural network's layers that are done, 0…1, before each of them, from the thread that
  /// computes; nil for nobody. Networks whose layers are decided by values tell nothing. Not in Apple's framework.
  public var progress: (@Sendable (Double) -> Void)?

  /// Makes the default options.
  override public init() {
    super.init()
  }
}
