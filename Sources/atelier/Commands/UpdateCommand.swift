import Arguments
import CoreML
import Foundation
import Imaging

/// `atelier update`: teaches a model with examples of one's own.
enum UpdateCommand: Command {
  static let syntax = CommandSyntax(
    "update", summary: "Teaches an updatable model with examples, and writes what it became.",
    operands: [.init("MODEL", help: "An updatable model; `atelier inspect` shows whether it is.")],
    options: [
      .init(
        "examples", letter: "e", value: "DIR|CSV", isRequired: true,
        help: "A folder with a folder of pictures for each label, or a table\n"
          + "whose header names the features; NAME[0], NAME[1], … are the\nelements of an array."),
      .init(
        "output", letter: "o", value: "NEW", isRequired: true,
        help: "The new model: NAME.mlmodel, or NAME.mlmodelc."),
      .init("epochs", value: "N", help: "How often the examples are gone through."),
      .init("learning-rate", value: "X", help: "The step of the optimiser."),
      .init("batch-size", value: "N", help: "The number of examples in one step."),
      .init("seed", value: "N", help: "The start of the random order of the examples."),
      .init("k", value: "N", help: "The number of neighbours that vote."),
      CropAndScale.option(
        "How pictures are fitted to the model; scaleFill\nunless told otherwise."),
    ] + ModelOptions.declarations,
    notes: """
      What is not given is as the model says. The model decides which values it allows.

      Example: atelier update Drawings.mlmodel --examples mine/ -o MyDrawings.mlmodel
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let mode: CropAndScale = try arguments.cropAndScale() ?? .scaleFill
    let options = try ModelOptions(arguments)
    options.configuration.parameters = try parameters(arguments)
    let location: URL = try ModelLocation.resolve(arguments.operands[0])
    let output = URL(fileURLWithPath: arguments.value("output") ?? "")
    guard ["mlmodel", "mlmodelc"].contains(output.pathExtension.lowercased()) else {
      throw UsageError(
        "--output is '\(output.lastPathComponent)', expected a name that ends with "
          + ".mlmodel or .mlmodelc.")
    }
    let model = try MLModel(contentsOf: location, configuration: options.configuration)
    guard model.modelDescription.isUpdatable else {
      throw CommandError(
        "Model '\(location.lastPathComponent)' is not updatable: its author has not marked it so.")
    }
    let examples = try TrainingExampleSet(
      arguments.value("examples") ?? "", for: model.modelDescription, cropAndScale: mode)
    let outcome: Outcome = try learn(location, examples, options.configuration)
    try Interruption.protected { try outcome.model.write(to: output) }
    Output.line("\(output.path): \(outcome.summary)")
  }

  private static func parameters(_ arguments: ParsedArguments) throws -> [MLParameterKey: Any] {
    var parameters: [MLParameterKey: Any] = [:]
    let whole: [(String, MLParameterKey, ClosedRange<Int>)] = [
      ("epochs", .epochs, 1...Int.max), ("batch-size", .miniBatchSize, 1...Int.max),
      ("seed", .seed, Int.min...Int.max), ("k", .numberOfNeighbors, 1...Int.max),
    ]
    for (name, key, range) in whole {
      if let value = try arguments.integer(name, in: range) { parameters[key] = value }
    }
    if let text = arguments.value("learning-rate") {
      guard let rate = Double(text), rate.isFinite, rate >= 0 else {
        throw UsageError("--learning-rate is '\(text)', expected a number of 0 or more.")
      }
      parameters[.learningRate] = rate
    }
    return parameters
  }

  /// What came of an update.
  private struct Outcome {
    let model: any MLModel & MLWritable
    let summary: String
  }

  /// What the handlers leave for the thread that waits.
  private final class Record: @unchecked Sendable {
    // `@unchecked Sendable`: the update's queue writes it; the waiting thread reads it after the
    // semaphore.
    var display = EpochDisplay()
    var firstLoss: Double?
    var context: MLUpdateContext?
  }

  private static func learn(
    _ location: URL, _ examples: TrainingExampleSet, _ configuration: MLModelConfiguration
  ) throws -> Outcome {
    let record = Record()
    let done = DispatchSemaphore(value: 0)
    let handlers = MLUpdateProgressHandlers(
      forEvents: .epochEnd,
      progressHandler: { context in
        let loss = context.metrics[.lossValue] as? Double
        record.firstLoss = record.firstLoss ?? loss
        let epoch: Int = (context.metrics[.epochIndex] as? Int ?? 0) + 1
        let total: Int = (context.parameters[.epochs] as? NSNumber)?.intValue ?? 1
        record.display.finish(epoch: epoch, of: total, loss: loss)
      },
      completionHandler: { context in
        record.context = context
        done.signal()
      })
    let start = Date()
    let task = try MLUpdateTask(
      forModelAt: location, trainingData: examples.batch, configuration: configuration,
      progressHandlers: handlers)
    task.resume()
    done.wait()
    record.display.end()
    if let error = task.error { throw error }
    guard let context = record.context else {
      preconditionFailure("the completion handler has left its context")
    }
    var parts: [String] = ["learned \(examples.batch.count.groupedText) examples"]
    if let first = record.firstLoss, let last = context.metrics[.lossValue] as? Double {
      parts.append("loss \(first.text(significant: 5)) → \(last.text(significant: 5))")
    }
    if let labels = context.model.modelDescription.classLabels {
      parts.append("\(labels.count.groupedText) \(labels.count == 1 ? "label" : "labels")")
    }
    parts.append("in \(Date().timeIntervalSince(start).durationText)")
    return Outcome(model: context.model, summary: parts.joined(separator: ", "))
  }
}
