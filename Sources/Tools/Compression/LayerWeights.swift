import ModelFormat

/// A tensor of weights in a layer of a NeuralNetwork.
struct LayerWeights {
  /// How a tensor may be compressed.
  enum Kind {
    /// The tensor may be quantised to few bits, with a scale per channel if the format has one.
    case matrix(WeightGrid)
    /// The tensor may only be converted to float16. Such tensors have few numbers: biases, and the scales and offsets
    /// of norms.
    case vector
  }

  /// The layer's name.
  let layer: String
  /// How the tensor may be compressed.
  let kind: Kind
}

extension [Spec.NeuralNetworkLayer] {
  /// Calls a function with each tensor of weights of these layers, and of the networks within the layers, such as the
  /// bodies of loops.
  ///
  /// Skips updatable weights. Also skips the weights of custom layers, because the classes of custom layers read the
  /// weights as they are stored.
  mutating func forEachWeights(
    _ body: (inout Spec.WeightParams, LayerWeights) throws -> Void
  ) rethrows {
    for index in indices where !self[index].isUpdatable {
      let name: String = self[index].name
      try self[index].forEachWeights { weights, kind in
        guard weights.storage != .empty, !weights.isUpdatable else { return }
        try body(&weights, LayerWeights(layer: name, kind: kind))
      }
      try self[index].forEachNetwork { layers in try layers.forEachWeights(body) }
    }
  }
}

extension Spec.NeuralNetworkLayer {
  fileprivate mutating func forEachNetwork(
    _ body: (inout [Spec.NeuralNetworkLayer]) throws -> Void
  ) rethrows {
    switch layer {
    case .branch(var branch)?:
      if var network = branch.ifBranch {
        try body(&network.layers)
        branch.ifBranch = network
      }
      if var network = branch.elseBranch {
        try body(&network.layers)
        branch.elseBranch = network
      }
      layer = .branch(branch)
    case .loop(var loop)?:
      if var network = loop.conditionNetwork {
        try body(&network.layers)
        loop.conditionNetwork = network
      }
      if var network = loop.bodyNetwork {
        try body(&network.layers)
        loop.bodyNetwork = network
      }
      layer = .loop(loop)
    default: break
    }
  }

  private typealias Visit = (inout Spec.WeightParams, LayerWeights.Kind) throws -> Void

  private static func visit(
    _ weights: inout Spec.WeightParams?, _ kind: LayerWeights.Kind, _ body: Visit
  ) rethrows {
    guard var found = weights else { return }
    try body(&found, kind)
    weights = found
  }

  private static func matrix(_ shape: [UInt64], axis: Int = 0) -> LayerWeights.Kind {
    // The sizes come from an untrusted file. If their product is not the number of weights, the compressor refuses the
    // file later.
    .matrix(WeightGrid(shape.map { Int(clamping: Swift.min($0, 1 << 31)) }, axis: axis))
  }

  fileprivate mutating func forEachWeights(
    _ body: (inout Spec.WeightParams, LayerWeights.Kind) throws -> Void
  ) rethrows {
    switch layer {
    case .convolution(var message)?:
      let window: [UInt64] = message.kernelSize.isEmpty ? [3, 3] : message.kernelSize
      let groups: UInt64 = Swift.max(message.nGroups, 1)
      let shape: [UInt64] =
        message.isDeconvolution
        ? [message.kernelChannels, message.outputChannels / groups] + window
        : [message.outputChannels, message.kernelChannels] + window
      try Self.visit(
        &message.weights, Self.matrix(shape, axis: message.isDeconvolution ? 1 : 0), body)
      try Self.visit(&message.bias, .vector, body)
      layer = .convolution(message)
    case .innerProduct(var message)?:
      try Self.visit(
        &message.weights, Self.matrix([message.outputChannels, message.inputChannels]), body)
      try Self.visit(&message.bias, .vector, body)
      layer = .innerProduct(message)
    case .batchedMatmul(var message)?:
      try Self.visit(
        &message.weights,
        Self.matrix([
          message.weightMatrixSecondDimension, message.weightMatrixFirstDimension,
        ]), body)
      try Self.visit(&message.bias, .vector, body)
      layer = .batchedMatmul(message)
    case .embedding(var message)?:
      try Self.visit(
        &message.weights, Self.matrix([message.outputChannels, message.inputDim]), body)
      try Self.visit(&message.bias, .vector, body)
      layer = .embedding(message)
    case .embeddingND(var message)?:
      try Self.visit(
        &message.weights, Self.matrix([message.embeddingSize, message.vocabSize]), body)
      try Self.visit(&message.bias, .vector, body)
      layer = .embeddingND(message)
    case .batchnorm(var message)?:
      try Self.visit(&message.gamma, .vector, body)
      try Self.visit(&message.beta, .vector, body)
      try Self.visit(&message.mean, .vector, body)
      try Self.visit(&message.variance, .vector, body)
      layer = .batchnorm(message)
    case .scale(var message)?:
      try Self.visit(&message.scale, .vector, body)
      try Self.visit(&message.bias, .vector, body)
      layer = .scale(message)
    case .bias(var message)?:
      try Self.visit(&message.bias, .vector, body)
      layer = .bias(message)
    case .layerNormalization(var message)?:
      try Self.visit(&message.gamma, .vector, body)
      try Self.visit(&message.beta, .vector, body)
      layer = .layerNormalization(message)
    default: try forEachRecurrentWeights(body)
    }
  }

