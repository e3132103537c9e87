import Foundation

extension MLMultiArray {
  /// Calls `body` with the memory of the array, for reading. The pointer is valid only during the call.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: memory.start, count: spanInBytes))
  }

  /// Calls `body` with the memory of the array, for reading and writing, and with the strides in elements.
  public func withUnsafeMutableBytes<R>(
    _ body: (UnsafeMutableRawBufferPointer, [Int]) throws -> R
  ) rethrows -> R {
    try body(
      UnsafeMutableRawBufferPointer(start: memory.start, count: spanInBytes), layout.strides)
  }

  /// Calls `body` with the memory of the array as elements of `type`. The type must match the array's data type.
  public func withUnsafeBufferPointer<S: MLShapedArrayScalar, R>(
    ofType type: S.Type, _ body: (UnsafeBufferPointer<S>) throws -> R
  ) rethrows -> R {
    try body(UnsafeBufferPointer(elements(ofType: type)))
  }

  /// Calls `body` with the memory of the array as elements of `type`, for reading and writing, and with the strides in
  /// elements. The type must match the array's data type.
  public func withUnsafeMutableBufferPointer<S: MLShapedArrayScalar, R>(
    ofType type: S.Type, _ body: (UnsafeMutableBufferPointer<S>, [Int]) throws -> R
  ) rethrows -> R {
    try body(elements(ofType: type), layout.strides)
  }

  private var spanInBytes: Int { layout.span * dataType.byteCount }

  // Safe: the memory has space for `layout.span` elements of `dataType`, and the precondition checks that `type`
  // matches `dataType`.
  private func elements<S: MLShapedArrayScalar>(ofType type: S.Type) -> UnsafeMutableBufferPointer<
    S
  > {
    precondition(
      S.multiArrayDataType == dataType,
      "The elements of this multi-array are \(dataType.sentenceName), not \(S.self).")
    return UnsafeMutableBufferPointer(
      start: memory.start.assumingMemoryBound(to: S.self), count: layout.span)
  }
}

extension UnsafeBufferPointer {
  /// Makes a pointer to the memory of an array, for reading. It is valid as long as the array exists.
  ///
  /// - Throws: ``MLModelError`` if the array's elements are of another type.
  public init(_ multiArray: MLMultiArray) throws {
    self.init(try UnsafeMutableBufferPointer(multiArray))
  }
}

extension UnsafeMutableBufferPointer {
  /// Makes a pointer to the memory of an array, for reading and writing. It is valid as long as the array exists.
  ///
  /// - Throws: ``MLModelError`` if the array's elements are of another type.
  public init(_ multiArray: MLMultiArray) throws {
    guard let type = Element.self as? any MLShapedArrayScalar.Type,
      type.multiArrayDataType == multiArray.dataType
    else {
      throw MLModelError(
        .generic,
        "The elements of this multi-array are \(multiArray.dataType.sentenceName), not \(Element.self)."
      )
    }
    // Safe: the memory has space for `span` elements of the type.
    self.init(
      start: multiArray.memory.start.assumingMemoryBound(to: Element.self),
      count: multiArray.layout.span)
  }
}
