import Engine

/// The passes in their order.
public enum GraphPasses {
  /// Runs before every plan.
  ///
  /// Constants come first, so that the others see them, and norms that are spelled out before their
  /// parts become parts of something else. What stands in front of a convolution folds
  /// before what stands behind it: padding and upsampling change the geometry that crops rely on.
  /// Factors fold into weights while nothing nonlinear is fused yet; then residuals, then
  /// activations, because that is the order in which a convolution's epilogue applies them; then the
  /// factors that stand behind an activation. What pointwise layers are left then join each other.
  /// Dead code goes last.
  public static let standard: [any GraphPass.Type] = [
    FoldConstants.self, RecognizeInstanceNorm.self, FoldPadding.self, FoldUpsampling.self,
    FoldCropIntoDeconvolution.self, FoldAffine.self, FuseResidual.self, FuseActivation.self,
    FoldAffine.self, FoldSquareIntoReduction.self, JoinPointwise.self, RemoveDeadCode.self,
  ]
}

extension Graph {
  /// The node that makes a value, when this reader is the only one and the caller does not get it.
  func soleProducer(of value: ValueID, _ writers: [Int?], _ readers: [[Int]]) -> Int? {
    guard readers[value.index].count == 1, !outputs.contains(value) else { return nil }
    return writers[value.index]
  }

  /// Lets a node write what its only reader wrote, and drops that reader.
  mutating func absorb(reader: Int, into producer: Int) {
    nodes[producer].outputs = nodes[reader].outputs
    nodes.remove(at: reader)
  }

  /// Repeats a rewriting of single nodes until none applies. The closure gets a node's position and
  /// who writes and reads the values, and says whether it changed the graph.
  mutating func rewrite(_ change: (inout Graph, Int, [Int?], [[Int]]) throws -> Bool) rethrows {
    var position = 0
    var writers = self.writers()
    var readers = self.readers()
    while position < nodes.count {
      if try change(&self, position, writers, readers) {
        writers = self.writers()
        readers = self.readers()
        position = max(0, position - 1)
      } else {
        position += 1
      }
    }
  }
}
