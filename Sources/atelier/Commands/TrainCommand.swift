import Arguments
import CoreML
import Foundation
import Imaging
import ModelFormat
import ModelTools
import StyleTransfer

/// `atelier train`: trains a style network on a painting and photos.
enum TrainCommand: Command {
  static let syntax = CommandSyntax(
    "train", summary: "Trains a style network from one or several paintings.",
    operands: [
      .init(
        "PAINTING", .atLeastOne,
        help:
          "The style picture, at least 512 × 512 pixels. Several make one\nmodel of several styles."
      )
    ],
    options: [
      .init(
        "content", value: "DIR", isRequired: true,
        help: "A folder of training photos, similar to those to be painted."),
      .init(
        "output", letter: "o", value: "NAME.mlmodel", isRequired: true,
        help: "The model. The folder NAME.training beside it gets the checkpoint,\n"
          + "the losses (losses.csv, losses.svg) and snapshots."),
      .init(
        "algorithm", value: "NAME", choices: StyleAlgorithm.allCases.map(\.rawValue),
        help: "cnn (default) for pictures, or cnnLite for live video."),
      .init(
        "recipe", value: "NAME",
        help: "The loss, the crops and the shortcuts: "
          + TrainingRecipe.Name.allCases.prefix(3).map(\.rawValue).joined(separator: ", ") + ",\n"
          + TrainingRecipe.Name.allCases.dropFirst(3).map(\.rawValue).joined(separator: ", ")
          + " (default: \(TrainingRecipe.standard))."),
      .init("strength", value: "1…10", help: "The strength of the style (default: 5)."),
      .init(
        "density", value: "N",
        help: "The painting is scaled to this shorter side in pixels, 64 to 1024\n"
          + "(default: 256). More gives finer details and larger strokes."),
      .init("iterations", value: "N", help: "The number of steps (default: 500)."),
      .init("validate", value: "PHOTO", help: "A photo to paint with every snapshot."),
      .init(
        "snapshot-every", value: "N",
        help: "Writes a model and the painted photo every N steps (default\n"
          + "with --validate: a tenth of the iterations)."),
      .init("resume", help: "Resumes from the checkpoint, if there is one."),
      .init("overwrite", help: "Starts again, and replaces an existing training and model."),
      .init(
        "initial", value: "MODEL",
        help: "Starts from the weights of another style of the same algorithm\n"
          + "(default: the gallery's Starry Night, if the recipe has its\n"
          + "shortcuts); none: random weights."),
      .init(
        "base", value: "MODEL",
        help: "A model of several styles. Trains only the norms of a new style for\n"
          + "it, which `atelier styles --add` adds to it."),
      .init("seed", value: "N", help: "The seed of weights, crops and order (default: 1)."),
      .init(
        "learning-rate", value: "R",
        help: "The learning rate of Adam, above 0 (default: 0.001 for cnn,\n"
          + "0.002 for cnnLite)."),
      .init("batch", value: "N", help: "The number of pictures per step (default: 2; cnnLite: 1)."),
      .init(
        "picture-side", value: "N",
        help: "The side of these pictures in pixels (default: 256)."),
      .init("json", help: "Prints the result as JSON."),
      ModelOptions.computeUnits, ModelOptions.threads,
    ],
    notes: """
      VGG-16 computes the losses (`atelier fetch vgg16`). Ctrl-C writes a checkpoint and stops. --resume
      continues, also after a crash, and gives the same model as an uninterrupted training.

      Example: atelier train wave.jpg --content photos/ -o great-wave.mlmodel --validate me.jpg
      """)

  static func run(_ arguments: ParsedArguments) throws {
    var settings: StyleTrainingSettings = try settings(arguments)
    let base: MultiStyleNetwork? = try base(arguments, &settings)
    let output = URL(fileURLWithPath: arguments.value("output") ?? "")
    guard output.pathExtension == "mlmodel" else {
      throw UsageError("--output is '\(output.lastPathComponent)', expected a .mlmodel file.")
    }
    var task = StyleTraining.Task(
      settings: settings, paintings: try arguments.operands.map { try existing($0, "Painting") },
      contents: URL(fileURLWithPath: arguments.value("content") ?? ""))
    let folder = StyleTrainingFolder(of: output)
    task.folder = folder
    let beginning: StyleTraining.Beginning = try beginning(arguments, folder, output)
    task.validation = try arguments.value("validate").map { try existing($0, "Photo") }
    switch arguments.value("initial") {
    case nil where base != nil:
      task.initial = try base.map { try $0.mixture(of: $0.paintedNames.map { ($0, 1) }) }
      task.initialName = arguments.value("base")
    case "none"?: break
    case let word?:
      let file: URL = try existing(word, "Model")
      try task.start(from: ModelFile.open(file).model, name: file.lastPathComponent)
    case nil: try task.startFromGallery()
    }
    task.snapshotInterval =
      try arguments.integer("snapshot-every", in: 1...1_000_000)
      ?? (task.validation == nil ? nil : max(1, settings.iterations / 10))
    let training = try StyleTraining(
      task, features: try features(), beginning: beginning,
      options: try ModelOptions(arguments).configuration.executionOptions())
    try train(training, to: output, asJSON: arguments.has("json"))
  }

  /// The training for JSON.
  private struct Report: Encodable {
    /// The losses of the last step.
    struct Losses: Encodable {
      let total: Double
      let content: Double
      let style: Double
      let smoothness: Double
      let stability: Double
      let color: Double
      let neighbors: Double

      init(_ losses: StyleLosses) {
        total = losses.total
        content = losses.content
        style = losses.style
        smoothness = losses.smoothness
        stability = losses.stability
        color = losses.color
        neighbors = losses.neighbors
      }
    }

