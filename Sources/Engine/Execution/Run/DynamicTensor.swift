/// A value between the pieces of a network that runs node by node: dense `float32` memory.
///
/// `@unchecked Sendable`: written once, by whoever makes it, before anybody else sees it.
final class DynamicTensor: @unchecked Sendable {
  let shape: Shape
  let memory: AlignedBuffer
  private let account: MemoryAccount

  /// Memory for a shape, not yet written. Throws `outOfMemory` for shapes that do not fit.
  init(_ shape: Shape, _ account: MemoryAccount) throws {
    guard shape.isMeasurable else {
      throw EngineError(
        .outOfMemory,
        "a tensor of \(shape) does not fit the memory that is free; use a smaller input.")
    }
    let byteCount: Int = TensorDescriptor(shape).byteCount
    try account.take(byteCount, for: shape)
    do {
      memory = try AlignedBuffer(byteCount: byteCount)
    } catch {
      account.giveBack(byteCount)
      throw error
    }
    self.shape = shape
    self.account = account
  }

  deinit { account.giveBack(memory.byteCount) }

  /// Reference values in memory.
  convenience init(_ tensor: ReferenceTensor, _ account: MemoryAccount) throws {
    try self.init(tensor.shape, account)
    for (position, value) in tensor.values.enumerated() { memory.floats[position] = Float(value) }
  }

  /// The form in which the memory is written and read.
  var form: TensorDescriptor { TensorDescriptor(shape) }
  var type: TensorType { TensorType(shape) }

  /// The values for a layer's reference or shape rule.
  var values: ReferenceTensor {
    // Safe: the memory holds as many floats as the shape has elements.
    ReferenceTensor(shape, (0..<shape.count).map { Double(memory.floats[$0]) })
  }
}
