/// A rewriting of the graph that keeps what it computes.
public protocol GraphPass: Sendable {
  /// A verb and its object, `FoldBatchNorm`, for listings.
  static var name: String { get }
  /// Rewrites; types are inferred before and after.
  static func run(on graph: inout Graph) throws
}
