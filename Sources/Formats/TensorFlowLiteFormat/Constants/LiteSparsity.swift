import ModelFormat
import Tensors

/// Where the stored values of a sparse tensor belong: one level per axis, in the order in which the file traverses the
/// axes. A level is dense, or lists the indices of the entries that exist (compressed sparse rows).
///
/// **Source:** `SparsityParameters` in schema.fbs; Kjolstad et al., “The Tensor Algebra Compiler”, OOPSLA 2017.
struct LiteSparsity: Sendable {
  private enum Level: Sendable {
    case dense(Int)
    /// The entries of parent `p` are `indices[segments[p]..<segments[p + 1]]`.
    case compressed(segments: [Int], indices: [Int])
  }

  private let order: [Int]
  private let levels: [Level]

  /// The number of integers that the levels store.
  var storedCount: Int {
    levels.reduce(0) { sum, level in
      if case .compressed(let segments, let indices) = level {
        return [sum, segments.count, indices.count].saturatingSum
      }
      return sum
    }
  }

  /// Reads the levels of a tensor with `rank` axes.
  init(_ table: FlatTable, rank: Int) throws {
    order = try table.ints(0) ?? []
    let dimensions: [FlatTable] = try table.tables(2)
    guard try table.ints(1)?.isEmpty ?? true else {
      throw EngineError(
        .unsupported,
        "its sparse values are in blocks, which is not supported. Convert the model with dense weights."
      )
    }
    guard order.sorted() == Array(0..<rank), dimensions.count == rank else {
      throw EngineError(
        .invalidModel, "its sparse form has \(dimensions.count) levels, expected \(rank).")
    }
    levels = try dimensions.map { dimension in
      guard try dimension.byte(0) == 1 else { return .dense(try dimension.int(1)) }
      return .compressed(
        segments: try Self.integers(dimension, kind: 2, table: 3),
        indices: try Self.integers(dimension, kind: 4, table: 5))
    }
  }

  /// Reads a list of integers of 32, 16 or 8 bits. The field `kind` states which.
  private static func integers(_ dimension: FlatTable, kind: Int, table: Int) throws -> [Int] {
    guard let list = try dimension.table(table) else {
      throw EngineError(.invalidModel, "its sparse form has a level without indices.")
    }
    switch try dimension.byte(kind) {
    case 1: return try list.ints(0) ?? []
    case 2: return try list.ints(0, as: UInt16.self) ?? []
    case 3: return try list.ints(0, as: UInt8.self) ?? []
    case let other:
      throw EngineError(.unsupported, "its sparse form has indices of the unknown type \(other).")
    }
  }

  /// Returns the bytes of the tensor in dense form: zeros, and the stored values at their places.
  ///
  /// - Throws: If the levels contradict the shape. Also if the dense form has more than 1 MB and is more than 64 times
  ///   as large as the list of values in the file.
  func denseBytes(of tensor: LiteModel.Tensor) throws -> ByteValues {
    guard let stored = tensor.element.stored, !stored.isPacked else {
      throw EngineError(
        .unsupported,
        "tensor '\(tensor.name)' holds sparse values of type \(tensor.element), which cannot be read."
      )
    }
    let size: Int = stored.byteCount
    let strides: [Int] = Shape(tensor.shape).strides
    let total: Int = [Shape(tensor.shape).count, size].product
    guard total <= max(1 << 20, [tensor.bytes.count, 64].product) else {
      throw EngineError(
        .invalidModel,
        "tensor '\(tensor.name)' is \(Shape(tensor.shape)), but the file holds only"
          + " \(tensor.bytes.count) bytes of it. The file may be damaged.")
    }
    let damaged = EngineError(
      .invalidModel,
      "tensor '\(tensor.name)': the indices of its sparse values do not fit its shape"
        + " \(Shape(tensor.shape)). The file may be damaged.")
    // For each entry of a level, its offset in the dense tensor, counted in elements.
    var offsets: [Int] = [0]
    for (axis, level) in zip(order, levels) {
      let (extent, stride) = (tensor.shape[axis], strides[axis])
      switch level {
      case .dense(let count):
        guard count == extent, [offsets.count, count].product <= total else { throw damaged }
        offsets = offsets.flatMap { offset in (0..<count).map { offset + $0 * stride } }
      case .compressed(let segments, let indices):
        guard segments.count == offsets.count + 1, segments.first == 0,
          segments.last == indices.count, zip(segments, segments.dropFirst()).allSatisfy(<=),
          indices.allSatisfy({ (0..<extent).contains($0) })
        else { throw damaged }
        offsets = offsets.enumerated().flatMap { parent, offset in
          indices[segments[parent]..<segments[parent + 1]].map { offset + $0 * stride }
        }
      }
    }
    guard offsets.count == tensor.bytes.count / size, tensor.bytes.count % size == 0 else {
      throw damaged
    }
    var dense = [UInt8](repeating: 0, count: total)
    tensor.bytes.withUnsafeBytes { values in
      for (index, offset) in offsets.enumerated() {
        for byte in 0..<size { dense[offset * size + byte] = values[index * size + byte] }
      }
    }
    return ByteValues(dense)
  }
}
