import Platform

/// Applies a function to all elements on all cores; the results stand in the order of the elements.
///
/// - Throws: the error of the first element that has one.
func concurrentMap<Element: Sendable, Result: Sendable>(
  _ elements: [Element], _ transform: @Sendable (Element) throws -> Result
) throws -> [Result] {
  var results = [Swift.Result<Result, any Error>?](repeating: nil, count: elements.count)
  results.withUnsafeMutableBufferPointer { buffer in
    // Safe: every call writes a place of its own, and the buffer outlives the calls.
    nonisolated(unsafe) let places = buffer
    performConcurrently(elements.count) { index in
      places[index] = Swift.Result { try transform(elements[index]) }
    }
  }
  return try results.compactMap { $0 }.map { try $0.get() }
}
