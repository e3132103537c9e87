/// A pass, which rewrites a graph without changing the graph's results.
public protocol GraphPass: Sendable {
  /// The pass's name in listings: a verb and its object, for example `FoldBatchNorm`.
  static var name: String { get }
  /// Rewrites the graph. The caller infers all types before and after the call.
  static func run(on graph: inout Graph) throws
  /// Whether the pass makes networks faster only on machines with 8-bit dot-product instructions. This is so if the
  /// operators that the pass adds are slow on machines without these instructions.
  static var needsInt8DotProduct: Bool { get }
}

extension GraphPass {
  /// False by default.
  public static var needsInt8DotProduct: Bool { false }
}
