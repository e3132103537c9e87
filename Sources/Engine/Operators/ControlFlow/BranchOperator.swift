import Graph
import ModelFormat

/// Runs one of two networks: the first when the magnitude of the condition is more than 10⁻⁶, else
/// the second, if there is one.
///
/// Both read and write names of the network around. A name that the network taken does not write
/// stays what it was.
///
/// - Input: one number; of several the first counts. No outputs.
/// - Throws: when the condition is empty; when no first network is given.
///
/// **Source:** `BranchLayerParams`.
public struct BranchOperator: ControlOperator, Layer {
  public static let declaration = OperatorDeclaration(
    "Branch", specification: "branch", summary: "runs one of two networks")

  /// A branch.
  public init() {}

  public init(decoding decoder: LayerDecoder) throws {
    guard case .branch(let message)? = decoder.message.layer else {
      throw decoder.notA("branch")
    }
    try decoder.requireInputs(1...1)
    if message.ifBranch == nil {
      throw decoder.invalid("the branch has no network to run when its condition is true.")
    }
  }

  public var rule: ControlRule { .branch }
}
