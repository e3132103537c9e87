/// The fields of a message that the specification does not define, byte for byte and in the order of the file.
///
/// The struct is as small as a pointer, because every message has such a member and few messages use it.
public struct UnknownFields: Equatable, Sendable {
  private final class Box: Sendable {
    let bytes: ByteValues
    init(_ bytes: ByteValues) { self.bytes = bytes }
  }

  private var box: Box?

  /// Makes a value without fields.
  public init() {}

  /// The fields' keys and values as in the file.
  public var bytes: ByteValues { box?.bytes ?? ByteValues() }

  /// Whether all fields of the message are known.
  public var isEmpty: Bool { box == nil }

  /// Returns whether the fields of both values are the same bytes.
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