    let model: String
    /// Whether all iterations are done and the model is written.
    let isFinished: Bool
    /// The size of the model's file. Nil if it is not written.
    let bytes: Int?
    let iterations: Int
    let algorithm: String
    let recipe: String
    /// The names of the styles of a model of several styles.
    let styles: [String]
    let losses: Losses?
    /// The seconds of this run.
    let seconds: Double
  }

  /// Returns which of three things to do: resume an existing training, replace it, or begin a new one. An existing
  /// training or model may have taken hours of computation, so only `--overwrite` replaces it.
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
          "Folder '\(folder.url.path)' contains a training already; --resume continues it,"
            + " --overwrite replaces it.")
      }
      guard !FileManager.default.fileExists(atPath: output.path) else {
        throw CommandError(
          "Model '\(output.path)' exists already, without a training to resume; --overwrite"
            + " replaces it.")
      }
      return resumes ? .resumed : .new
    }
  }

  private static func train(_ training: StyleTraining, to output: URL, asJSON: Bool) throws {
    let start = Date()
    for sentence in training.advice { Output.note(sentence) }
    if training.iteration == 0 {
      Output.note("Starts from \(training.task.initialName ?? "random weights").")
    }
    if training.iteration > 0 {
      Output.note(
        "Resumes after iteration \(training.iteration) of \(training.task.settings.iterations).")
    }
    var display = TrainingDisplay()
    func report(bytes: Int?) -> Report {
      let settings: StyleTrainingSettings = training.task.settings
      return Report(
        model: output.path, isFinished: bytes != nil, bytes: bytes,
        iterations: training.iteration, algorithm: settings.algorithm.rawValue,
        recipe: "\(settings.recipe)", styles: training.task.styleNames,
        losses: training.losses.last.map { Report.Losses($0) },
        seconds: Date().timeIntervalSince(start))
    }
    try Interruption.stoppable {
      let isFinished: Bool = try training.run(shouldStop: { Interruption.wantsToStop }) {
        display.show($0)
      }
      display.end()
      guard isFinished else {
        Output.note(
          "Stopped after iteration \(training.iteration); --resume continues from there.")
        if asJSON { try Output.json(report(bytes: nil)) }
        return
      }
      for sentence in try training.lossAdvice() { Output.note(sentence) }
      let settings: StyleTrainingSettings = training.task.settings
      let description = StyleNetwork.Description(
        summary: "Paints pictures in the style of \(training.task.title).",
        additional: [
          "Algorithm": settings.algorithm.rawValue, "Style Strength": "\(settings.strength)",
          "Texel Density": "\(settings.texelDensity)", "Iterations": "\(settings.iterations)",
          "Recipe": "\(settings.recipe)",
        ])
      let names: [String] = training.task.styleNames
      let model =
        names.isEmpty
        ? try training.network.model(description: description)
        : try MultiStyleNetwork(training.network, names: names).model(description: description)
      try model.write(to: output)
      let size: Int = (try? output.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
      guard !asJSON else { return try Output.json(report(bytes: size)) }
      Output.report("\(output.path) (\(size.byteText))")
    }
  }

  private static func settings(_ arguments: ParsedArguments) throws -> StyleTrainingSettings {
    let names: [String] = StyleAlgorithm.allCases.map(\.rawValue)
    let algorithm: StyleAlgorithm =
      try arguments.choice("algorithm", of: names).flatMap { StyleAlgorithm(rawValue: $0) } ?? .cnn
    var settings = StyleTrainingSettings(algorithm: algorithm)
    let recipes: [String] = TrainingRecipe.Name.allCases.map(\.rawValue)
    if let name = try arguments.choice("recipe", of: recipes).flatMap({
      TrainingRecipe.Name(rawValue: $0)
    }) {
      settings.recipe = name.recipe
    }
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

  /// Reads the model of `--base`, and changes the settings to train a new style for that model.
  private static func base(
    _ arguments: ParsedArguments, _ settings: inout StyleTrainingSettings
  ) throws -> MultiStyleNetwork? {
    guard let path = arguments.value("base") else { return nil }
    guard arguments.operands.count == 1, !arguments.has("initial"), !arguments.has("algorithm")
    else {
      throw UsageError(
        "--base trains one painting with the model's network; leave out --initial, --algorithm and"
          + " further paintings.")
    }
    let model: Spec.Model = try ModelFile.open(existing(path, "Model")).model
    let base = try MultiStyleNetwork(reading: model, name: path)
    var recipe: TrainingRecipe = settings.recipe
    if !arguments.has("recipe") {
      // The convolutions of the model stay the same, so the new style needs the recipe with which they were trained.
      let name: String? = model.description?.metadata?.userDefined["Recipe"]
      recipe = name.flatMap { TrainingRecipe.Name(rawValue: $0) }?.recipe ?? recipe
    }
    settings = StyleTrainingSettings(
      algorithm: base.network.algorithm, iterations: settings.iterations,
      batchSize: arguments.has("batch") ? settings.batchSize : nil,
      pictureSide: settings.pictureSide, texelDensity: settings.texelDensity,
      strength: settings.strength, seed: settings.seed,
      learningRate: arguments.has("learning-rate") ? settings.learningRate : nil,
      recipe: recipe, trained: .norms)
    return base
  }

  private static func features() throws -> FeatureNetwork {
    guard FetchableModel.vgg16.isFetched() else {
      throw CommandError(
        "VGG-16, which computes the losses, is not fetched yet. Run `atelier fetch vgg16` first."
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
