import Graph
import Operators
import Passes

/// Some operators multiply each channel by a factor and then add a shift, for example a batch norm, a scale or a bias.
/// The pass folds such an operator into the convolution before it.
///
///     convolution ─ batchnorm               convolution(weights · scale, bias · scale + shift)
///     convolution+activation ─ scale        convolution+activation+factors
///
/// The folded weights, factors and shifts are constants that are derived from the constants of both operators. They are
/// computed only when a kernel packs them (copies them into its own layout). Plans for different input sizes derive the
/// same constants, so these plans can share the packed weights.
public enum FoldAffine: GraphPass {
  public static let name = "FoldAffine"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard let input = node.inputs.first, let producer = graph.soleProducer(of: input),
        let convolution = graph[producer].operation.asFusedConvolution,
        graph[input].type?.shape == graph[node.outputs[0]].type?.shape,
        let affine = node.operation.channelAffine(
          of: graph.constants(of: node), channels: convolution.core.outputChannels),
        let folded = convolution.folding(affine, into: graph[producer], &graph)
      else { return false }
      graph.replace(producer, with: folded)
      graph.absorb(reader: position, into: producer)
      return true
    }
  }
}

extension Operator {
  /// If the operator computes `scale · x + shift`, returns the factor and the shift of each channel. A linear
  /// activation is such an operator. Returns nil for other operators.
  fileprivate func channelAffine(of constants: [Constant?], channels: Int) -> ChannelAffine? {
    if let activation = self as? ActivationOperator,
      case .linear(let alpha, let beta) = activation.function
    {
      return ChannelAffine(
        scale: .repeating(alpha, [channels]), shift: .repeating(beta, [channels]))
    }
    return (self as? any PerChannelAffine)?.affine(of: constants, channels: channels)
  }
}

extension FusedConvolution {
  /// Returns the node of this convolution after factors and shifts have been folded into the convolution. Nil if the
  /// parameters of the convolution are not constants, or if no kernel computes the folded convolution fast.
  fileprivate func folding(
    _ affine: ChannelAffine, into node: Graph.Node, _ graph: inout GraphRewriter
  ) -> Graph.Node? {
    let constants: [Constant?] = graph.constants(of: node)
    guard let weights = constants[1], !core.hasBias || constants[2] != nil else { return nil }
    var result = node
    var convolution = self
    if epilogue.isEmpty {
      convolution.core.hasBias = true
      result.inputs = [
        node.inputs[0],
        graph.addConstant(core.scaled(weights, by: affine.scale), name: "\(node.name)/weights"),
        graph.addConstant(
          affine.shift(after: core.hasBias ? constants[2] : nil), name: "\(node.name)/bias"),
      ]
    } else {
      // Only our own kernel applies factors after an activation. For fewer than 16 output channels, the backend chooses
      // our kernel in any case. From 16 channels on, our kernel is too slow.
      guard core.groups == 1, core.outputChannels < 16, let steps, !steps.rounds else { return nil }
      var joined = affine
      if let factorsInput = steps.factorsInput {
        guard let factors = constants[factorsInput], let shifts = constants[factorsInput + 1] else {
          return nil
        }
        result.inputs.removeSubrange(factorsInput..<factorsInput + 2)
        joined = ChannelAffine(
          scale: factors.multiplied(by: affine.scale), shift: affine.shift(after: shifts))
      }
      result.inputs += [
        graph.addConstant(joined.scale, name: "\(node.name)/factors"),
        graph.addConstant(joined.shift, name: "\(node.name)/shifts"),
      ]
      if steps.factorsInput == nil { convolution.epilogue.append(.factors) }
    }
    result.operation = convolution.simplified
    return result
  }
}

extension ConvolutionOperator {
  /// Returns the weights multiplied by one factor per output channel.
  fileprivate func scaled(_ weights: Constant, by scale: Constant) -> Constant {
    let area: Int = kernel.height * kernel.width
    let recipe =
      isDeconvolution
      ? "weights · factors of \(outputChannels) transposed channels in \(groups) groups"
      : "weights · factors of channels"
    return Constant(weightShape, recipe: recipe, of: [weights, scale]) { [self] in
      var values: [Float] = try weights.floats()
      let factors: [Float] = try scale.floats()
      let perGroup: Int = outputChannels / groups
      for row in 0..<values.count / area {
        let channel: Int
        if isDeconvolution {
          let inputsPerGroup: Int = kernelChannels / groups
          channel = row / perGroup / inputsPerGroup * perGroup + row % perGroup
        } else {
          channel = row / kernelChannels
        }
        for position in row * area..<(row + 1) * area { values[position] *= factors[channel] }
      }
      return values
    }
  }
}

extension ChannelAffine {
  /// Returns new shifts, into which the bias of the preceding operator is folded. Since `scale · (x + bias) + shift`
  /// equals `scale · x + (bias · scale + shift)`, the new shifts are `bias · scale + shift`.
  fileprivate func shift(after bias: Constant?) -> Constant {
    guard let bias else { return shift }
    return Constant(shift.shape, recipe: "bias · scale + shift", of: [bias, scale, shift]) {
      let (before, factors) = (try bias.floats(), try scale.floats())
      return try shift.floats().enumerated().map { before[$0] * factors[$0] + $1 }
    }
  }
}

extension Constant {
  /// Returns the product of two constants, element by element.
  fileprivate func multiplied(by other: Constant) -> Constant {
    Constant(shape, recipe: "product", of: [self, other]) { [self] in
      zip(try floats(), try other.floats()).map { $0 * $1 }
    }
  }
}
