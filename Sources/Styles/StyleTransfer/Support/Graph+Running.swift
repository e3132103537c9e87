import Engine
import Operators

extension Graph {
  /// Runs the graph once, on dense values in the order of its inputs, and returns its outputs.
  func run(_ values: [[Float]], options: ExecutionOptions) throws -> [FloatTensor] {
    let types: [TensorType] = try inputs.map { TensorType(try knownShape(of: $0)) }
    let network = Network(self, passes: GraphPasses.standard, options: options)
    return try network.plan(for: types).withSession { (session: Session) in
      for (index, given) in values.enumerated() {
        let input: BorderTensor = session.input(index)
        precondition(given.count == input.form.shape.count, "one value an element")
        FloatTensor(input.form.shape, given).write(to: input)
      }
      try session.run()
      return try outputs.indices.map { FloatTensor(try session.output($0)) }
    }
  }
}

/// Values in row-major order.
public struct FloatTensor: Sendable, Equatable {
  /// The extents, outermost first.
  public var shape: Shape
  /// As many values as the shape counts.
  public var values: [Float]

  /// A tensor of row-major values.
  public init(_ shape: Shape, _ values: [Float]) {
    precondition(values.count == shape.count, "\(values.count) values for the shape \(shape)")
    self.shape = shape
    self.values = values
  }

  /// The values as a graph's constant.
  public var reference: ReferenceTensor { ReferenceTensor(shape, values.map { Double($0) }) }

  /// A copy of a tensor at a network's border.
  init(_ tensor: BorderTensor) {
    let form: TensorDescriptor = tensor.form
    shape = form.shape
    let memory = UnsafeRawPointer(tensor.memory)
    // Safe: border tensors lie in memory of their form's size, which lives as long as the session.
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

  /// Reads channels-last memory plane by plane.
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

  /// Puts the values into a network's input.
  func write(to tensor: BorderTensor) {
    guard tensor.form == TensorDescriptor(shape) else {
      TensorCodec.pack(reference, as: tensor.form, into: tensor.memory)
      return
    }
    // Safe: the memory has the size of its form, which is that of the values.
    values.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      if let base = bytes.baseAddress {
        tensor.memory.copyMemory(from: base, byteCount: bytes.count)
      }
    }
  }
}
