import Graph

/// A layer with its weights.
struct CaffeLayer {
  let name: String
  /// The type as files of today write it: `InnerProduct`.
  let type: String
  /// The names of what it reads.
  let bottoms: [String]
  /// The names of what it makes.
  let tops: [String]
  let message: CaffeMessage
  let blobs: [CaffeMessage]
  /// The file that weights are looked for in; nil for none.
  let weightsFile: String?

  /// Whether it reads labels, which are not there once the network is trained.
  var isForTraining: Bool {
    type == "SoftmaxWithLoss" || CaffeLayerReader.training.contains { $0.type == type }
  }

  /// The parameters of a type of layer: those of the message `convolution_param`.
  func parameters(_ name: String) -> CaffeMessage { message.message("\(name)_param") }

  /// Whether there are weights at a place.
  func hasWeights(_ index: Int) -> Bool { blobs.indices.contains(index) }

  /// The weights at a place.
  ///
  /// - Throws: `invalidModel` where there are none.
  func weights(_ index: Int, _ what: String) throws -> CaffeBlob {
    guard blobs.indices.contains(index) else {
      let place: String
      switch (weightsFile, blobs.isEmpty) {
      case (let file?, true): place = "'\(file)' has no weights for a layer of this name"
      case (let file?, false): place = "'\(file)' has only \(blobs.count) sets of weights for it"
      case (nil, _): place = "no .caffemodel is given"
      }
      throw EngineError(
        .invalidModel,
        "\(what) are missing: \(place). Give the .caffemodel that belongs to the .prototxt: --with FILE.caffemodel."
      )
    }
    return try CaffeBlob(blobs[index])
  }
}
