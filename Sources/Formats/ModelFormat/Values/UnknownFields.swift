/// Fields that the specification does not know, byte for byte in the order of the file.
///
/// As big as a pointer, because every message has one and hardly any uses it.
public struct UnknownFields: Equatable, Sendable {
  private final class Box: Sendable {
    let bytes: ByteValues
    init(_ bytes: ByteValues) { self.bytes = bytes }
  }

  private var box: Box?

  /// No fields.
  public init() {}

  /// Keys and values as they lie in the file.
  public var bytes: ByteValues { box?.bytes ?? ByteValues() }

  /// Whether every field of the message is known.
  public var isEmpty: Bool { box == nil }

  /// Equal where the bytes are.
  public static func == (left: UnknownFields, right: UnknownFields) -> Bool {
    left.bytes == right.bytes
  }

  /// Adds one field with its key.
  mutating func append(_ field: ByteValues) {
    var bytes: ByteValues = self.bytes
    box = nil
    bytes.append(field)
    box = Box(bytes)
  }
}
