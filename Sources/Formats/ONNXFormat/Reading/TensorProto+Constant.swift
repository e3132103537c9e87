import Graph
import ModelFormat

extension ONNX.TensorProto {
  /// Returns the shape and the element type that the message states.
  ///
  /// - Throws: `invalidModel` for negative extents, or if memory cannot hold so many elements.
  func written() throws -> TensorType {
    let shape = Shape(dims.map { Int(clamping: $0) })
    guard shape.isMeasurable else {
      throw EngineError(
        .invalidModel,
        "the tensor '\(name)' has the shape \(dims), expected extents from 0 on that memory can hold."
      )
    }
    return TensorType(shape, try ElementType(onnx: dataType))
  }

  /// Returns the values as a constant in the type in which the graph stores them. The values stay in the file's bytes.
  /// Only integers that must be clamped to `int32` are copied.
  func constant(in context: ModelContext) throws -> ONNXConstant {
    let type: TensorType = try written()
    let (shape, element) = (type.shape, type.element)
    let bytes: ByteValues = try bytes(for: type, in: context)
    let needed: Int = element.byteCount(of: shape.count)
    guard bytes.count == needed else {
      throw EngineError(
        .invalidModel,
        "the tensor '\(name)' has \(bytes.count) bytes, expected \(needed) for \(shape) numbers of \(element). The file may be truncated."
      )
    }
    let stored = StoredValues(bytes, of: element)
    if element.isHeldAsInteger {
      if element == .int32 {
        return ONNXConstant(Constant(TensorType(shape, .int32), stored), element)
      }
      let wide = Constant(TensorType(shape, element), stored)
      return ONNXConstant(Constant(try wide.tensor().heldFromONNX()), element)
    }
    return ONNXConstant(Constant(TensorType(shape, .float32), stored), element)
  }

  /// Returns the values in the model's type, for comparisons and listings.
  package func values(in context: ModelContext) throws -> ReferenceTensor {
    let type: TensorType = try written()
    let bytes: ByteValues = try bytes(for: type, in: context)
    let needed: Int = type.element.byteCount(of: type.shape.count)
    guard bytes.count == needed else {
      throw EngineError(
        .invalidModel, "the tensor '\(name)' has \(bytes.count) bytes, expected \(needed).")
    }
    guard type.element == .float64 else {
      return try Constant(type, StoredValues(bytes, of: type.element)).tensor()
    }
    return ReferenceTensor(
      type.shape,
      bytes.withUnsafeBytes { view in
        (0..<type.shape.count).map {
          Double(
            bitPattern: UInt64(
              littleEndian: view.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)))
        }
      }, .float64)
  }

  /// Returns the numbers as bytes. One of several fields holds them.
  private func bytes(for type: TensorType, in context: ModelContext) throws -> ByteValues {
    if dataLocation == .external { return try externalBytes(in: context) }
    if !rawData.isEmpty { return rawData }
    switch type.element {
    case .float32: return floatData.bytes
    case .float64: return doubleData.withUnsafeBytes { ByteValues(copying: $0) }
    case .int64: return int64Data.withUnsafeBytes { ByteValues(copying: $0) }
    case .uint64: return uint64Data.withUnsafeBytes { ByteValues(copying: $0) }
    case .uint32:
      return uint64Data.map { UInt32(truncatingIfNeeded: $0) }
        .withUnsafeBytes { ByteValues(copying: $0) }
    case .int32: return int32Data.withUnsafeBytes { ByteValues(copying: $0) }
    case .float16, .bfloat16, .int16, .uint16:
      return int32Data.map { UInt16(truncatingIfNeeded: $0) }
        .withUnsafeBytes { ByteValues(copying: $0) }
    default: return ByteValues(int32Data.map { UInt8(truncatingIfNeeded: $0) })
    }
  }

  private func externalBytes(in context: ModelContext) throws -> ByteValues {
    var entries: [String: String] = [:]
    for entry in externalData { entries[entry.key] = entry.value }
    guard let location = entries["location"] else {
      throw EngineError(
        .invalidModel, "the tensor '\(name)' is stored outside of the model, but no file is named.")
    }
    let file: ByteValues = try context.file(at: location)
    func number(_ key: String, _ standard: Int) throws -> Int {
      guard let text = entries[key] else { return standard }
      guard let number = Int(text), number >= 0 else {
        throw EngineError(
          .invalidModel, "the tensor '\(name)': '\(key)' is '\(text)', expected a number from 0 on."
        )
      }
      return number
    }
    let offset: Int = try number("offset", 0)
    let length: Int = try number("length", max(0, file.count - offset))
    guard let slice = file.slice(from: offset, count: length) else {
      throw EngineError(
        .invalidModel,
        "the tensor '\(name)' has \(length) bytes from byte \(offset) of '\(location)' on, but the file has \(file.count). It may be truncated."
      )
    }
    return slice
  }
}

/// A constant of the graph, and its element type in the model.
struct ONNXConstant {
  /// The values as the graph stores them.
  let constant: Constant
  /// The type in the model.
  let element: ElementType

  init(_ constant: Constant, _ element: ElementType) {
    self.constant = constant
    self.element = element
  }
}
