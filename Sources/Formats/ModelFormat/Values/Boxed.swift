/// Stores a singular message field outside of the struct that has the field. So the struct stays small, and may have a
/// field of the struct's own type.
@propertyWrapper
public struct Boxed<Message: SpecMessage>: Sendable {
  final class Box: Sendable {
    let message: Message
    init(_ message: Message) { self.message = message }
  }

  var box: Box?

  /// Makes a field that is set to `wrappedValue`. Nil leaves the field unset.
  public init(wrappedValue: Message? = nil) {
    box = wrappedValue.map { Box($0) }
  }

  /// The message, or nil if the field is unset.
  public var wrappedValue: Message? {
    get { box?.message }
    set { box = newValue.map { Box($0) } }
  }

  /// Unsets the field and returns its message. The arrays of the message then have a single owner.
  mutating func take() -> Message {
    let message: Message = box?.message ?? Message()
    box = nil
    return message
  }
}
