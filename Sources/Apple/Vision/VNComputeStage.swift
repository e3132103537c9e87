/// A part of the work of a request.
public struct VNComputeStage: RawRepresentable, Hashable, Sendable {
  /// The stage's text.
  public let rawValue: String

  /// Makes a stage of its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The request's main work.
  public static let main = VNComputeStage(rawValue: "VNComputeStageMain")
  /// What is made of the main work's results.
  public static let postProcessing = VNComputeStage(rawValue: "VNComputeStagePostProcessing")
}
