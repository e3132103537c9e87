import Backends
import Graph
import Operators

extension FusedConvolution {
  /// Whether this transposed convolution can be computed as a plain convolution. A transposed convolution of stride 1
  /// equals a plain convolution with a mirrored kernel and exchanged channels. oneDNN computes the plain convolution
  /// several times faster.
  package var canMirror: Bool {
    core.isDeconvolution && core.stride == Pair(1, 1) && core.outputChannels >= 16
      && core.inputChannels >= 16
      && (epilogue.isEmpty || epilogue.inputCount == 0 && steps != nil)
  }

  /// Returns the plain convolution, without its weights, that equals a transposed convolution of stride 1. Nil if the
  /// plain convolution would need negative padding.
  private func mirrored(_ geometry: ConvolutionOperator.Geometry, _ input: FeatureMap)
    -> FusedConvolution?
  {
    let (top, left) = (core.window.height - 1 - geometry.top, core.window.width - 1 - geometry.left)
    let bottom: Int = geometry.outputHeight + core.window.height - 1 - input.height - top
    let right: Int = geometry.outputWidth + core.window.width - 1 - input.width - left
    guard top >= 0, left >= 0, bottom >= 0, right >= 0 else { return nil }
    var result = FusedConvolution(
      ConvolutionOperator(
        outputChannels: core.outputChannels, kernelChannels: core.inputChannels / core.groups,
        groups: core.groups,
        kernel: core.kernel, dilation: core.dilation,
        padding: .valid(top: top, left: left, bottom: bottom, right: right), hasBias: core.hasBias))
    result.epilogue = epilogue
    return result
  }

  /// Makes a kernel that computes the transposed convolution as a plain convolution.
  package func mirroredKernel(_ request: KernelRequest) throws -> Kernel? {
    guard inputNorm == nil else { return nil }
    let input = FeatureMap(ofRankThreeOrMore: request.inputs[0].shape)
    let geometry = try geometry(height: input.height, width: input.width)
    return try mirrored(geometry, input)?.libraryKernel(
      request, order: .mirrored(MirroredWeights(core)))
  }
}

/// Rearranges the weights of a transposed convolution into the order of the equal plain convolution.
package struct MirroredWeights: Sendable {
  private let groups: Int
  private let inputs: Int
  private let outputs: Int
  private let area: Int

  /// Creates the rearrangement of kernels given as matrices `[groups, inputs, outputs, area]`.
  package init(groups: Int = 1, inputs: Int, outputs: Int, area: Int) {
    self.groups = groups
    self.inputs = inputs
    self.outputs = outputs
    self.area = area
  }

  /// Creates the rearrangement for a transposed convolution.
  package init(_ layer: ConvolutionOperator) {
    self.init(
      groups: layer.groups, inputs: layer.inputChannels / layer.groups,
      outputs: layer.outputChannels / layer.groups, area: layer.kernel.height * layer.kernel.width)
  }

  /// The number of weights.
  package var count: Int { groups * inputs * outputs * area }

  /// The name of the rearrangement in keys of packed weights.
  package var form: String { "mirrored \(groups) × \(inputs) × \(outputs) × \(area)" }

  /// Returns weights in the plain convolution's order.
  package func mirrored(_ weights: [Float]) -> [Float] {
    [Float](unsafeUninitializedCapacity: count) { target, initialized in
      weights.withUnsafeBufferPointer { source in
        // Safe: both buffers hold as many values as the weights' shape, and `mirror` writes all values of the target.
        if let from = source.baseAddress, let to = target.baseAddress { mirror(from, into: to) }
      }
      initialized = count
    }
  }

  /// Copies weights `[C, O / groups, kh, kw]` to the order `[O, C / groups, kh, kw]`, with each kernel rotated by
  /// 180°.
  package func mirror(_ from: UnsafePointer<Float>, into to: UnsafeMutablePointer<Float>) {
    for group in 0..<groups {
      for o in 0..<outputs {
        for i in 0..<inputs {
          let source = from + ((group * inputs + i) * outputs + o) * area
          let target = to + ((group * outputs + o) * inputs + i) * area
          for k in 0..<area { target[k] = source[area - 1 - k] }
        }
      }
    }
  }
}
