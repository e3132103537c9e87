import Graph

/// Turns all values of an image into channels: `[…, C, H, W]` → `[…, C·H·W, 1, 1]`.
///
/// - Input: rank three or more. Leading axes stay as they are.
/// - ``ChannelOrder/channelFirst`` reads the image plane by plane, which is the order in memory.
///   ``ChannelOrder/channelLast`` reads the image pixel by pixel.
///
/// **Source:** `FlattenLayerParams`.
public struct FlattenOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Flatten", summary: "makes one list of channels, rows and columns")

  /// The order in which the values of the image are read.
  public let order: ChannelOrder

  /// Creates an operator that reads values in this order.
  public init(order: ChannelOrder = .channelFirst) { self.order = order }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let input: Shape = inputs[0].shape
    try input.requireRank(atLeast: 3)
    let leading: [Int] = Array(input.dimensions.dropLast(3))
    let count: Int = input.product(input.rank - 3..<input.rank)
    return [inputs[0].type.reshaped(to: Shape(leading + [count, 1, 1]))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let (channels, height, width) = (input.shape[-3], input.shape[-2], input.shape[-1])
    let leading: [Int] = Array(input.shape.dimensions.dropLast(3))
    let shape = Shape(leading + [channels * height * width, 1, 1])
    return [
      ReferenceTensor(shape) { index in
        let position: Int = index[index.count - 3]
        let pixel: [Int]
        switch order {
        case .channelFirst:
          pixel = [
            position / (height * width), position / width % height, position % width,
          ]
        case .channelLast:
          pixel = [
            position % channels, position / channels / width, position / channels % width,
          ]
        }
        return input[index.dropLast(3) + pixel]
      }
    ]
  }
}
