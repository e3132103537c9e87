import Backends
import Graph
import Operators

extension ConvolutionOperator {
  /// Whether a transposed convolution moves pixel by pixel: it is then a plain one with the window
  /// mirrored and the channels exchanged, which oneDNN computes several times faster.
  package var canMirror: Bool {
    isDeconvolution && stride == Pair(1, 1) && outputChannels >= 16 && inputChannels >= 16
      && residual == nil && !appliesFactors
  }

  /// The plain convolution that a transposed one of stride 1 is, weights aside; nil where it would cut
  /// more than a window off.
  private func mirrored(_ geometry: Geometry, _ input: FeatureMap) -> ConvolutionOperator? {
    let (top, left) = (window.height - 1 - geometry.top, window.width - 1 - geometry.left)
    let bottom: Int = geometry.outputHeight + window.height - 1 - input.height - top
    let right: Int = geometry.outputWidth + window.width - 1 - input.width - left
    guard top >= 0, left >= 0, bottom >= 0, right >= 0 else { return nil }
    var result = ConvolutionOperator(
      outputChannels: outputChannels, kernelChannels: inputChannels / groups, groups: groups,
      kernel: kernel, dilation: dilation,
      padding: .valid(top: top, left: left, bottom: bottom, right: right), hasBias: hasBias)
    result.activation = activation
    result.ceiling = ceiling
    return result
  }

  /// The transposed convolution as a plain one.
  package func mirroredKernel(_ request: KernelRequest) throws -> Kernel? {
    guard inputNorm == nil else { return nil }
    let input = FeatureMap(ofRankThreeOrMore: request.inputs[0].shape)
    let geometry = try Geometry(self, height: input.height, width: input.width)
    return try mirrored(geometry, input)?.libraryKernel(
      request, order: .mirrored(MirroredWeights(self)))
  }
}

/// The order of a transposed convolution's weights and that of the plain convolution it is.
package struct MirroredWeights: Sendable {
  private let groups: Int
  private let inputs: Int
  private let outputs: Int
  private let area: Int

  /// The order for matrices of windows `[groups, inputs, outputs, area]`.
  package init(groups: Int = 1, inputs: Int, outputs: Int, area: Int) {
    self.groups = groups
    self.inputs = inputs
    self.outputs = outputs
    self.area = area
  }

  /// The order for a transposed convolution.
  package init(_ layer: ConvolutionOperator) {
    self.init(
      groups: layer.groups, inputs: layer.inputChannels / layer.groups,
      outputs: layer.outputChannels / layer.groups, area: layer.kernel.height * layer.kernel.width)
  }

  /// The number of weights.
  package var count: Int { groups * inputs * outputs * area }

  /// Names the order in forms of packed weights.
  package var form: String { "mirrored \(groups) × \(inputs) × \(outputs) × \(area)" }

  /// Weights in the plain convolution's order.
  package func mirrored(_ weights: [Float]) -> [Float] {
    [Float](unsafeUninitializedCapacity: count) { target, initialized in
      weights.withUnsafeBufferPointer { source in
        // Safe: both hold as many values as the weights' shape, and each is written.
        if let from = source.baseAddress, let to = target.baseAddress { mirror(from, into: to) }
      }
      initialized = count
    }
  }

  /// `[C, O / groups, kh, kw]` becomes `[O, C / groups, kh, kw]`, the window turned by 180°.
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
