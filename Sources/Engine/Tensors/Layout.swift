/// The order of a tensor's elements in memory.
public enum Layout: UInt8, Sendable, Hashable, CustomStringConvertible {
  /// Row-major: the last dimension is contiguous. `[…, C, H, W]` is stored plane by plane.
  case dense
  /// `[…, C, H, W]` stored as `[…, H, W, C]`: the channels of one pixel are adjacent. Only for tensors of rank three or
  /// more. Convolutions are fastest with this layout, and interleaved images have it.
  case channelsLast

  /// The name of the layout.
  public var description: String { self == .dense ? "dense" : "channelsLast" }
}

/// How a plan stores one tensor: the graph's shape, the stored element type and the layout.
public struct TensorDescriptor: Sendable, Hashable, CustomStringConvertible {
  /// The extents in the graph. The layout changes the order of elements in memory, never the shape.
  public var shape: Shape
  /// The type of the stored elements.
  public var storage: ElementType
  /// The order of the elements in memory.
  public var layout: Layout

  /// Creates a descriptor. By default, the tensor is stored as dense `float32`.
  public init(_ shape: Shape, _ storage: ElementType = .float32, _ layout: Layout = .dense) {
    self.shape = shape
    self.storage = storage
    self.layout = layout
  }

  /// The size of the tensor in bytes.
  public var byteCount: Int {
    storage.byteCount(of: shape.count)
  }

  /// The distance in memory between neighbouring elements along each dimension of `shape`, in elements.
  public var strides: [Int] {
    guard layout == .channelsLast, shape.rank >= 3 else { return shape.strides }
    let rank = shape.rank
    let (channels, height, width) = (shape[-3], shape[-2], shape[-1])
    var result = [Int](repeating: 1, count: rank)
    result[rank - 3] = 1
    result[rank - 1] = max(channels, 1)
    result[rank - 2] = max(channels, 1) * max(width, 1)
    var step = result[rank - 2] * max(height, 1)
    for index in stride(from: rank - 4, through: 0, by: -1) {
      result[index] = step
      step *= max(shape[index], 1)
    }
    return result
  }

  /// Whether the dense and the channels-last layout store this shape in the same order, as with one channel or one
  /// pixel.
  public var isOrderFree: Bool {
    shape.rank < 3 || shape[-3] == 1 || (shape[-2] == 1 && shape[-1] == 1)
  }

  /// Returns whether a tensor has the same bytes in memory with this descriptor as with `other`. If so, no element
  /// needs to move.
  public func isSameMemory(as other: TensorDescriptor) -> Bool {
    storage == other.storage && shape.count == other.shape.count
      && (layout == other.layout && shape == other.shape
        || (isOrderFree || layout == .dense) && (other.isOrderFree || other.layout == .dense))
  }

  /// The descriptor in listings, for example `bfloat16 channelsLast 1 × 64 × 320 × 320`.
  public var description: String { "\(storage) \(layout) \(shape)" }
}
