import CKernels

extension Session {
  /// Copies an output as row-major floats, from any form.
  ///
  /// - Parameter memory: Memory for as many values as the output's shape has.
  public func store(_ index: Int, into memory: UnsafeMutablePointer<Float>) throws {
    let output = try output(index)
    guard output.form.store(output.memory, into: memory) else {
      throw EngineError(
        .unsupported,
        "'\(output.name)' is \(output.form), and no kernel copies this form as floats.")
    }
  }
}

extension TensorDescriptor {
  /// Copies a tensor of this form as row-major floats, on the current team of threads.
  ///
  /// - Parameters:
  ///   - tensor: The tensor's memory.
  ///   - memory: Memory for as many values as the shape has.
  /// - Returns: False for types and ranks that the copy kernel does not support.
  package func store(
    _ tensor: UnsafeRawPointer, into memory: UnsafeMutablePointer<Float>
  ) -> Bool {
    // Axes with only one element need no stride.
    let axes = shape.dimensions.indices.filter { shape[$0] != 1 }
    guard let type = storage.kernelType, axes.count <= 8 else { return false }
    let (dense, planned) = (shape.strides, strides)
    let extents: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(shape[$0]) }
    let outer: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(dense[$0]) }
    let inner: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(planned[$0]) }
    // Safe: both sides have the same extents, and strides that stay within their memory.
    return ck_copy(
      Int32(extents.count), extents, tensor, type, inner, memory, CK_F32, outer) == 0
  }
}
