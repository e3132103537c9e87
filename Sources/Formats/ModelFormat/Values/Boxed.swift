/// Keeps a singular message field outside its struct, which stays small and may contain itself.
@propertyWrapper
public struct Boxed<Message: SpecMessage>: Sendable {
  final class Box: Sendable {
    let message: Message
    init(_ message: Message) { self.message = message }
  }

  var box: Box?

  /// A field that is not set, or set to `wrappedValue`.
  public init(wrappedValue: Message? = nil) {
    box = wrappedValue.map { Box($0) }
  }

  /// The message, or nil where the field is not set.
  public var wrappedValue: Message? {
    get { box?.message }
    set { box = newValue.map { Box($0) } }
  }

  /// Empties the field and returns what it held, so that its arrays are held once.
  mutating func take() -> Message {
    let message: Message = box?.message ?? Message()
    box = nil
    return message
  }
}
