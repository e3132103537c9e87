import Foundation

/// A tensor of the Open Inference Protocol (KServe V2).
public struct InferenceTensor: Sendable, Equatable {
  /// The type of a tensor's elements.
  public enum DataType: String, Sendable, CaseIterable {
    case bool = "BOOL"
    case uint8 = "UINT8"
    case uint16 = "UINT16"
    case uint32 = "UINT32"
    case uint64 = "UINT64"
    case int8 = "INT8"
    case int16 = "INT16"
    case int32 = "INT32"
    case int64 = "INT64"
    case float16 = "FP16"
    case float32 = "FP32"
    case float64 = "FP64"
    case bytes = "BYTES"

    /// The number of bytes of an element. Nil if the elements have different lengths.
    public var byteCount: Int? {
      switch self {
      case .bool, .uint8, .int8: 1
      case .uint16, .int16, .float16: 2
      case .uint32, .int32, .float32: 4
      case .uint64, .int64, .float64: 8
      case .bytes: nil
      }
    }
  }

  public let name: String
  public let dataType: DataType
  public let shape: [Int]
  /// The elements in row-major order, as the binary data extension sends them: little-endian numbers, or for
  /// ``DataType/bytes`` each element after its length in 4 bytes.
  public let content: Data

  /// Creates a tensor. Throws ``HTTPError`` of status 400 if the content does not have as many elements as the shape.
  public init(name: String, dataType: DataType, shape: [Int], content: Data) throws {
    self.name = name
    self.dataType = dataType
    self.shape = shape
    self.content = content
    let count = try Self.elementCount(shape, name)
    if let size = dataType.byteCount {
      let (expected, overflow) = count.multipliedReportingOverflow(by: size)
      guard !overflow, content.count == expected else {
        throw Self.wrong(
          name,
          "has \(content.count) bytes, but \(count) elements of \(dataType.rawValue) have"
            + " \(size) bytes each")
      }
    } else {
      let found = try elements().count
      guard found == count else {
        throw Self.wrong(name, "has \(found) elements, but its shape \(shape) has \(count)")
      }
    }
  }

  /// Returns the elements of a tensor of ``DataType/bytes``.
  public func elements() throws -> [Data] {
    var elements: [Data] = []
    var rest = content[...]
    while !rest.isEmpty {
      guard rest.count >= 4 else { throw Self.wrong(name, "ends within the length of an element") }
      let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard length <= rest.count else {
        throw Self.wrong(
          name, "has an element of \(length) bytes, but only \(rest.count) bytes follow")
      }
      elements.append(Data(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return elements
  }

  /// Returns a tensor of ``DataType/bytes`` with these elements.
  public static func bytes(_ name: String, shape: [Int], _ elements: [Data]) throws
    -> InferenceTensor
  {
    var content = Data()
    for element in elements {
      withUnsafeBytes(of: UInt32(element.count).littleEndian) { content.append(contentsOf: $0) }
      content.append(element)
    }
    return try InferenceTensor(name: name, dataType: .bytes, shape: shape, content: content)
  }

  static func elementCount(_ shape: [Int], _ name: String) throws -> Int {
    var count = 1
    for extent in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: extent)
      guard extent >= 0, !overflow else {
        throw wrong(name, "has the shape \(shape), but extents are integers of at least 0")
      }
      count = product
    }
    return count
  }

  static func wrong(_ name: String, _ what: String) -> HTTPError {
    HTTPError(400, "bad_tensor", "The tensor '\(name)' \(what).")
  }
}
