import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let embedding = LayerReader("embedding", EmbeddingOperator.self) { decoder in
    guard case .embedding(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let shape = try decoder.table(
      entries: ("inputDim", message.inputDim), length: ("outputChannels", message.outputChannels))
    return DecodedLayer(
      EmbeddingOperator(),
      constants: try decoder.matrix(
        message.weights, shape, bias: message.hasBias ? .some(message.bias) : .none))
  }

  static let embeddingND = LayerReader("embeddingND", EmbeddingNDOperator.self) { decoder in
    guard case .embeddingND(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let shape = try decoder.table(
      entries: ("vocabSize", message.vocabSize), length: ("embeddingSize", message.embeddingSize))
    return DecodedLayer(
      EmbeddingNDOperator(),
      constants: try decoder.matrix(
        message.weights, shape, bias: message.hasBias ? .some(message.bias) : .none))
  }
}

extension EmbeddingOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let table = try encoder.matrix()
    encoder.layer.layer = .embedding(
      .making {
        $0.inputDim = UInt64(table.shape[1])
        $0.outputChannels = UInt64(table.shape[0])
        $0.weights = table.weights
        $0.hasBias = table.bias != nil
        $0.bias = table.bias
      })
  }
}

extension EmbeddingNDOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let table = try encoder.matrix()
    encoder.layer.layer = .embeddingND(
      .making {
        $0.vocabSize = UInt64(table.shape[1])
        $0.embeddingSize = UInt64(table.shape[0])
        $0.weights = table.weights
        $0.hasBias = table.bias != nil
        $0.bias = table.bias
      })
  }
}

extension LayerDecoder {
  /// Returns the shape of an embedding table, `[length, entries]`: `entries` is the number of vectors, `length` the
  /// number of elements of each vector. Also checks the layer's number of inputs.
  fileprivate func table(
    entries: (field: String, value: UInt64), length: (field: String, value: UInt64)
  ) throws -> Shape {
    try requireInputs(1...1)
    let count: Int = try size(entries.value, entries.field)
    let size: Int = try size(length.value, length.field)
    guard count > 0, size > 0 else {
      throw invalid(
        "\(entries.field) is \(count) and \(length.field) is \(size), expected at least 1 each.")
    }
    return [size, count]
  }
}
