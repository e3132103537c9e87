import Graph
import Operators

/// Batch norm, scale and bias become part of the convolution in front.
///
///     convolution ─ batchnorm               convolution(weights · scale, bias · scale + shift)
///     convolution+activation ─ scale        convolution+activation+affine
public enum FoldAffine: GraphPass {
  public static let name = "FoldAffine"

  public static func run(on graph: inout Graph) throws {
    try graph.rewrite { graph, position in
      let node = graph[position]
      guard let affine = node.operation.perChannelAffine,
        let producer = graph.soleProducer(of: node.inputs[0]),
        var layer = graph[producer].operation as? ConvolutionOperator, layer.weights != nil,
        !layer.takesBiasInput,
        graph[node.inputs[0]].type?.shape == graph[node.outputs[0]].type?.shape
      else { return false }
      guard let form = try affine.affine(channels: layer.outputChannels) else { return false }
      if layer.activation == nil, layer.residual == nil, layer.affine == nil {
        try layer.multiply(by: form.scale, adding: form.shift)
      } else {
        // Behind an activation only our own kernel applies factors; it is chosen anyway for few
        // channels, and not worth choosing for more.
        guard layer.groups == 1, layer.outputChannels < 16 else { return false }
        let before = layer.affine
        layer.affine = ConvolutionOperator.ChannelAffine(
          scale: form.scale.enumerated().map { $1 * (before?.scale[$0] ?? 1) },
          shift: form.shift.enumerated().map { $1 + form.scale[$0] * (before?.shift[$0] ?? 0) })
      }
      graph.setLayer(layer, at: producer)
      graph.absorb(reader: position, into: producer)
      return true
    }
  }
}

extension Operator {
  /// The layer's factors and shifts a channel, when it has that form; a linear activation has it too.
  fileprivate var perChannelAffine: (any PerChannelAffine)? {
    if let activation = self as? ActivationOperator,
      case .linear(let alpha, let beta) = activation.function
    {
      return ScaleOperator(scale: Weights([1, 1, 1], [alpha]), bias: Weights([1, 1, 1], [beta]))
    }
    return self as? any PerChannelAffine
  }
}

extension ConvolutionOperator {
  /// Scales and shifts every output channel by changing weights and bias.
  package mutating func multiply(by scale: [Float], adding shift: [Float]) throws {
    guard let weights else { return }
    var values = try weights.floats()
    let area: Int = kernel.height * kernel.width
    let perGroup: Int = outputChannels / groups
    for position in values.indices {
      let row: Int = position / area
      let channel: Int
      if isDeconvolution {
        let inputsPerGroup: Int = kernelChannels / groups
        channel = row / perGroup / inputsPerGroup * perGroup + row % perGroup
      } else {
        channel = row / kernelChannels
      }
      values[position] *= scale[channel]
    }
    let old = try bias?.floats() ?? [Float](repeating: 0, count: outputChannels)
    self.weights = Weights(weightShape, values)
    bias = Weights(
      [outputChannels], (0..<outputChannels).map { old[$0] * scale[$0] + shift[$0] })
  }
}
