import Graph
import Operators

/// The input of a convolution or pooling layer. The channels are its second axis. One to three spatial axes follow.
struct KerasSpatial {
  let context: KerasContext
  /// The input as `[N, C, …]`. If Keras has a single spatial axis, an axis of extent one is added before that axis.
  let value: Graph.ValueID
  /// The number of spatial axes that the layer has in Keras.
  let axes: Int
  /// Whether the layer is channels-first in Keras, as values are in the graph.
  private let isChannelsFirst: Bool

  /// Takes the first input of a layer.
  init(_ context: KerasContext, axes: Int) throws {
    let x = try context.input(ranks: axes + 2...axes + 2)
    isChannelsFirst = try Self.usesChannelsFirst(context)
    var value = try isChannelsFirst ? context.kerasOrdered(x) : context.channelFirst(x)
    if axes == 1 { value = try context.add(ExpandDimsOperator(axes: [2]), value) }
    (self.context, self.value, self.axes) = (context, value, axes)
  }

  /// Returns whether a layer is channels-first in Keras.
  static func usesChannelsFirst(_ context: KerasContext) throws -> Bool {
    let order: String = try context.settings.text("data_format", "dim_ordering") ?? "channels_last"
    return order == "channels_first" || order == "th"
  }

  /// Returns a result of the operator in the layer's axis order.
  func made(_ value: Graph.ValueID) throws -> KerasTensor {
    let squeezed = axes == 1 ? try context.add(SqueezeOperator(axes: [2]), value) : value
    return KerasTensor(squeezed, rank: axes + 2, isChannelFirst: !isChannelsFirst)
  }

  /// The number of channels of the input. Nil if the number is not known.
  var channels: Int? { context.extents(value, rank: axes == 1 ? 4 : axes + 2)[1] }

  /// Returns one number per spatial axis of the layer. A single number in the file applies to all axes.
  func sizes(_ stated: [Int]?, or standard: Int = 1, _ name: String) throws -> [Int] {
    var sizes: [Int] = stated ?? [standard]
    if sizes.count == 1 { sizes = [Int](repeating: sizes[0], count: axes) }
    guard sizes.count == axes, sizes.allSatisfy({ (0...1 << 20).contains($0) }) else {
      throw context.invalid("'\(name)' is \(sizes), expected \(axes) numbers of 0 or more.")
    }
    return sizes
  }

  /// Returns the sizes for the operator's spatial axes. If the layer has a single spatial axis, the operator has an
  /// additional axis before it. `front` is the size of that additional axis.
  func flat(_ sizes: [Int], _ front: Int = 1) -> [Int] { axes == 1 ? [front] + sizes : sizes }
}
