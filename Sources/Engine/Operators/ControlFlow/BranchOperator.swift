import Graph

/// Runs the first of two subgraphs if the magnitude of the condition is more than 10⁻⁶, otherwise the second. If there
/// is no second subgraph, the operator runs nothing instead.
///
/// Both subgraphs read and write values of the surrounding graph by name. A name that the chosen subgraph does not
/// write keeps its value.
///
/// - Input: the condition, one number. If the condition has several elements, the operator reads the first one. No
///   outputs.
/// - Throws: if the condition is empty.
public struct BranchOperator: ControlOperator {
  public static let declaration = OperatorDeclaration(
    "Branch", summary: "runs one of two subgraphs")

  /// Creates a branch.
  public init() {}

  public var rule: ControlRule { .branch }
}
