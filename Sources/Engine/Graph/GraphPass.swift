/// A rewriting of the graph that keeps what it computes.
public protocol GraphPass: Sendable {
  /// A verb and its object, `FoldBatchNorm`, for listings.
  static var name: String { get }
  /// Rewrites; types are inferred before and after.
  static func run(on graph: inout Graph) throws
  /// Whether what it makes is computed well only where the processor sums up products of bytes.
  static var needsByteProducts: Bool { get }
}

extension GraphPass {
  /// Passes are free of machines unless they say otherwise.
  public static var needsByteProducts: Bool { false }
}