  private mutating func forEachRecurrentWeights(
    _ body: (inout Spec.WeightParams, LayerWeights.Kind) throws -> Void
  ) rethrows {
    switch layer {
    case .simpleRecurrent(var message)?:
      try Self.visit(
        &message.weightMatrix, Self.matrix([message.outputVectorSize, message.inputVectorSize]),
        body)
      try Self.visit(
        &message.recursionMatrix,
        Self.matrix([message.outputVectorSize, message.outputVectorSize]),
        body)
      try Self.visit(&message.biasVector, .vector, body)
      layer = .simpleRecurrent(message)
    case .gru(var message)?:
      let input: LayerWeights.Kind = Self.matrix([
        message.outputVectorSize, message.inputVectorSize,
      ])
      let recursion: LayerWeights.Kind = Self.matrix([
        message.outputVectorSize, message.outputVectorSize,
      ])
      try Self.visit(&message.updateGateWeightMatrix, input, body)
      try Self.visit(&message.resetGateWeightMatrix, input, body)
      try Self.visit(&message.outputGateWeightMatrix, input, body)
      try Self.visit(&message.updateGateRecursionMatrix, recursion, body)
      try Self.visit(&message.resetGateRecursionMatrix, recursion, body)
      try Self.visit(&message.outputGateRecursionMatrix, recursion, body)
      layer = .gru(message)
    case .uniDirectionalLSTM(var message)?:
      if var weights = message.weightParams {
        try weights.forEachMatrix(
          input: message.inputVectorSize, output: message.outputVectorSize, body)
        message.weightParams = weights
      }
      layer = .uniDirectionalLSTM(message)
    case .biDirectionalLSTM(var message)?:
      for index in message.weightParams.indices {
        try message.weightParams[index].forEachMatrix(
          input: message.inputVectorSize, output: message.outputVectorSize, body)
      }
      layer = .biDirectionalLSTM(message)
    default: break
    }
  }
}

extension Spec.LSTMWeightParams {
  /// Calls a function with the matrices of a recurrent layer. Skips biases and peepholes, which have few numbers.
  fileprivate mutating func forEachMatrix(
    input: UInt64, output: UInt64,
    _ body: (inout Spec.WeightParams, LayerWeights.Kind) throws -> Void
  ) rethrows {
    let sides: [Int] = [input, output].map { Int(clamping: Swift.min($0, 1 << 31)) }
    let fields: [(WritableKeyPath<Self, Spec.WeightParams?>, Int)] = [
      (\.inputGateWeightMatrix, sides[0]), (\.forgetGateWeightMatrix, sides[0]),
      (\.blockInputWeightMatrix, sides[0]), (\.outputGateWeightMatrix, sides[0]),
      (\.inputGateRecursionMatrix, sides[1]), (\.forgetGateRecursionMatrix, sides[1]),
      (\.blockInputRecursionMatrix, sides[1]), (\.outputGateRecursionMatrix, sides[1]),
    ]
    for (field, columns) in fields {
      guard var weights = self[keyPath: field] else { continue }
      try body(&weights, .matrix(WeightGrid([sides[1], columns], axis: 0)))
      self[keyPath: field] = weights
    }
  }
}
