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

  /// Makes the default options.
  override public init() {
    super.init()
  }
}
