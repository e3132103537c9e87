import CKernels

extension Session {
  /// Copies a tensor into an input, converting it to the form that the plan wants.
  func load(_ tensor: DynamicTensor, into index: Int) throws {
    let port = plan.inputs[index]
    try Self.check(tensor, port)
    try Self.copy(tensor.memory.pointer, port, at: pointer(port.location), isInput: true)
  }

  /// Copies an output into a tensor.
  func store(_ index: Int, into tensor: DynamicTensor) throws {
    let port = plan.outputs[index]
    try Self.check(tensor, port)
    try Self.copy(tensor.memory.pointer, port, at: pointer(port.location), isInput: false)
  }

  /// Copies an output as row-major floats, in whatever form the plan keeps it.
  ///
  /// - Parameter memory: room for as many values as the output's shape has.
  public func store(_ index: Int, into memory: UnsafeMutablePointer<Float>) throws {
    let port = plan.outputs[index]
    try Self.copy(memory, port, at: pointer(port.location), isInput: false)
  }

  private static func check(_ tensor: DynamicTensor, _ port: Plan.Port) throws {
    guard port.location.form.shape == tensor.shape else {
      throw EngineError(
        .unsupported,
        "'\(port.name)' is \(port.location.form) here; a tensor of \(tensor.shape) cannot be copied."
      )
    }
  }

  private static func copy(
    _ own: UnsafeMutableRawPointer, _ port: Plan.Port, at memory: UnsafeMutableRawPointer,
    isInput: Bool
  ) throws {
    let form = port.location.form
    // Dimensions of one element need no stride.
    let axes = form.shape.dimensions.indices.filter { form.shape[$0] != 1 }
    guard let type = form.storage.kernelType, axes.count <= 8 else {
      throw EngineError(.unsupported, "'\(port.name)' is \(form) here, which cannot be copied.")
    }
    let (dense, planned) = (form.shape.strides, form.strides)
    let extents: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(form.shape[$0]) }
    let outer: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(dense[$0]) }
    let inner: [Int64] = axes.isEmpty ? [1] : axes.map { Int64(planned[$0]) }
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
