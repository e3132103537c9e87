import Graph
import ModelFormat

/// The numbers of a `.bin` file. The file has no names. Each layer reads its numbers where the layer before it stopped.
///
/// **Source:** ncnn, docs/developer-guide/param-and-model-file-structure.md.
final class NCNNWeights {
  private let bytes: ByteValues
  private let file: String
  private var position = 0

  /// Creates a reader of a file's bytes. `file` is the file's name in messages.
  init(_ bytes: ByteValues, file: String) {
    self.bytes = bytes
    self.file = file
  }

  /// The first four bytes of numbers that are stored in one of several types.
  private enum Tag {
    static let float16: UInt32 = 0x0130_6B47
    static let int8: UInt32 = 0x000D_4B38
    static let float32: UInt32 = 0x0002_C056
  }

  /// The number of values in the table of numbers that are stored as indices.
  private static let tableCount = 256

  /// Reads numbers that begin with four bytes for their type: float16, float32, or indices of one byte into a table.
  func tagged(_ shape: Shape, _ what: String) throws -> Constant {
    let count: Int = try measured(shape, what)
    let head: [UInt8] = try next(4, what).array()
    let tag: UInt32 = head.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    switch tag {
    case Tag.float16: return try plain(shape, count, .float16, what)
    case 0, Tag.float32: return try plain(shape, count, .float32, what)
    case Tag.int8:
      throw EngineError(
        .unsupported,
        "\(what) are quantised to int8, which the reader does not support. Use the file in float32 or float16."
      )
    default: break
    }
    // The format says no more than that any other tag but zero announces a table.
    let table = Constant(
      TensorType([Self.tableCount]), StoredValues(try next(Self.tableCount * 4, what), of: .float32)
    )
    let stored: ByteValues = try next(count, what)
    try skip((4 - count % 4) % 4, what)
    let indices = Constant(TensorType(shape), StoredValues(stored, of: .uint8))
    return Constant(shape, recipe: "looked up", of: [table, indices]) {
      let values: [Float] = try table.floats()
      return try indices.floats().map { values[Int($0)] }
    }
  }

  /// Reads numbers in float32.
  func floats(_ shape: Shape, _ what: String) throws -> Constant {
    try plain(shape, try measured(shape, what), .float32, what)
  }

  /// Throws if bytes follow the weights of the last layer.
  func requireEnd() throws {
    guard position == bytes.count else {
      throw EngineError(
        .invalidModel,
        "'\(file)' has \(bytes.count) bytes, but the layers take \(position). Do the .param and the .bin file belong together?"
      )
    }
  }

  private func measured(_ shape: Shape, _ what: String) throws -> Int {
    guard shape.dimensions.allSatisfy({ $0 >= 0 }), shape.isMeasurable else {
      throw EngineError(.invalidModel, "\(what) have the impossible size \(shape).")
    }
    return shape.count
  }

  private func plain(_ shape: Shape, _ count: Int, _ element: ElementType, _ what: String) throws
    -> Constant
  {
    let size: Int = count * element.byteCount
    let values = StoredValues(try next(size, what), of: element)
    try skip((4 - size % 4) % 4, what)
    return Constant(TensorType(shape), values)
  }

  private func skip(_ count: Int, _ what: String) throws { _ = try next(count, what) }

  private func next(_ count: Int, _ what: String) throws -> ByteValues {
    guard let slice = bytes.slice(from: position, count: count) else {
      throw EngineError(
        .invalidModel,
        "\(what) need \(count) bytes from byte \(position) on, but '\(file)' has \(bytes.count). The file may be truncated, or belong to another .param file."
      )
    }
    position += count
    return slice
  }
}
