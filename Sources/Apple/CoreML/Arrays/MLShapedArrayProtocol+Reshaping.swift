import CoreVideo

extension MLShapedArrayProtocol {
  /// The same array with its memory laid out otherwise.
  public func changingLayout(to bufferLayout: MLShapedArrayBufferLayout) -> Self {
    Self(_storage: _storage.changingLayout(to: bufferLayout))
  }

  /// The same array with an axis of length 1 more.
  public func expandingShape(at axis: Int) -> Self {
    precondition(
      axis >= 0 && axis <= shape.count, "An array with \(shape.count) axes has no place \(axis).")
    var newShape: [Int] = shape
    newShape.insert(1, at: axis)
    return reshaped(to: newShape)
  }

  /// The same numbers in row-major order under another shape of as many places.
  public func reshaped(to newShape: [Int]) -> Self {
    Self(_storage: _storage.reshaped(to: newShape))
  }

  /// The same array without its axes of length 1.
  public func squeezingShape() -> Self {
    reshaped(to: shape.filter { $0 != 1 })
  }

  /// The same array with the order of its axes reversed.
  public func transposed() -> Self {
    transposed(permutation: shape.indices.reversed())
  }

  /// The same array with its axes in another order: axis `i` of the result is axis `axes[i]`.
  public func transposed(permutation axes: [Int]) -> Self {
    Self(_storage: _storage.transposed(axes))
  }

  /// Calls `body` with the pixel buffer that the array lies over; nil when it lies over none.
  public func withPixelBufferIfAvailable<R>(_ body: (CVPixelBuffer) throws -> R) rethrows -> R? {
    guard let pixelBuffer = _storage.memory.pixelBuffer else { return nil }
    return try body(pixelBuffer)
  }

  /// Calls `body` with the pixel buffer that the array lies over, for change; nil when it lies
  /// over none, or shares it with another array.
  public mutating func withMutablePixelBufferIfAvailable<R>(
    _ body: (CVPixelBuffer) throws -> R
  ) rethrows -> R? {
    guard isKnownUniquelyReferenced(&_storage.memory) else { return nil }
    return try withPixelBufferIfAvailable(body)
  }
}
