import Conversion
import Engine
import Foundation
import ModelFormat
import ONNXFormat
import OperatorSamples
import Operators

/// The page `Documentation/Written.md`. It lists the operators that the writers of ML Programs and of ONNX refuse, with
/// reasons.
struct WrittenPage {
  /// An operator that a format cannot represent.
  private struct Refusal: Hashable {
    let layer: String
    let sentence: String
  }

  private let formats: [(name: String, written: Int, refused: [(Refusal, [String])])]

  /// Writes every sample of a catalogue as an ML Program and as ONNX, and collects the refusals.
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

      `atelier convert` cannot write every operator as an ML Program or as ONNX:

          atelier convert model.mlmodel -o model.mlpackage
          atelier convert model.mlmodel -o model.onnx

      This page lists what is refused. `make docs` writes it: it builds a network of one operator from every sample, and
      writes it in both formats. The list does not include control flow, training, custom layers and random numbers. The tests
      also read every written network again and compare its results with the definition. There is no list for the
      NeuralNetwork format: the samples are layers of that format, so it can express all of them. [Converting](Converting.md)
      explains the command.

      """
    for (name, written, refused) in formats {
      let count: Int = refused.reduce(0) { $0 + $1.1.count }
      text += """

        ## \(name)

        \(written) of \(written + count) samples are written, \(count) are refused with an error message:

        | operator | why | samples |
        |---|---|---|

        """
      for (refusal, samples) in refused {
        text += "| \(refusal.layer) | \(refusal.sentence) | \(samples.joined(separator: "; ")) |\n"
      }
    }
    return text + next
  }

  private let next = """

    ## Next

    - [Converting](Converting.md): the command and its options
    - [Supported layers and operations](Support.md): what Atelier runs

    """
}

extension OperatorCatalog {
  /// Returns models with one operator each, from the valid samples of all deterministic operators. Leaves out the
  /// operators of training, custom layers and control flow, and operators that no layer describes.
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
