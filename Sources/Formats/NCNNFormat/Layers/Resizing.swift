import Graph
import Operators

extension NCNNLayerReader {
  /// Layers that change the number of rows and columns.
  static let resizing: [NCNNLayerReader] = [
    NCNNLayerReader("Interp", [0, 1, 2, 3, 4, 6], only: [5: 0]) { try $0.interpolation() },
    NCNNLayerReader("PixelShuffle", [0, 1]) { context in
      try context.add(
        ReorganizeDataOperator(
          mode: try context.parameters.int(1, or: 0) == 0 ? .pixelShuffle : .depthToSpace,
          blockSize: try context.size(0, or: 1, "The factor")),
        try context.featureMap())
    },
    NCNNLayerReader("Reorg", [0, 1]) { context in
      try context.add(
        ReorganizeDataOperator(
          mode: try context.parameters.int(1, or: 0) == 0 ? .pixelUnshuffle : .spaceToDepth,
          blockSize: try context.size(0, or: 1, "The stride")),
        try context.featureMap())
    },
  ]
}

extension NCNNContext {
  /// Interpolation between pixels, by the numbers of the format.
  private enum Interpolation: Int {
    case nearest = 1
    case linear, cubic
  }

  fileprivate func interpolation() throws -> Graph.ValueID {
    let x: Graph.ValueID = try featureMap()
    guard inputs.count == 1 else { throw unsupported("it resizes to the size of a second input.") }
    let stated: Int = try parameters.int(0, or: 0)
    guard let kind = Interpolation(rawValue: stated) else {
      throw unsupported("its interpolation has the number \(stated), expected 1 to 3.")
    }
    let alignsCorners: Bool = try parameters.int(6, or: 0) != 0
    let grid: SamplingGrid = alignsCorners ? .strictAlignEndpoints : .pixelCentres
    let (height, width) = (try parameters.int(3, or: 0), try parameters.int(4, or: 0))
    let factors: [Float] = [try parameters.float(1, or: 1), try parameters.float(2, or: 1)]
    guard factors.allSatisfy({ $0 > 0 && $0 <= 65536 }) else {
      throw invalid("it resizes by \(factors), expected factors above 0.")
    }
    if kind == .cubic {
      guard height == 0, width == 0, !alignsCorners else {
        throw unsupported("it interpolates by cubics to a given size or with aligned corners.")
      }
      return try reducedByCubics(x, factors)
    }
    guard height != 0 || width != 0 else {
      return try add(
        UpsampleOperator(
          heightFactor: factors[0], widthFactor: factors[1],
          mode: kind == .nearest ? .nearest : .bilinear(grid)),
        x)
    }
    let sizes: [Int] = [
      try size(3, or: 0, "The height"), try size(4, or: 0, "The width"),
    ]
    return try add(
      ResizeOperator(
        sizes: sizes, mode: kind == .nearest ? .nearest : .linear,
        grid: kind == .nearest ? .upsample : grid),
      x)
  }

  /// Reduces rows and columns by integers that divide them. Every output pixel then has the same weights, so this
  /// is a convolution with strides.
  private func reducedByCubics(_ x: Graph.ValueID, _ factors: [Float]) throws -> Graph.ValueID {
    let steps: [Int] = try factors.map { factor in
      let step: Float = (1 / factor).rounded()
      guard step >= 1, step <= 64, (step * factor - 1).magnitude < 1e-6 else {
        throw unsupported(
          "it interpolates by cubics with the factors \(factors), expected 1 divided by an integer."
        )
      }
      return Int(step)
    }
    let rows: [Float] = Self.cubicWeights(step: steps[0])
    let columns: [Float] = Self.cubicWeights(step: steps[1])
    let count: Int = try channels(x)
    let kernel: [Float] = rows.flatMap { row in columns.map { row * $0 } }
    let weights = Constant(
      [count, 1, rows.count, columns.count],
      (0..<count).flatMap { _ in kernel })
    let (top, left) = ((rows.count - steps[0]) / 2, (columns.count - steps[1]) / 2)
    let padded = try add(
      PaddingOperator(
        amounts: EdgeAmounts(
          top: top, bottom: rows.count - steps[0] - top, left: left,
          right: columns.count - steps[1] - left),
        mode: .replication),
      x)
    return try add(
      ConvolutionOperator(
        outputChannels: count, kernelChannels: 1, groups: count,
        kernel: .init(rows.count, columns.count), stride: .init(steps[0], steps[1])),
      padded, constant(weights, "weights"))
  }

  /// The weights of the pixels around the middle of `step` pixels, by Keys's cubic kernel with a = −¾. An even step has
  /// four weights with pixels between them that do not count, an odd step has the pixel in the middle alone.
  private static func cubicWeights(step: Int) -> [Float] {
    guard step % 2 == 0 else {
      return (0..<step).map { $0 == step / 2 ? 1 : 0 }
    }
    let a: Float = -0.75
    func kernel(_ distance: Float) -> Float {
      distance <= 1
        ? ((a + 2) * distance - (a + 3)) * distance * distance + 1
        : ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    }
    let taps: [Float] = [kernel(1.5), kernel(0.5), kernel(0.5), kernel(1.5)]
    guard step > 2 else { return taps }
    let edge = [Float](repeating: 0, count: step / 2 - 2)
    return edge + taps + edge
  }
}
