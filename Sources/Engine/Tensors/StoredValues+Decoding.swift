/// Finds the block of each element of a tensor. All elements of a block share a scale or a lookup table.
private struct Blocks {
  private let elementStrides: [Int]
  private let extents: [Int]
  private let sizes: [Int]
  private let blockStrides: [Int]
  /// The length of a run: a maximal sequence of elements of one block that are adjacent in row-major order.
  let run: Int
  /// The number of successive runs whose blocks have successive indices.
  let successiveRuns: Int

  /// - Parameter counts: The number of blocks along each axis. Each number divides the extent of its axis.
  init(_ counts: [Int], of shape: Shape) {
    extents = shape.dimensions.map { max(1, $0) }
    elementStrides = shape.strides
    blockStrides = Shape(counts).strides
    sizes = zip(extents, counts).map { $0 / $1 }
    // A run includes the trailing axes that have only one block, and a part of the axis before them.
    var run = 1
    for axis in counts.indices.reversed() {
      run *= sizes[axis]
      if counts[axis] != 1 { break }
    }
    self.run = run
    successiveRuns = counts.last ?? 1
  }

  /// Returns the index of an element's block.
  func block(at element: Int) -> Int {
    var block = 0
    for axis in extents.indices {
      block += element / elementStrides[axis] % extents[axis] / sizes[axis] * blockStrides[axis]
    }
    return block
  }
}

extension StoredValues {
  /// Replaces each index by the values of the table entry that it selects. If an entry has several values, they are
  /// placed along `axis`. Each block of indices has its own lookup table.
  func lookUp(
    _ indices: Constant, in table: Constant, along axis: Int, _ shape: Shape,
    _ values: UnsafeMutableBufferPointer<Float>
  ) throws {
    let rank: Int = indices.shape.rank
    let (entries, size) = (table.shape[rank], table.shape[rank + 1])
    let tables: [Float] = try table.floats()
    let blocks = Blocks(Array(table.shape.dimensions.prefix(rank)), of: indices.shape)
    func checked(_ number: Float) throws -> Int {
      guard number >= 0, number < Float(entries) else {
        throw StoredValues.bad(
          "the index \(number) is out of range for a lookup table of \(entries) entries.")
      }
      return Int(bounding: number)
    }
    if size == 1, let target = values.baseAddress {
      try indices.write(to: target)
      for start in stride(from: 0, to: values.count, by: blocks.run) {
        let first: Int = blocks.block(at: start) * entries
        for index in start..<start + blocks.run {
          values[index] = tables[first + (try checked(values[index]))]
        }
      }
      return
    }
    let inner: Int = indices.shape.dimensions[(axis + 1)...].product
    for (position, number) in try indices.floats().enumerated() {
      let first: Int = (blocks.block(at: position) * entries + (try checked(number))) * size
      let target: Int = position / inner * inner * size + position % inner
      for part in 0..<size { values[target + part * inner] = tables[first + part] }
    }
  }

  /// Throws unless the number of set bits of a mask is the number of stored values.
  private func requireSet(_ bits: some Sequence<Float>, _ stored: Int) throws {
    let count: Int = bits.reduce(0) { $0 + ($1 != 0 ? 1 : 0) }
    guard count == stored else {
      throw StoredValues.bad(
        "the mask has \(count) set bits, but \(stored) values are stored.")
    }
  }

  /// Writes the stored values in order to the positions where a mask is 1. On entry, `values` holds the mask.
  func spread(_ stored: Constant, _ values: UnsafeMutableBufferPointer<Float>) throws {
    let numbers: [Float] = try stored.floats()
    try requireSet(values, numbers.count)
    var next = 0
    for index in values.indices where values[index] != 0 {
      values[index] = numbers[next]
      next += 1
    }
  }

  /// Copies to `values`, in order, the values of a dense tensor where the mask is 1.
  func pick(
    _ dense: Constant, _ mask: Constant, _ values: UnsafeMutableBufferPointer<Float>
  ) throws {
    let numbers: [Float] = try dense.floats()
    let bits: [Float] = try mask.floats()
    try requireSet(bits, values.count)
    var next = 0
    for index in bits.indices where bits[index] != 0 {
      values[next] = numbers[index]
      next += 1
    }
  }
}

extension StoredValues.ScaledIntegers {
  /// Dequantises in place: `values` holds the quantised values on entry and the dequantised values on return.
  func apply(_ shape: Shape, _ values: UnsafeMutableBufferPointer<Float>) throws {
    let scales: [Float] = try scale.floats()
    let zeros: [Float]? = try zero?.floats()
    // All elements of a run have the same scale and the same zero point, even if the blocks of the scales and the
    // blocks of the zero points differ in size.
    let blocks = Blocks(scale.shape.dimensions, of: shape)
    let zeroBlocks: Blocks = zero.map { Blocks($0.shape.dimensions, of: shape) } ?? blocks
    let run: Int = min(blocks.run, zeroBlocks.run)
    let runs: Int = zero.map { $0.shape == scale.shape } ?? true ? blocks.successiveRuns : 1
    for first in stride(from: 0, to: values.count, by: run * runs) {
      let (scaleBlock, zeroBlock) = (blocks.block(at: first), zeroBlocks.block(at: first))
      for index in 0..<runs {
        let start: Int = first + index * run
        scaleRun(
          UnsafeMutableBufferPointer(rebasing: values[start..<start + run]),
          by: scales[scaleBlock + index], shift: zeros.map { $0[zeroBlock + index] } ?? 0)
      }
    }
  }

  /// Dequantises values that share a scale and a zero point.
  private func scaleRun(
    _ part: UnsafeMutableBufferPointer<Float>, by factor: Float, shift: Float
  ) {
    switch (difference, product) {
    case (.float16, _):
      for index in part.indices {
        let moved: Float = (part[index].roundedToHalf - shift).roundedToHalf
        part[index] = (moved * factor).roundedToHalf
      }
    case (_, .float16):
      for index in part.indices { part[index] = ((part[index] - shift) * factor).roundedToHalf }
    default:
      for index in part.indices { part[index] = (part[index] - shift) * factor }
    }
  }
}
