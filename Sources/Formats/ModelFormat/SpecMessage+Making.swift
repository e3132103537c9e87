extension SpecMessage {
  /// A message whose fields the closure fills, for samples.
  package static func making(_ fill: (_ message: inout Self) -> Void) -> Self {
    var message = Self()
    fill(&message)
    return message
  }
}
