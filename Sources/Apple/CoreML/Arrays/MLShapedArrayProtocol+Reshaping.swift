import CoreVideo

extension MLShapedArrayProtocol {
  /// Returns an array with the same elements and shape, but with another layout in memory.
  public func changingLayout(to bufferLayout: MLShapedArrayBufferLayout) -> Self {
    Self(_storage: _storage.changingLayout(to: bufferLayout))
  }

  /// Returns the same elements with a new axis of length 1.
  ///
  /// - Parameter axis: The index of the new axis in the result's shape.
  public func expandingShape(at axis: Int) -> Self {
    precondition(
      axis >= 0 && axis <= shape.count,
      "An array with \(shape.count) axes cannot get a new axis at \(axis).")
    var newShape: [Int] = shape
    newShape.insert(1, at: axis)
    return reshaped(to: newShape)
  }

  /// Returns the same elements in row-major order with another shape. The new shape must have the same number of
  /// elements.
  public func reshaped(to newShape: [Int]) -> Self {
    Self(_storage: _storage.reshaped(to: newShape))
  }

  /// Returns the same elements without the axes of length 1.
  public func squeezingShape() -> Self {
    reshaped(to: shape.filter { $0 != 1 })
  }

  /// Returns the same elements with the order of the axes reversed.
  public func transposed() -> Self {
    transposed(permutation: shape.indices.reversed())
  }

  /// Returns the same elements with the axes in another order. Axis `i` of the result is axis `axes[i]` of this array.
  public func transposed(permutation axes: [Int]) -> Self {
    Self(_storage: _storage.transposed(axes))
  }

  /// Calls `body` with the pixel buffer whose memory the array uses. Returns nil without calling `body` if the array
  /// uses other memory.
  public func withPixelBufferIfAvailable<R>(_ body: (CVPixelBuffer) throws -> R) rethrows -> R? {
    guard let pixelBuffer = _storage.memory.pixelBuffer else { return nil }
    return try body(pixelBuffer)
  }

  /// Calls `body`, which may write to the pixels, with the pixel buffer whose memory the array uses. Returns nil
  /// without calling `body` if the array uses other memory, or if another array shares the memory.
  public mutating func withMutablePixelBufferIfAvailable<R>(
    _ body: (CVPixelBuffer) throws -> R
  ) rethrows -> R? {
    guard isKnownUniquelyReferenced(&_storage.memory) else { return nil }
    return try withPixelBufferIfAvailable(body)
  }
}
