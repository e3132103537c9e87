import ModelFormat
import Tensors

/// Weights of a layer, or a mean image from a file.
struct CaffeBlob: Sendable {
  /// The extents of the axes. The old form of the message always states four extents: the batch size, the channels, the
  /// height and the width.
  let shape: [Int]
  /// The values in row-major order.
  let values: StoredValues
  /// The number of values.
  let count: Int

  /// Reads a `BlobProto` message.
  init(_ message: CaffeMessage) throws {
    if message.has("shape") {
      shape = try message.message("shape").ints("dim")
    } else {
      shape = try ["num", "channels", "height", "width"].map { try message.int($0, or: 1) }
    }
    var packed: [(ByteValues, ElementType)] = []
    for case .numbers(let bytes, let element) in message.fields["data", default: []]
      + message.fields["double_data", default: []]
    {
      packed.append((bytes, element))
    }
    if packed.count == 1 {
      let (bytes, element) = packed[0]
      guard bytes.count % element.byteCount == 0 else {
        throw EngineError(
          .invalidModel,
          "weights hold \(bytes.count) bytes, which is not a multiple of the element size.")
      }
      values = StoredValues(bytes, of: element)
      count = bytes.count / element.byteCount
    } else if packed.isEmpty {
      let numbers: [Float] = try message.floats("data")
      values = StoredValues(
        numbers.flatMap { number in
          withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
        },
        of: .float32)
      count = numbers.count
    } else {
      throw EngineError(
        .invalidModel, "weights are stored in \(packed.count) packed fields, expected one.")
    }
    guard shape.allSatisfy({ $0 >= 0 }), Shape(shape).isMeasurable, Shape(shape).count == count
    else {
      throw EngineError(
        .invalidModel,
        "weights of the shape \(Shape(shape)) hold \(count) values. The file may be truncated.")
    }
  }

  /// Returns the values as a constant of another shape with the same number of elements.
  ///
  /// - Throws: `invalidModel` if the shape has more or fewer elements than there are values.
  func constant(_ shape: Shape, _ what: String) throws -> Constant {
    guard shape.isMeasurable, shape.count == count else {
      throw EngineError(
        .invalidModel,
        "\(what) hold \(count) values, expected \(shape.isMeasurable ? "\(shape.count)" : "more") (\(shape)). Do the .prototxt and the .caffemodel belong together?"
      )
    }
    return Constant(TensorType(shape), values)
  }
}
