import Graph

/// Runs one of two networks: the first when the magnitude of the condition is more than 10⁻⁶, else
/// the second, if there is one.
///
/// Both read and write names of the network around. A name that the network taken does not write
/// stays what it was.
///
/// - Input: one number; of several the first counts. No outputs.
/// - Throws: when the condition is empty.
public struct BranchOperator: ControlOperator {
  public static let declaration = OperatorDeclaration(
    "Branch", summary: "runs one of two networks")

  /// A branch.
  public init() {}

  public var rule: ControlRule { .branch }
}
