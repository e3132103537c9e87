import Graph
import Operators

/// The input of a layer that moves windows, with its channels second and one to three spatial axes.
struct KerasSpatial {
  let context: KerasContext
  /// `[N, C, …]`; one spatial axis has an axis of extent one in front.
  let value: Graph.ValueID
  /// The number of spatial axes of Keras's.
  let axes: Int
  /// Whether the layer itself states channels in front, as the graph holds them.
  private let isNatural: Bool

  /// The input of a layer.
  init(_ context: KerasContext, axes: Int) throws {
    let x = try context.input(ranks: axes + 2...axes + 2)
    isNatural = try Self.usesChannelsFirst(context)
    var value = try isNatural ? context.natural(x) : context.channelFirst(x)
    if axes == 1 { value = try context.add(ExpandDimsOperator(axes: [2]), value) }
    (self.context, self.value, self.axes) = (context, value, axes)
  }

  /// Whether a layer states its channels in front of rows and columns.
  static func usesChannelsFirst(_ context: KerasContext) throws -> Bool {
    let order: String = try context.settings.text("data_format", "dim_ordering") ?? "channels_last"
    return order == "channels_first" || order == "th"
  }

  /// A result in Keras's terms.
  func made(_ value: Graph.ValueID) throws -> KerasTensor {
    let squeezed = axes == 1 ? try context.add(SqueezeOperator(axes: [2]), value) : value
    return KerasTensor(squeezed, rank: axes + 2, isChannelFirst: !isNatural)
  }

  /// The number of channels of the input; nil where it is not known.
  var channels: Int? { context.extents(value, rank: axes == 1 ? 4 : axes + 2)[1] }

  /// One number for each spatial axis that the operators have: two at least.
  func sizes(_ stated: [Int]?, or standard: Int = 1, _ name: String) throws -> [Int] {
    var sizes: [Int] = stated ?? [standard]
    if sizes.count == 1 { sizes = [Int](repeating: sizes[0], count: axes) }
    guard sizes.count == axes, sizes.allSatisfy({ (0...1 << 20).contains($0) }) else {
      throw context.invalid("'\(name)' is \(sizes), expected \(axes) numbers of 0 or more.")
    }
    return sizes
  }

  /// The same with one for the axis that stands in front of a single one.
  func flat(_ sizes: [Int], _ front: Int = 1) -> [Int] { axes == 1 ? [front] + sizes : sizes }
}
