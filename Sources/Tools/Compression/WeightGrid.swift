import Tensors

/// Which numbers of a tensor share a scale, or a table: those of a channel, of a group of a channel's inputs, or of a
/// group of channels.
struct WeightGrid: Hashable, Sendable {
  /// The extents, outermost first.
  let shape: [Int]
  /// The axis of the output channels.
  let axis: Int
  /// The axis of the input channels; nil where there is none.
  let inputAxis: Int?

  /// A tensor with output channels along an axis, and input channels along another.
  init(_ shape: [Int], axis: Int, inputAxis: Int? = nil) {
    self.shape = shape
    self.axis = axis
    self.inputAxis = inputAxis
  }

  /// How many numbers there are; saturates.
  var count: Int { Shape(shape).count }
  /// How many output channels there are.
  var channels: Int { shape[axis] }
  /// The distance of two neighbouring channels.
  var channelStride: Int { Shape(Array(shape.dropFirst(axis + 1))).count }

  /// The numbers of every channel, one share each.
  var ofChannels: Sharing { Sharing(self, extents: [axis: channels]) }

  /// All numbers, one share.
  var whole: Sharing { Sharing(self, extents: [:]) }

  /// The numbers of so many neighbouring channels.
  func ofGroups(channels size: Int) -> Sharing {
    channels % size == 0 ? Sharing(self, extents: [axis: channels / size]) : whole
  }

  /// The numbers of a channel with so many neighbouring inputs; whole channels where they cannot be divided so.
  func ofGroups(inputs size: Int) -> Sharing {
    guard let inputAxis, shape[inputAxis] % size == 0 else { return ofChannels }
    return Sharing(self, extents: [axis: channels, inputAxis: shape[inputAxis] / size])
  }

  /// How a tensor is cut into blocks, the numbers of each of which share something.
  struct Sharing: Sendable {
    /// The number of blocks along each axis; it divides the extent.
    let extents: [Int]
    private let shape: [Int]

    fileprivate init(_ grid: WeightGrid, extents: [Int: Int]) {
      shape = grid.shape
      self.extents = grid.shape.indices.map { extents[$0] ?? 1 }
    }

    /// The number of blocks.
    var count: Int { extents.reduce(1, *) }

    /// Calls a function with each block's numbers, in the order of the blocks.
    func forEachBlock(_ body: (_ places: [Int]) -> Void) {
      let sizes: [Int] = zip(shape, extents).map { $0 / $1 }
      let strides: [Int] = Shape(shape).strides
      var block = [Int](repeating: 0, count: shape.count)
      for _ in 0..<count {
        let start: Int = zip(block, zip(sizes, strides)).reduce(0) { $0 + $1.0 * $1.1.0 * $1.1.1 }
        var places: [Int] = [start]
        for (size, stride) in zip(sizes, strides) where size > 1 {
          places = places.flatMap { place in (0..<size).map { place + $0 * stride } }
        }
        body(places)
        for index in shape.indices.reversed() {
          block[index] += 1
          if block[index] < extents[index] { break }
          block[index] = 0
        }
      }
    }
  }
}
