import Engine
import Operators

extension Graph {
  /// Runs the graph once and returns its outputs. `values` contains the dense elements of each input, in the order of
  /// the inputs.
  func run(_ values: [[Float]], options: ExecutionOptions) throws -> [FloatTensor] {
    var result: [FloatTensor] = []
    try run(values, options: options) { result.append($0) }
    return result
  }

  /// Runs the graph once and calls a function with each output in their order, so that only one copy of an output is in
  /// memory at a time.
  func run(_ values: [[Float]], options: ExecutionOptions, read: (FloatTensor) throws -> Void)
    throws
  {
    let types: [TensorType] = try inputs.map { TensorType(try knownShape(of: $0)) }
    let network = Network(self, passes: GraphPasses.standard, options: options)
    try network.plan(for: types).withSession { (session: Session) in
      for (index, given) in values.enumerated() {
        let input: PortTensor = session.input(index)
        precondition(given.count == input.form.shape.count, "one value per element")
        FloatTensor(input.form.shape, given).write(to: input)
      }
      try session.run()
      for index in outputs.indices { try read(FloatTensor(try session.output(index))) }
    }
  }
}

/// A tensor of `Float`, in row-major order.
public struct FloatTensor: Sendable, Equatable {
  /// The extents, outermost first.
  public var shape: Shape
  /// The elements.
  public var values: [Float]

  /// Creates a tensor from elements in row-major order.
  public init(_ shape: Shape, _ values: [Float]) {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    self.shape = shape
    self.values = values
  }

  /// The tensor as a constant for a graph.
  public var reference: ReferenceTensor { ReferenceTensor(shape, values.map { Double($0) }) }

  /// Copies an input or output of a network.
  init(_ tensor: PortTensor) {
    let form: TensorDescriptor = tensor.form
    shape = form.shape
    let memory = UnsafeRawPointer(tensor.memory)
    // Safe: the memory of an input or output has the size that its descriptor states, and stays valid as long as the
    // session.
    switch (form.storage, form.layout) {
    case (.float32, .dense):
      values = Array(
        UnsafeBufferPointer(
          start: memory.assumingMemoryBound(to: Float.self), count: form.shape.count))
    case (.float32, .channelsLast) where form.shape.rank >= 3:
      let source = memory.assumingMemoryBound(to: Float.self)
      values = Self.gathered(form.shape) { source[$0] }
    case (.bfloat16, .channelsLast) where form.shape.rank >= 3:
      let source = memory.assumingMemoryBound(to: UInt16.self)
      values = Self.gathered(form.shape) { BFloat16.value(of: source[$0]) }
    default: values = TensorCodec.unpack(memory, as: form).values.map { Float($0) }
    }
  }

  /// Converts a channels-last tensor to row-major order. `value` reads the element at an index in memory.
  private static func gathered(_ shape: Shape, _ value: (Int) -> Float) -> [Float] {
    let (channels, area) = (shape[-3], shape[-2] * shape[-1])
    var result = [Float](repeating: 0, count: shape.count)
    for start in stride(from: 0, to: shape.count, by: max(channels * area, 1)) {
      for channel in 0..<channels {
        for pixel in 0..<area {
          result[start + channel * area + pixel] = value(start + pixel * channels + channel)
        }
      }
    }
    return result
  }

  /// Writes the tensor to an input of a network.
  func write(to tensor: PortTensor) {
    guard tensor.form == TensorDescriptor(shape) else {
      TensorCodec.pack(reference, as: tensor.form, into: tensor.memory)
      return
    }
    // Safe: the memory has the size that its descriptor states, and the descriptor was compared with this tensor's
    // shape.
    values.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      if let base = bytes.baseAddress {
        tensor.memory.copyMemory(from: base, byteCount: bytes.count)
      }
    }
  }
}
