import Tensors

/// The shape of a tensor of weights and the axes of its channels. The shape and the axes determine which numbers share
/// a scale or a table: all numbers of a channel, of a group of inputs of a channel, or of a group of channels.
struct WeightGrid: Hashable, Sendable {
  /// The extents. The extent of the outermost axis is first.
  let shape: [Int]
  /// The axis of the output channels.
  let axis: Int
  /// The axis of the input channels. Nil if there is none.
  let inputAxis: Int?

  /// Describes a tensor with output channels along one axis and input channels along another.
  init(_ shape: [Int], axis: Int, inputAxis: Int? = nil) {
    self.shape = shape
    self.axis = axis
    self.inputAxis = inputAxis
  }

  /// How many numbers the tensor has, or `Int.max` if the product overflows.
  var count: Int { Shape(shape).count }
  /// How many output channels there are.
  var channels: Int { shape[axis] }
  /// The stride of the output channels' axis, in elements.
  var channelStride: Int { Shape(Array(shape.dropFirst(axis + 1))).count }

  /// A division into one block per output channel.
  var ofChannels: Sharing { Sharing(self, extents: [axis: channels]) }

  /// A division into a single block.
  var whole: Sharing { Sharing(self, extents: [:]) }

  /// Divides the tensor into one block per `size` adjacent channels. If `size` does not divide the number of channels,
  /// there is a single block.
  func ofGroups(channels size: Int) -> Sharing {
    channels % size == 0 ? Sharing(self, extents: [axis: channels / size]) : whole
  }

  /// Divides the tensor into one block per `size` adjacent inputs of a channel. If `size` does not divide the number of
  /// inputs, there is one block per channel.
  func ofGroups(inputs size: Int) -> Sharing {
    guard let inputAxis, shape[inputAxis] % size == 0 else { return ofChannels }
    return Sharing(self, extents: [axis: channels, inputAxis: shape[inputAxis] / size])
  }

  /// A division of a tensor into blocks. The numbers of a block share a scale or a table.
  struct Sharing: Sendable {
    /// For each axis: how many blocks there are along the axis. The tensor's extent along the axis is a multiple of
    /// this number.
    let extents: [Int]
    private let shape: [Int]

    fileprivate init(_ grid: WeightGrid, extents: [Int: Int]) {
      shape = grid.shape
      self.extents = grid.shape.indices.map { extents[$0] ?? 1 }
    }

    /// The number of blocks.
    var count: Int { extents.reduce(1, *) }

    /// Calls a function for each block, in order, with the indices of the block's numbers in the tensor.
    func forEachBlock(_ body: (_ indices: [Int]) -> Void) {
      let sizes: [Int] = zip(shape, extents).map { $0 / $1 }
      let strides: [Int] = Shape(shape).strides
      var block = [Int](repeating: 0, count: shape.count)
      for _ in 0..<count {
        let start: Int = zip(block, zip(sizes, strides)).reduce(0) { $0 + $1.0 * $1.1.0 * $1.1.1 }
        var indices: [Int] = [start]
        for (size, stride) in zip(sizes, strides) where size > 1 {
          indices = indices.flatMap { index in (0..<size).map { index + $0 * stride } }
        }
        body(indices)
        for index in shape.indices.reversed() {
          block[index] += 1
          if block[index] < extents[index] { break }
          block[index] = 0
        }
      }
    }
  }
}
