/// The order in which a plan keeps the elements of a tensor in memory.
public enum Layout: UInt8, Sendable, Hashable, CustomStringConvertible {
  /// Row-major over the shape: the last dimension runs fastest. `[…, C, H, W]` lies plane by plane.
  case dense
  /// `[…, C, H, W]` stored as `[…, H, W, C]`: the channels of one pixel lie side by side.
  /// Asked only of tensors of rank three or more. (Fastest for convolutions here, and what an
  /// interleaved picture is already.)
  case channelsLast

  /// The name, as of `ElementType`.
  public var description: String { self == .dense ? "dense" : "channelsLast" }
}

/// How a plan keeps one tensor: the graph's shape, the stored element type and the layout.
public struct TensorDescriptor: Sendable, Hashable, CustomStringConvertible {
  /// The extents as the graph states them; the layout permutes memory, never the shape.
  public var shape: Shape
  /// The type of the stored elements.
  public var storage: ElementType
  /// The order of the elements in memory.
  public var layout: Layout

  /// A descriptor; dense `float32` unless told otherwise.
  public init(_ shape: Shape, _ storage: ElementType = .float32, _ layout: Layout = .dense) {
    self.shape = shape
    self.storage = storage
    self.layout = layout
  }

  /// The size of the tensor in bytes.
  public var byteCount: Int {
    storage.byteCount(of: shape.count)
  }

  /// Distances in elements between neighbours along each dimension of `shape`.
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

  /// Whether both layouts put the elements in the same order for this shape, as for one channel or
  /// one pixel.
  public var isOrderFree: Bool {
    shape.rank < 3 || shape[-3] == 1 || (shape[-2] == 1 && shape[-1] == 1)
  }

  /// Whether memory laid out for `other` can be read as this without moving anything.
  public func isSameMemory(as other: TensorDescriptor) -> Bool {
    storage == other.storage && shape.count == other.shape.count
      && (layout == other.layout && shape == other.shape
        || (isOrderFree || layout == .dense) && (other.isOrderFree || other.layout == .dense))
  }

  /// For listings: `bfloat16 channelsLast 1 × 64 × 320 × 320`.
  public var description: String { "\(storage) \(layout) \(shape)" }
}
