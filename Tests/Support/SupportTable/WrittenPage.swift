import Conversion
import Engine
import Foundation
import ModelFormat
import ONNXFormat
import OperatorSamples
import Operators

/// The page `Documentation/Written.md`: which operators the writers of ML Programs and of ONNX refuse, and why.
struct WrittenPage {
  /// What a format does not say of an operator.
  private struct Refusal: Hashable {
    let layer: String
    let sentence: String
  }

  private let formats: [(name: String, written: Int, refused: [(Refusal, [String])])]

  /// The page of a catalogue: writes every sample in both formats.
  init(_ catalog: OperatorCatalog) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let weights = try BlobFileWriter(path: file.path)
    var options = WritingOptions()
    options.precision = .float32
    let writers: [(String, (GraphModel) throws -> Void)] = [
      ("ML Programs", { _ = try ProgramFile.model($0, options: options, weights: weights) }),
      ("ONNX", { _ = try ONNXWriter.message(for: $0) }),
    ]
    let models: [(layer: String, sample: String, model: GraphModel)] = try catalog.writableSamples()
    formats = try writers.map { name, write in
      var written = 0
      var order: [Refusal] = []
      var refused: [Refusal: [String]] = [:]
      for (layer, sample, model) in models {
        do {
          try write(model)
          written += 1
        } catch let error as EngineError where error.code == .unsupported {
          let words: Substring =
            error.message.range(of: "': ").map { error.message[$0.upperBound...] }
            ?? Substring(error.message)
          let refusal = Refusal(layer: layer, sentence: String(words))
          if refused[refusal] == nil { order.append(refusal) }
          refused[refusal, default: []].append(sample)
        }
      }
      return (name, written, order.map { ($0, refused[$0] ?? []) })
    }
  }

  /// The page as Markdown.
  var markdown: String {
    var text = """
      # What formats cannot say

      Written by `make docs`: every sample of every operator that stands in a network by itself, written as an ML
      Program and as ONNX. What the tests write they also read again, and compare with the definition. A
      NeuralNetwork has a layer for all of them, as the samples are its layers.

      """
    for (name, written, refused) in formats {
      let count: Int = refused.reduce(0) { $0 + $1.1.count }
      text += """

        ## \(name)

        \(written) of \(written + count) samples are written, \(count) are refused with a sentence:

        | operator | why | samples |
        |---|---|---|

        """
      for (refusal, samples) in refused {
        text += "| \(refusal.layer) | \(refusal.sentence) | \(samples.joined(separator: "; ")) |\n"
      }
    }
    return text
  }
}

extension OperatorCatalog {
  /// The samples of operators that compute the same each time and hold no graphs, as models of one operator.
  fileprivate func writableSamples() throws -> [(layer: String, sample: String, model: GraphModel)]
  {
    let types: [any Operator.Type] =
      families.filter { !["Training", "Custom layers", "Control flow"].contains($0.name) }
      .flatMap(\.layers).filter { $0.isDeterministic }
    return try types.flatMap { type in
      try ((type as? any SampledOperator.Type)?.samples ?? []).filter {
        $0.failure == nil && $0.derived == nil
      }
      .map { (type.declaration.name, $0.name, try model(of: $0)) }
    }
  }

  private func model(of sample: OperatorSample) throws -> GraphModel {
    let context = NetworkContext(mapping: sample.mapping, catalog: self)
    let decoded: DecodedLayer = try layer(for: sample.layer, in: context)
    let builder = GraphBuilder()
    var inputs: [Graph.ValueID] = sample.inputs.enumerated().map { position, input in
      builder.addInput("input\(position)", extents: input.shape.dimensions.map { Extent($0) })
    }
    inputs += decoded.constants.map { builder.addConstant($0.value, name: $0.role) }
    let made: [Graph.ValueID] = try builder.add(
      decoded.operation, inputs, outputs: max(1, sample.layer.output.count), name: "made")
    for (position, value) in made.enumerated() {
      builder.addOutput(value, name: "output\(position)")
    }
    return builder.model()
  }
}
