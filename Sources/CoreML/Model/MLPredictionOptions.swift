import Foundation

/// Options of one prediction.
open class MLPredictionOptions: NSObject {
  /// Memory for outputs, by name: an `MLMultiArray` or a `CVPixelBuffer` of the output's shape.
  /// The output's feature value is then that object.
  public var outputBackings: [String: Any] = [:]

  /// Has no effect: set ``MLModelConfiguration/computeUnits`` when loading the model.
  public var usesCPUOnly: Bool = false

  /// Makes the default options.
  override public init() {
    super.init()
  }
}
