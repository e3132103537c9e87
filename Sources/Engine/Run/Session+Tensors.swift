import CKernels

extension Session {
  /// Copies a tensor into an input, converting it to the form that the plan wants.
  func load(_ tensor: DynamicTensor, into index: Int) throws {
    let port = plan.inputs[index]
    try Self.copy(tensor, port, at: pointer(port.location), isInput: true)
  }

  /// Copies an output into a tensor.
  func store(_ index: Int, into tensor: DynamicTensor) throws {
    let port = plan.outputs[index]
    try Self.copy(tensor, port, at: pointer(port.location), isInput: false)
  }

  private static func copy(
    _ tensor: DynamicTensor, _ port: Plan.Port, at memory: UnsafeMutableRawPointer, isInput: Bool
  ) throws {
    let form = port.location.form
    // Dimensions of one element need no stride.
    let axes = form.shape.dimensions.indices.filter { form.shape[$0] != 1 }
    guard let type = form.storage.kernelType, form.shape == tensor.shape, axes.count <= 8 else {
      throw EngineError(
        .unsupported,
        "'\(port.name)' is \(form) here; a tensor of \(tensor.shape) cannot be copied.")
    }
    let (dense, planned) = (tensor.shape.strides, form.strides)
    let extents: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(form.shape[$0]) }
    let outer: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(dense[$0]) }
    let inner: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(planned[$0]) }
    let own = tensor.memory.pointer
    // Safe: both sides have the same extents, and strides that stay within their memory.
    let status =
      isInput
      ? ck_copy(Int32(extents.count), extents, own, CK_F32, outer, memory, type, inner)
      : ck_copy(Int32(extents.count), extents, memory, type, inner, own, CK_F32, outer)
    guard status == 0 else {
      throw EngineError(.backend, "'\(port.name)' could not be copied.")
    }
  }
}
