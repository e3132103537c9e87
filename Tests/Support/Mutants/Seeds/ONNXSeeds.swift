import Conversion
import Graph
import Foundation
import ModelFormat
import NeuralNetworkFormat
import ONNXFormat
import OperatorSamples

/// ONNX seeds. They are the rows of ``ONNXTable``, and samples and programs that our writer converted to ONNX.
enum ONNXSeeds {
  static let all: [FileSeed] = table + written

  /// The rows of the table as models with one node each.
  static let table: [FileSeed] = ONNXTable.text.split(separator: "\n").compactMap { line in
    var row = ONNXRow(String(line))
    guard let model = row.model() else {
      preconditionFailure("the row '\(line)' of the table cannot be understood")
    }
    return FileSeed(kind: "onnx \(row.name)", model, values: row.values)
  }

  /// Samples of each layer type (the valid ones among its first two), and all sample programs with their branches and
  /// loops. Our writer converts them to ONNX.
  static let written: [FileSeed] = {
    var models: [(kind: String, model: Spec.Model, values: [String: [Double]])] = []
    for (kind, samples) in ModelSeed.byLayerType {
      for sample in samples.prefix(2) {
        guard sample.failure == nil,
          let seed = ModelSeed.special(kind) ?? ModelSeed(sample, kind: kind)
        else { continue }
        models.append(("onnx of \(kind)", seed.model, seed.values))
      }
    }
    for (kind, seed) in ModelSeed.programs {
      models.append(("onnx of \(kind)", seed.model, seed.values))
    }
    return models.compactMap { kind, model, values in
      guard let graph = try? model.graphModel(), let message = try? ONNXWriter.message(for: graph)
      else { return nil }
      return FileSeed(kind: kind, message, values: values)
    }
  }()

  /// Returns a model with damaged fields, or a truncated model.
  static func damaged(_ bytes: [UInt8], using generator: inout SplitMix64) -> [UInt8] {
    if Int.random(in: 0..<12, using: &generator) == 0 {
      return Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
    }
    guard var tree = WireTree(bytes[...]) else { return bytes }
    if Int.random(in: 0..<8, using: &generator) == 0 { tree.exchangeNames(using: &generator) }
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      tree.damage(Int.random(in: 0..<max(1, tree.count), using: &generator), using: &generator)
    }
    return tree.bytes
  }

  /// Returns variants of a seed. In each variant, one small constant is an input instead, with the constant's values.
  /// Such a constant is an int64 tensor, or a float tensor whose name begins with “size”. Variants that the reader
  /// refuses are left out.
  static func withRunTimeSizes(_ seed: FileSeed) -> [FileSeed] {
    guard let bytes = seed.files[seed.name],
      let model = try? ONNX.ModelProto(serialized: ByteValues(bytes), name: "seed"),
      let graph = model.graph
    else { return [] }
    return graph.initializer.compactMap { tensor in
      let numbers: [Double]
      switch tensor.dataType {
      case 7: numbers = tensor.int64s
      case 1 where tensor.name.hasPrefix("size"):
        numbers = tensor.floatData.array().map(Double.init)
      default: return nil
      }
      guard (1...16).contains(numbers.count) else { return nil }
      var changed: ONNX.ModelProto = model
      changed.graph?.initializer.removeAll { $0.name == tensor.name }
      changed.graph?.input.append(
        .stating(tensor.name, tensor.dims.map { .dimValue($0) }, tensor.dataType))
      guard (try? ONNXReader.read(ByteValues(changed.serialized()), name: "seed")) != nil else {
        return nil
      }
      return FileSeed(
        kind: "sizes of \(seed.kind)", changed,
        values: seed.values.merging([tensor.name: numbers]) { $1 }, sizes: [tensor.name])
    }
  }
}

extension FileSeed {
  init(
    kind: String, _ model: ONNX.ModelProto, values: [String: [Double]], sizes: [String] = []
  ) {
    self.init(
      kind: kind, name: "mutant.onnx", files: ["mutant.onnx": model.serialized()], values: values,
      sizes: sizes)
  }
}

extension Spec.Model {
  /// Reads the graph of a neural network, or of a program whose weights are inside the message.
  func graphModel() throws -> GraphModel? {
    if let network = try GraphModel(
      neuralNetwork: self, makeCustomLayer: PassthroughCustomLayer.factory)
    {
      return network
    }
    let folder = try Scratch.folder("seed")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("seed.mlmodel")
    try Data(serialized()).write(to: file)
    return try CoreMLReader.read(file, options: ReadingOptions())
  }
}

extension ONNX.TensorProto {
  /// The values of an int64 tensor. A message has two fields that may store them.
  fileprivate var int64s: [Double] {
    if !int64Data.isEmpty { return int64Data.map(Double.init) }
    return rawData.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count - 7, by: 8).map {
        Double(bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
      }
    }
  }
}

extension ONNX.ValueInfoProto {
  /// Creates a value description with a name, a shape and a type.
  static func stating(
    _ name: String, _ dims: [ONNX.TensorShapeProto.Dimension.OneOfValue]?, _ type: Int32
  ) -> ONNX.ValueInfoProto {
    var tensor = ONNX.TypeProto.Tensor()
    tensor.elemType = type
    if let dims {
      tensor.shape = ONNX.TensorShapeProto()
      tensor.shape?.dim = dims.map {
        var dimension = ONNX.TensorShapeProto.Dimension()
        dimension.value = $0
        return dimension
      }
    }
    var result = ONNX.ValueInfoProto()
    result.name = name
    result.type = ONNX.TypeProto()
    result.type?.value = .tensorType(tensor)
    return result
  }
}
