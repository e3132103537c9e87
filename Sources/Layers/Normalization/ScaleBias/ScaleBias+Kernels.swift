import CKernels
import Engine

extension ScaleLayer {
  public var kernels: [KernelCandidate] {
    [
      .affine("native scale and shift") { [self] (channels: Int) in
        try affine(channels: channels)
      },
      .stretched(scale: scale, bias: bias),
    ]
  }
}

extension BiasLayer {
  public var kernels: [KernelCandidate] {
    [
      .affine("native shift") { [self] (channels: Int) in try affine(channels: channels) },
      .stretched(scale: nil, bias: bias),
    ]
  }
}

extension KernelCandidate {
  /// Parameters that vary by pixel: a product and a sum with broadcasting, dense `float32`.
  fileprivate static func stretched(scale: Weights?, bias: Weights?) -> KernelCandidate {
    KernelCandidate("native broadcast scale and shift") { (request: KernelRequest) -> Kernel? in
      let form = TensorDescriptor(request.inputs[0].shape)
      let step = try StretchedStep(
        form.shape,
        scale: try scale.map { (try $0.floats(), $0.shape) },
        bias: try bias.map { (try $0.floats(), $0.shape) })
      return Kernel(step, inputs: [form], outputs: [form], inPlaceInput: 0)
    }
  }
}

/// `y = scale · x + bias` with parameters of three dimensions that repeat where they are one.
final class StretchedStep: Step, @unchecked Sendable {
  private struct Operand {
    let values: AlignedBuffer
    let strides: [Int64]
  }

  private let shape: [Int64]
  private let strides: [Int64]
  private let scale: Operand?
  private let bias: Operand?

  init(_ input: Shape, scale: ([Float], Shape)?, bias: ([Float], Shape)?) throws {
    let map = FeatureMap(ofRankThreeOrMore: input)
    let joined: Shape = [map.batch, map.channels, map.height, map.width]
    shape = joined.dimensions.map(Int64.init)
    strides = joined.strides.map(Int64.init)
    func operand(_ parameter: ([Float], Shape)?) throws -> Operand? {
      guard let (values, extents) = parameter else { return nil }
      let own: [Int] = extents.strides
      let repeated: [Int64] = (0..<3).map { extents[$0] == 1 ? 0 : Int64(own[$0]) }
      return Operand(values: try AlignedBuffer(values), strides: [0] + repeated)
    }
    self.scale = try operand(scale)
    self.bias = try operand(bias)
  }

  override var constantByteCount: Int {
    (scale?.values.byteCount ?? 0) + (bias?.values.byteCount ?? 0)
  }

  override func run(_ memory: StepMemory) throws {
    let target: UnsafeMutableRawPointer = memory.outputs[0]
    var source: UnsafeMutableRawPointer = memory.inputs[0]
    if let scale {
      requireNative(
        ck_binary(
          CK_MULTIPLY, CK_F32, 4, shape, source, strides, scale.values.pointer, scale.strides,
          target))
      source = target
    }
    if let bias {
      requireNative(
        ck_binary(
          CK_ADD, CK_F32, 4, shape, source, strides, bias.values.pointer, bias.strides, target))
    }
  }
}
