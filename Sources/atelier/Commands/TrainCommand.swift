import Arguments
import CoreML
import Foundation
import Imaging
import ModelFormat
import ModelTools
import StyleTransfer

/// `atelier train`: a painting and photos in, a style network out.
enum TrainCommand: Command {
  static let syntax = CommandSyntax(
    "train", summary: "Trains a style network from one painting.",
    operands: [.init("PAINTING", help: "The style picture, at least 512 pixels a side.")],
    options: [
      .init(
        "content", value: "DIR", isRequired: true,
        help: "A folder of photos to practise on, like those to be painted."),
      .init(
        "output", letter: "o", value: "NAME.mlmodel", isRequired: true,
        help: "The model. NAME.training beside it keeps the checkpoint, the\n"
          + "losses (losses.csv, losses.svg) and snapshots."),
      .init(
        "algorithm", value: "NAME",
        help: "cnn (the default) for pictures, cnnLite for live video."),
      .init("strength", value: "1…10", help: "How much of the style there is to be; 5."),
      .init(
        "density", value: "N",
        help: "The shorter side of the painting in pixels, 64 to 1024; 256.\n"
          + "The more, the finer the details and the larger the strokes."),
      .init("iterations", value: "N", help: "How many steps are taken; 500."),
      .init("validate", value: "PHOTO", help: "A photo that every snapshot paints."),
      .init(
        "snapshot-every", value: "N",
        help: "Writes a model and the painted photo every N steps; with\n"
          + "--validate every tenth of the iterations."),
      .init("resume", help: "Goes on from the checkpoint, where there is one."),
      .init("overwrite", help: "Begins anew where a training or a model is there already."),
      .init(
        "initial", value: "MODEL",
        help: "Starts from another style of the same algorithm; from the\n"
          + "gallery's Starry Night unless told otherwise; none: from nothing."),
      .init("seed", value: "N", help: "Of weights, crops and order; 1."),
      .init(
        "learning-rate", value: "R", help: "Of Adam, above 0; 0.001 for cnn, 0.002 for cnnLite."),
      .init("batch", value: "N", help: "The pictures of one step; 2, for cnnLite 1."),
      .init("picture-side", value: "N", help: "Their side in pixels; 256."),
      ModelOptions.computeUnits, ModelOptions.threads,
    ],
    notes: """
      Losses are measured with VGG-16 (`atelier fetch vgg16`). Ctrl-C stops with a checkpoint;
      --resume goes on, also after a crash, and gives the same model as without a break.

      Example: atelier train wave.jpg --content photos/ -o great-wave.mlmodel --validate me.jpg
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let settings: StyleTrainingSettings = try settings(arguments)
    let output = URL(fileURLWithPath: arguments.value("output") ?? "")
    guard output.pathExtension == "mlmodel" else {
      throw UsageError("--output is '\(output.lastPathComponent)', expected a .mlmodel file.")
    }
    let painting: URL = try existing(arguments.operands[0], "Painting")
    var task = StyleTraining.Task(
      settings: settings, painting: painting,
      contents: URL(fileURLWithPath: arguments.value("content") ?? ""))
    let folder = StyleTrainingFolder(of: output)
    task.folder = folder
    let beginning: StyleTraining.Beginning = try beginning(arguments, folder, output)
    task.validation = try arguments.value("validate").map { try existing($0, "Photo") }
    switch arguments.value("initial") {
    case "none"?: break
    case let word?:
      let file: URL = try existing(word, "Model")
      task.initial = try StyleNetwork(
        settings.algorithm, reading: ModelFile.open(file).model, name: word)
      task.initialName = file.lastPathComponent
    case nil: try task.startFromGallery()
    }
    task.snapshotInterval =
      try arguments.integer("snapshot-every", in: 1...1_000_000)
      ?? (task.validation == nil ? nil : max(1, settings.iterations / 10))
    let training = try StyleTraining(
      task, features: try features(), beginning: beginning,
      options: try ModelOptions(arguments).configuration.executionOptions())
    try train(training, to: output)
  }

  /// What happens to what is there already: hours of work are not written over unless it is said.
  private static func beginning(
    _ arguments: ParsedArguments, _ folder: StyleTrainingFolder, _ output: URL
  ) throws -> StyleTraining.Beginning {
    switch (arguments.has("resume"), arguments.has("overwrite")) {
    case (true, true): throw UsageError("--resume and --overwrite exclude each other.")
    case (false, true): return .over
    case (true, false) where FileManager.default.fileExists(atPath: folder.checkpoint.path):
      return .resumed
    case (let resumes, false):
      if folder.holdsTraining, !resumes {
        throw CommandError(
          "Folder '\(folder.url.path)' holds a training already; --resume goes on with it, --overwrite"
            + " begins anew.")
      }
      guard !FileManager.default.fileExists(atPath: output.path) else {
        throw CommandError(
          "Model '\(output.path)' is there already, without a training to go on with; --overwrite"
            + " replaces it.")
      }
      return resumes ? .resumed : .new
    }
  }

  private static func train(_ training: StyleTraining, to output: URL) throws {
    for sentence in training.advice { Output.errorLine(sentence) }
    if training.iteration == 0, let name = training.task.initialName {
      Output.errorLine("Starts from \(name).")
    }
    if training.iteration > 0 {
      Output.errorLine(
        "Goes on behind iteration \(training.iteration) of \(training.task.settings.iterations).")
    }
    var display = TrainingDisplay()
    try Interruption.stoppable {
      let isFinished: Bool = try training.run(shouldStop: { Interruption.wantsToStop }) {
        display.show($0)
      }
      display.end()
      guard isFinished else {
        Output.errorLine(
          "Stopped behind iteration \(training.iteration); --resume goes on from there.")
        return
      }
      for sentence in try training.lessons() { Output.errorLine(sentence) }
      let settings: StyleTrainingSettings = training.task.settings
      let name: String = training.task.painting.deletingPathExtension().lastPathComponent
      let description = StyleNetwork.Description(
        summary: "Paints pictures in the style of \(name).",
        additional: [
          "Algorithm": settings.algorithm.rawValue, "Style Strength": "\(settings.strength)",
          "Texel Density": "\(settings.texelDensity)", "Iterations": "\(settings.iterations)",
        ])
      try training.network.model(description: description).write(to: output)
      let size: Int = (try? output.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
      Output.line("\(output.path) (\(size.byteText))")
    }
  }

  private static func settings(_ arguments: ParsedArguments) throws -> StyleTrainingSettings {
    let names: [String] = StyleAlgorithm.allCases.map(\.rawValue)
    let algorithm: StyleAlgorithm =
      try arguments.choice("algorithm", of: names).flatMap { StyleAlgorithm(rawValue: $0) } ?? .cnn
    var settings = StyleTrainingSettings(algorithm: algorithm)
    settings.strength =
      try arguments.integer("strength", in: StyleTrainingSettings.strengths) ?? settings.strength
    settings.texelDensity =
      try arguments.integer("density", in: StyleTrainingSettings.densities)
      ?? settings.texelDensity
    settings.iterations =
      try arguments.integer("iterations", in: 1...1_000_000) ?? settings.iterations
    settings.seed =
      try arguments.integer("seed", in: 0...Int.max).map { UInt64($0) } ?? settings.seed
    if let text = arguments.value("learning-rate") {
      guard let rate = Double(text), rate > 0, rate <= 1 else {
        throw UsageError("--learning-rate is '\(text)', expected a number above 0, up to 1.")
      }
      settings.learningRate = rate
    }
    settings.batchSize = try arguments.integer("batch", in: 1...64) ?? settings.batchSize
    settings.pictureSide =
      try arguments.integer("picture-side", in: 32...1024) ?? settings.pictureSide
    return settings
  }

  private static func features() throws -> FeatureNetwork {
    guard FetchableModel.vgg16.isFetched() else {
      throw CommandError(
        "VGG-16, which losses are measured with, is not fetched yet. Run `atelier fetch vgg16` first."
      )
    }
    return try FeatureNetwork(contentsOf: FetchableModel.vgg16.file())
  }

  private static func existing(_ path: String, _ what: String) throws -> URL {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandError("\(what) '\(path)': there is no such file. Check the path.")
    }
    return URL(fileURLWithPath: path)
  }
}
