import Arguments
import CoreML
import Foundation
import Imaging

/// `atelier update`: trains an updatable model on the user's examples.
enum UpdateCommand: Command {
  static let syntax = CommandSyntax(
    "update", summary: "Trains an updatable model on examples, and writes the new model.",
    operands: [.init("MODEL", help: "An updatable model; `atelier inspect` shows whether it is.")],
    options: [
      .init(
        "examples", letter: "e", value: "DIR|CSV", isRequired: true,
        help: "A folder with a folder of pictures for each label, or a CSV table;\n"
          + "its header names the features. NAME[0], NAME[1], … are the\n"
          + "elements of an array."),
      .init(
        "output", letter: "o", value: "NEW", isRequired: true,
        help: "The new model: NAME.mlmodel, or NAME.mlmodelc."),
      .init("epochs", value: "N", help: "The number of passes over the examples."),
      .init("learning-rate", value: "X", help: "The learning rate of the optimiser."),
      .init("batch-size", value: "N", help: "The number of examples per step."),
      .init("seed", value: "N", help: "The seed of the random order of the examples."),
      .init("k", value: "N", help: "The number of neighbours, for nearest-neighbour models."),
      CropAndScale.option(
        "How pictures are fitted to the model (default: scaleFill)."),
      .init("json", help: "Prints the result as JSON."),
    ] + ModelOptions.declarations,
    notes: """
      The model contains the defaults and decides which values are allowed.

      Example: atelier update Drawings.mlmodel --examples mine/ -o MyDrawings.mlmodel
      """, pipedFormat: "mlmodel")

  /// The updated model for JSON.
  private struct Report: Encodable {
    let model: String
    let examples: Int
    /// The number of class labels. Nil for a model that is not a classifier.
    let labels: Int?
    /// The loss of the first and the last epoch. Nil for a model without a loss.
    let firstLoss: Double?
    let lastLoss: Double?
    let seconds: Double
  }

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
        "Model '\(location.lastPathComponent)' is not updatable: its author did not mark it"
          + " as such.")
    }
    let examples = try TrainingExampleSet(
      arguments.value("examples") ?? "", for: model.modelDescription, cropAndScale: mode)
    let outcome: Outcome = try learn(location, examples, options.configuration)
    try Interruption.protected { try outcome.model.write(to: output) }
    guard !arguments.has("json") else {
      return try Output.json(
        Report(
          model: output.path, examples: outcome.examples, labels: outcome.labels,
          firstLoss: outcome.losses?.first, lastLoss: outcome.losses?.last,
          seconds: outcome.seconds))
    }
    Output.report("\(output.path): \(outcome.summary)")
  }

  private static func parameters(_ arguments: ParsedArguments) throws -> [MLParameterKey: Any] {
    var parameters: [MLParameterKey: Any] = [:]
    let integers: [(String, MLParameterKey, ClosedRange<Int>)] = [
      ("epochs", .epochs, 1...Int.max), ("batch-size", .miniBatchSize, 1...Int.max),
      ("seed", .seed, Int.min...Int.max), ("k", .numberOfNeighbors, 1...Int.max),
    ]
    for (name, key, range) in integers {
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

  /// The result of an update.
  private struct Outcome {
    let model: any MLModel & MLWritable
    let examples: Int
    let labels: Int?
    /// The losses of the first and the last epoch. Nil for a model without a loss.
    let losses: (first: Double, last: Double)?
    let seconds: Double

    /// What the model learned, in one line.
    var summary: String {
      var parts: [String] = ["learned \(examples.groupedText) examples"]
      if let losses {
        parts.append(
          "loss \(losses.first.text(significant: 5)) → \(losses.last.text(significant: 5))")
      }
      if let labels { parts.append("\(labels.groupedText) \(labels == 1 ? "label" : "labels")") }
      return (parts + ["in \(seconds.durationText)"]).joined(separator: ", ")
    }
  }

  /// Passes the results of the update's progress handlers to the waiting thread.
  private final class Record: @unchecked Sendable {
    // `@unchecked Sendable`: the update's queue writes the properties. The waiting thread reads them after the
    // semaphore is signalled.
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
      preconditionFailure("the completion handler has stored its context")
    }
    var losses: (first: Double, last: Double)?
    if let first = record.firstLoss, let last = context.metrics[.lossValue] as? Double {
      losses = (first, last)
    }
    return Outcome(
      model: context.model, examples: examples.batch.count,
      labels: context.model.modelDescription.classLabels?.count, losses: losses,
      seconds: Date().timeIntervalSince(start))
  }
}
