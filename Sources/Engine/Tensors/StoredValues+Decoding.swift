/// The blocks of a tensor that share a scale or a table: where each element's block is.
private struct Blocks {
  private let places: [Int]
  private let extents: [Int]
  private let sizes: [Int]
  private let strides: [Int]
  /// The number of neighbours that lie in one block.
  let run: Int

  /// - Parameter counts: the number of blocks along each axis; each divides the extent.
  init(_ counts: [Int], of shape: Shape) {
    extents = shape.dimensions.map { max(1, $0) }
    places = shape.strides
    strides = Shape(counts).strides
    sizes = zip(extents, counts).map { $0 / $1 }
    // Trailing axes that one block covers are neighbours; the next axis is covered in parts.
    var run = 1
    for axis in counts.indices.reversed() {
      run *= sizes[axis]
      if counts[axis] != 1 { break }
    }
    self.run = run
  }

  /// The block of an element.
  func block(at element: Int) -> Int {
    var block = 0
    for axis in extents.indices {
      block += element / places[axis] % extents[axis] / sizes[axis] * strides[axis]
    }
    return block
  }
}

extension StoredValues {
  /// Looks codes up. An entry's values stand along an axis; each block of codes has its own table.
  func lookUp(
    _ codes: Constant, in table: Constant, along axis: Int, _ shape: Shape,
    _ values: UnsafeMutableBufferPointer<Float>
  ) throws {
    let rank: Int = codes.shape.rank
    let (entries, size) = (table.shape[rank], table.shape[rank + 1])
    let tables: [Float] = try table.floats()
    let blocks = Blocks(Array(table.shape.dimensions.prefix(rank)), of: codes.shape)
    func checked(_ code: Float) throws -> Int {
      guard code >= 0, code < Float(entries) else {
        throw StoredValues.bad("the code \(code) names no entry of a table of \(entries).")
      }
      return Int(bounding: code)
    }
    if size == 1, let target = values.baseAddress {
      try codes.write(to: target)
      for start in stride(from: 0, to: values.count, by: blocks.run) {
        let first: Int = blocks.block(at: start) * entries
        for index in start..<start + blocks.run {
          values[index] = tables[first + (try checked(values[index]))]
        }
      }
      return
    }
    let inner: Int = codes.shape.dimensions[(axis + 1)...].product
    for (position, code) in try codes.floats().enumerated() {
      let first: Int = (blocks.block(at: position) * entries + (try checked(code))) * size
      let target: Int = position / inner * inner * size + position % inner
      for part in 0..<size { values[target + part * inner] = tables[first + part] }
    }
  }

  /// Checks that a mask has as many bits that are set as values are stored.
  private func requireSet(_ bits: some Sequence<Float>, _ stored: Int) throws {
    let count: Int = bits.reduce(0) { $0 + ($1 != 0 ? 1 : 0) }
    guard count == stored else {
      throw StoredValues.bad(
        "the mask has \(count) bits that are set, but \(stored) values are stored.")
    }
  }

  /// Puts values where a mask, which lies in the memory, is 1.
  func spread(_ kept: Constant, _ values: UnsafeMutableBufferPointer<Float>) throws {
    let numbers: [Float] = try kept.floats()
    try requireSet(values, numbers.count)
    var next = 0
    for index in values.indices where values[index] != 0 {
      values[index] = numbers[next]
      next += 1
    }
  }

  /// The values of a dense tensor where the mask is 1.
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

extension StoredValues.ScaledCodes {
  /// Scales codes that lie in the memory.
  func apply(_ shape: Shape, _ values: UnsafeMutableBufferPointer<Float>) throws {
    let scales: [Float] = try scale.floats()
    let zeros: [Float]? = try zero?.floats()
    // Where both hold for blocks of different sizes, runs are those of the smaller ones.
    let blocks = Blocks(scale.shape.dimensions, of: shape)
    let zeroBlocks: Blocks = zero.map { Blocks($0.shape.dimensions, of: shape) } ?? blocks
    let run: Int = min(blocks.run, zeroBlocks.run)
    for start in stride(from: 0, to: values.count, by: run) {
      let factor: Float = scales[blocks.block(at: start)]
      let shift: Float = zeros.map { $0[zeroBlocks.block(at: start)] } ?? 0
      let part = UnsafeMutableBufferPointer(rebasing: values[start..<start + run])
      switch (difference, product) {
      case (.float16, _):
        for index in part.indices {
          let code = Float(Float16(part[index]))
          part[index] = Float(Float16(Float(Float16(code - shift)) * factor))
        }
      case (_, .float16):
        for index in part.indices { part[index] = Float(Float16((part[index] - shift) * factor)) }
      default: for index in part.indices { part[index] = (part[index] - shift) * factor }
      }
    }
  }
}
