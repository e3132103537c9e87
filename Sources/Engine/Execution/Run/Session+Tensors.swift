import CKernels

extension Session {
  /// Copies an output as row-major floats, in whatever form the plan keeps it.
  ///
  /// - Parameter memory: room for as many values as the output's shape has.
  public func store(_ index: Int, into memory: UnsafeMutablePointer<Float>) throws {
    let output = try output(index)
    let form = output.form
    // Dimensions of one element need no stride.
    let axes = form.shape.dimensions.indices.filter { form.shape[$0] != 1 }
    guard let type = form.storage.kernelType, axes.count <= 8 else {
      throw EngineError(.unsupported, "'\(output.name)' is \(form) here, which cannot be copied.")
    }
    let (dense, planned) = (form.shape.strides, form.strides)
    let extents: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(form.shape[$0]) }
    let outer: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(dense[$0]) }
    let inner: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(planned[$0]) }
    // Safe: both sides have the same extents, and strides that stay within their memory.
    let status = ck_copy(
      Int32(extents.count), extents, output.memory, type, inner, memory, CK_F32, outer)
    guard status == 0 else {
      throw EngineError(.backend, "'\(output.name)' could not be copied.")
    }
  }
}
