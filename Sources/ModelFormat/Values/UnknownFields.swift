/// Fields that the specification does not know, byte for byte in the order of the file.
public struct UnknownFields: Equatable, Sendable {
  /// Keys and values as they lie in the file.
  public private(set) var bytes: ByteValues = ByteValues()

  /// No fields.
  public init() {}

  /// Whether every field of the message is known.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Adds one field with its key.
  mutating func append(_ field: ByteValues) {
    bytes.append(field)
  }
}
