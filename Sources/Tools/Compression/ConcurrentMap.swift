import Platform

/// Applies a function to all elements, concurrently on all cores. Returns the results in the order of the elements.
///
/// - Throws: The error that the function throws. If it throws for several elements, the error for the first of these
///   elements in the order of `elements`.
func concurrentMap<Element: Sendable, Result: Sendable>(
  _ elements: [Element], _ transform: @Sendable (Element) throws -> Result
) throws -> [Result] {
  var results = [Swift.Result<Result, any Error>?](repeating: nil, count: elements.count)
  results.withUnsafeMutableBufferPointer { buffer in
    // Safe: each call writes a different element, and the buffer outlives the calls.
    nonisolated(unsafe) let slots = buffer
    performConcurrently(elements.count) { index in
      slots[index] = Swift.Result { try transform(elements[index]) }
    }
  }
  return try results.compactMap { $0 }.map { try $0.get() }
}
