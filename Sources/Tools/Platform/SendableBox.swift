/// A box for a value that one thread passes to another and does not use again.
///
/// `@unchecked Sendable`: the thread that creates the box does not use the value afterwards.
package struct SendableBox<Value>: @unchecked Sendable {
  package let value: Value

  /// Creates a box around a value.
  package init(_ value: Value) { self.value = value }
}
