import Graph

/// The order in which an operator reads an image's values to make a vector, and writes a vector's values to make an
/// image.
public enum ChannelOrder: Sendable, Hashable {
  /// Plane by plane, `[C, H, W]`. This is the order in memory, so no value moves.
  case channelFirst
  /// Pixel by pixel, `[H, W, C]`.
  case channelLast
}

/// Gives a tensor another shape with the same number of values.
///
/// With three target sizes `[C, H, W]`, each image of each sequence is reshaped separately. With four target sizes
/// `[S, C, H, W]`, the images of a sequence are reshaped together.
///
/// - Input: `[S, B, C, H, W]`, or `[…, C, H, W]` of rank three or four.
/// - Output: `[S, B, C′, H′, W′]`, or the input's leading axes followed by the target sizes.
/// - One target size may be −1. The operator computes it from the other sizes.
/// - `channelLast` reads the input as `[H, W, C]` and writes the output as `[H′, W′, C′]`.
///
/// **Source:** `ReshapeLayerParams`.
public struct ReshapeOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Reshape",
    summary: "reads the values as another shape, channels first or last")

  /// Three sizes `[C, H, W]` or four `[S, C, H, W]`.
  public let targetShape: [Int]
  /// The order in which values are read and written.
  public let order: ChannelOrder

  /// Creates a reshape to three or four target sizes.
  public init(targetShape: [Int], order: ChannelOrder = .channelFirst) {
    self.targetShape = targetShape
    self.order = order
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try outputShape(inputs[0].shape))]
  }

  private func outputShape(_ input: Shape) throws -> Shape {
    try input.requireRank(atLeast: 3)
    guard input.rank <= 5 else {
      throw EngineError(
        .invalidInput, "the input has \(input.rank) dimensions (\(input)), expected at most 5.")
    }
    let dimensions: [Int] = input.dimensions
    if targetShape.count == 3 {
      let leading: [Int] = Array(dimensions.dropLast(3))
      let part = Shape(Array(dimensions.suffix(3)))
      return Shape(
        leading + (try reshapedShape(part, to: targetShape, zeroKeeps: false)).dimensions)
    }
    if input.rank < 5 { return try reshapedShape(input, to: targetShape, zeroKeeps: false) }
    let part = Shape([dimensions[0]] + dimensions[2...])
    var result: [Int] = try reshapedShape(part, to: targetShape, zeroKeeps: false).dimensions
    result.insert(dimensions[1], at: 1)
    return Shape(result)
  }

  /// Returns whether values must move in memory. Values move if the sequence length changes and there are several batch
  /// entries, because the batch axis is between the sequence axis and the other reshaped axes.
  package func crossesBatch(_ input: Shape, _ output: Shape) -> Bool {
    input.rank == 5 && input[1] != 1 && input[0] != output[0]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let shape: Shape = try outputShape(input.shape)
    let batch: Int = input.shape.rank == 5 ? input.shape[1] : 1
    var lists = [[Double]](repeating: [], count: batch)
    input.shape.ordered(order).forEachIndex { index, _ in
      let source: [Int] = order == .channelLast ? index.channelsMovedBack() : index
      lists[input.shape.rank == 5 ? source[1] : 0].append(input[source])
    }
    var taken = [Int](repeating: 0, count: batch)
    var output = ReferenceTensor(shape)
    shape.ordered(order).forEachIndex { index, _ in
      let target: [Int] = order == .channelLast ? index.channelsMovedBack() : index
      let element: Int = shape.rank == 5 ? target[1] : 0
      output[target] = lists[element][taken[element]]
      taken[element] += 1
    }
    return [output]
  }
}

extension Shape {
  /// Returns the shape with its axes in the order in which values are read. For `channelLast`, the channel axis is
  /// last.
  fileprivate func ordered(_ order: ChannelOrder) -> Shape {
    guard order == .channelLast else { return self }
    var result: [Int] = dimensions
    result.append(result.remove(at: rank - 3))
    return Shape(result)
  }
}

extension [Int] {
  /// Converts an index into `[…, H, W, C]` to an index into `[…, C, H, W]`.
  fileprivate func channelsMovedBack() -> [Int] {
    var result: [Int] = self
    let channel: Int = result.removeLast()
    result.insert(channel, at: result.count - 2)
    return result
  }
}
