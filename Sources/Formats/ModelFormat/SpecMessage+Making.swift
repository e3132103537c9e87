extension SpecMessage {
  /// Makes a message and lets a closure set its fields.
  package static func making(_ fill: (_ message: inout Self) -> Void) -> Self {
    var message = Self()
    fill(&message)
    return message
  }
}
