import CKernels
import Engine

extension ElementType {
  /// The native kernels' name of the type; nil where they have none.
  var native: ck_type? {
    switch self {
    case .float32: return CK_F32
    case .bfloat16: return CK_BF16
    case .float16: return CK_F16
    default: return nil
    }
  }
}

/// A function of one value with the same parameters everywhere.
typealias UniformFunction = (function: ck_function, alpha: Float, beta: Float)

/// How a tensor lies in memory for kernels that see it as `[outer, channels, inner]`.
struct ChannelView: Sendable {
  let outer: Int
  let channels: Int
  let inner: Int

  /// The view of a tensor of rank three or more in either layout.
  init(_ form: TensorDescriptor) {
    let map = FeatureMap(ofRankThreeOrMore: form.shape)
    channels = map.channels
    if form.layout == .channelsLast {
      outer = map.batch * map.area
      inner = 1
    } else {
      outer = map.batch
      inner = map.area
    }
  }
}

/// Checks what a native kernel returned; it refuses only what our own code should not have asked.
func requireNative(_ status: Int32) {
  precondition(status == 0, "a native kernel refused its arguments")
}

/// `y = activation(scale[c] · x + shift[c])` over feature maps of any layout and float type.
///
/// Source and destination may be the same memory where both types have one size. No scratch memory.
final class AffineStep: Step, @unchecked Sendable {
  private let scale: AlignedBuffer
  private let shift: AlignedBuffer
  private let activation: UniformFunction?
  private let view: ChannelView
  private let type: ck_type

  init?(
    scale: [Float], shift: [Float], activation: UniformFunction? = nil, form: TensorDescriptor
  ) throws {
    guard let type = form.storage.native else { return nil }
    self.scale = try AlignedBuffer(scale)
    self.shift = try AlignedBuffer(shift)
    self.activation = activation
    self.type = type
    view = ChannelView(form)
  }

  override var constantByteCount: Int { scale.byteCount + shift.byteCount }

  override func run(_ memory: StepMemory) throws {
    var linear = ck_step()
    linear.function = CK_LINEAR
    linear.channel_alpha = UnsafePointer(scale.floats)
    linear.channel_beta = UnsafePointer(shift.floats)
    var steps: (ck_step, ck_step) = (linear, ck_step())
    if let activation {
      steps.1.function = activation.function
      steps.1.alpha = activation.alpha
      steps.1.beta = activation.beta
    }
    // Safe: a tuple of two equal structs lies in memory as an array of them.
    let status: Int32 = withUnsafePointer(to: &steps) { (pair) -> Int32 in
      pair.withMemoryRebound(to: ck_step.self, capacity: 2) { (first) -> Int32 in
        ck_chain(
          first, activation == nil ? 1 : 2, memory.inputs[0], type, memory.outputs[0], type,
          Int64(view.outer), Int64(view.channels), Int64(view.inner))
      }
    }
    requireNative(status)
  }
}

extension KernelCandidate {
  /// The candidate for a layer's per-channel form; asks for it when it is made, and does not fit
  /// where there is none.
  static func affine(
    _ name: String, activation: ActivationFunction? = nil,
    form affine: @escaping @Sendable (_ channels: Int) throws -> (scale: [Float], shift: [Float])?
  ) -> KernelCandidate {
    KernelCandidate(name) { (request: KernelRequest) -> Kernel? in
      let form: TensorDescriptor = request.followed()
      let fused: UniformFunction? = activation?.uniformFunction
      if activation != nil && fused == nil { return nil }
      guard let (scale, shift) = try affine(form.shape[-3]),
        let step = try AffineStep(scale: scale, shift: shift, activation: fused, form: form)
      else { return nil }
      return Kernel(step, inputs: [form], outputs: [form], inPlaceInput: 0)
    }
  }
}
