/// A stage of a request's computation.
public struct VNComputeStage: RawRepresentable, Hashable, Sendable {
  /// The stage's text.
  public let rawValue: String

  /// Makes a stage from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The main stage.
  public static let main = VNComputeStage(rawValue: "VNComputeStageMain")
  /// The stage that processes the results of the main stage.
  public static let postProcessing = VNComputeStage(rawValue: "VNComputeStagePostProcessing")
}
