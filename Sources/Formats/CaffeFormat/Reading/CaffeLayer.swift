import Graph

/// A layer with its weights.
struct CaffeLayer {
  /// The layer's name.
  let name: String
  /// The layer type in today's form, such as `InnerProduct`.
  let type: String
  /// The names of the layer's inputs.
  let bottoms: [String]
  /// The names of the layer's outputs.
  let tops: [String]
  /// The layer's message.
  let message: CaffeMessage
  /// The layer's weights, as `BlobProto` messages.
  let blobs: [CaffeMessage]
  /// The file that should hold the layer's weights, for error messages. Nil if no such file was given.
  let weightsFile: String?

  /// Whether the layer reads labels, which do not exist at inference.
  var isForTraining: Bool {
    type == "SoftmaxWithLoss" || CaffeLayerReader.training.contains { $0.type == type }
  }

  /// Returns the parameter message with this name, such as `convolution_param` for `convolution`.
  func parameters(_ name: String) -> CaffeMessage { message.message("\(name)_param") }

  /// Returns whether the layer has a weight blob at an index.
  func hasWeights(_ index: Int) -> Bool { blobs.indices.contains(index) }

  /// Returns the weight blob at an index.
  ///
  /// - Throws: `invalidModel` if there is no such blob.
  func weights(_ index: Int, _ what: String) throws -> CaffeBlob {
    guard blobs.indices.contains(index) else {
      let found: String
      switch (weightsFile, blobs.isEmpty) {
      case (let file?, true): found = "'\(file)' has no weights for a layer of this name"
      case (let file?, false): found = "'\(file)' has only \(blobs.count) sets of weights for it"
      case (nil, _): found = "no .caffemodel was given"
      }
      throw EngineError(
        .invalidModel,
        "\(what) are missing: \(found). Give the .caffemodel that belongs to the .prototxt: --with FILE.caffemodel."
      )
    }
    return try CaffeBlob(blobs[index])
  }
}
