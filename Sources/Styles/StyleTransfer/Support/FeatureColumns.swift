/// Columns of features as a matrix with one row for each channel and one column for each position of a picture.
struct FeatureColumns {
  /// The number of channels of each layer.
  let channels: [Int]
  /// The number of columns.
  let count: Int
  /// The matrix, row by row: all positions of the first channel, then those of the second one.
  private(set) var values: [Float]

  /// The number of rows.
  var rows: Int { channels.reduce(0, +) }

  init(channels: [Int], count: Int, values: [Float]) {
    precondition(values.count == channels.reduce(0, +) * count, "one value for each row and column")
    self.channels = channels
    self.count = count
    self.values = values
  }

  /// Returns the columns with the given indices, in their order.
  func taking(_ indices: [Int]) -> FeatureColumns {
    var result = [Float](repeating: 0, count: rows * indices.count)
    values.withUnsafeBufferPointer { (source: UnsafeBufferPointer<Float>) in
      result.withUnsafeMutableBufferPointer { (target: inout UnsafeMutableBufferPointer<Float>) in
        for row in 0..<rows {
          let (from, to) = (row * count, row * indices.count)
          for (position, index) in indices.enumerated() {
            target[to + position] = source[from + index]
          }
        }
      }
    }
    return FeatureColumns(channels: channels, count: indices.count, values: result)
  }

  /// Returns these columns, followed by the columns of another matrix with the same rows.
  func joined(with other: FeatureColumns) -> FeatureColumns {
    precondition(channels == other.channels, "columns of the same layers")
    var result: [Float] = []
    result.reserveCapacity(values.count + other.values.count)
    for row in 0..<rows {
      result += values[(row * count)..<((row + 1) * count)]
      result += other.values[(row * other.count)..<((row + 1) * other.count)]
    }
    return FeatureColumns(channels: channels, count: count + other.count, values: result)
  }

  /// Replaces the columns with the given indices by those of another matrix, in their order.
  mutating func replace(_ indices: [Int], with other: FeatureColumns) {
    precondition(channels == other.channels && indices.count == other.count)
    let (rows, count) = (rows, count)
    values.withUnsafeMutableBufferPointer { (own: inout UnsafeMutableBufferPointer<Float>) in
      other.values.withUnsafeBufferPointer { (theirs: UnsafeBufferPointer<Float>) in
        for row in 0..<rows {
          for (position, index) in indices.enumerated() {
            own[row * count + index] = theirs[row * indices.count + position]
          }
        }
      }
    }
  }

  /// Replaces each column by `(1 − share) · column + share · other`.
  mutating func mix(_ share: Float, of other: FeatureColumns) {
    precondition(values.count == other.values.count, "columns of pictures of the same size")
    values.withUnsafeMutableBufferPointer { (own: inout UnsafeMutableBufferPointer<Float>) in
      other.values.withUnsafeBufferPointer { (theirs: UnsafeBufferPointer<Float>) in
        for index in 0..<own.count { own[index] += share * (theirs[index] - own[index]) }
      }
    }
  }

  /// The mean of each row.
  var means: [Float] {
    values.withUnsafeBufferPointer { (values: UnsafeBufferPointer<Float>) -> [Float] in
      (0..<rows).map { row in
        var sum: Double = 0
        for index in (row * count)..<((row + 1) * count) { sum += Double(values[index]) }
        return Float(sum / Double(count))
      }
    }
  }

  /// Subtracts a number from each row.
  mutating func subtract(_ numbers: [Float]) {
    let count: Int = count
    values.withUnsafeMutableBufferPointer { (values: inout UnsafeMutableBufferPointer<Float>) in
      for row in 0..<numbers.count {
        let number: Float = numbers[row]
        for index in (row * count)..<((row + 1) * count) { values[index] -= number }
      }
    }
  }

  /// Divides each column by its Euclidean length. Columns of zeros stay zero.
  mutating func normalize() {
    var factors = [Float](repeating: 0, count: count)
    let (rows, count) = (rows, count)
    values.withUnsafeMutableBufferPointer { (values: inout UnsafeMutableBufferPointer<Float>) in
      factors.withUnsafeMutableBufferPointer { (factors: inout UnsafeMutableBufferPointer<Float>) in
        for row in 0..<rows {
          let start: Int = row * count
          for index in 0..<count { factors[index] += values[start + index] * values[start + index] }
        }
        for index in 0..<count {
          factors[index] = factors[index] > 0 ? 1 / factors[index].squareRoot() : 0
        }
        for row in 0..<rows {
          let start: Int = row * count
          for index in 0..<count { values[start + index] *= factors[index] }
        }
      }
    }
  }

  /// Returns the rows of each layer. If the positions are those of a picture, they are `[1, channels, height, width]`.
  consuming func takingLayers() -> [[Float]] {
    var start: Int = 0
    return channels.map { channels in
      defer { start += channels * count }
      return Array(values[start..<(start + channels * count)])
    }
  }

  /// Copies some consecutive columns into a matrix `[rows, columns.count]`, row by row.
  func copy(_ columns: Range<Int>, to target: inout [Float]) {
    let width: Int = columns.count
    values.withUnsafeBufferPointer { (source: UnsafeBufferPointer<Float>) in
      target.withUnsafeMutableBufferPointer { (target: inout UnsafeMutableBufferPointer<Float>) in
        for row in 0..<rows {
          let from: Int = row * count + columns.lowerBound
          _ = target[(row * width)..<((row + 1) * width)].update(
            fromContentsOf: source[from..<(from + width)])
        }
      }
    }
  }
}
