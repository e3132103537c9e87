import Arguments
import CoreML
import Engine
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier paint`: paints a photo in the style of paintings, by optimisation.
enum PaintCommand: Command {
  static let syntax = CommandSyntax(
    "paint",
    summary: "Paints a photo in the style of any painting, by optimisation: slow and good.",
    operands: [.init("PHOTO", help: "A picture file.")],
    options: [
      .init(
        "style", letter: "s", value: "PAINTING", repeats: true,
        help: "A picture file of a painting, or a style of the gallery; several\nare mixed."),
      .init(
        "method", value: "NAME", choices: [PaintingMethod.neighbors, .gram].map(\.rawValue),
        help: "neighbors (default: every stroke is taken from the painting) or\n"
          + "gram (invents forms as large as the painting's)."),
      .init(
        "preset", value: "NAME", choices: ["draft", "good", "best"],
        help: "draft, good (default) or best: the number of steps."),
      .init(
        "content-only",
        help: "Needs no painting: reconstructs the photo from its features in\n"
          + "the network's layers, starting from noise."),
      .init(
        "layer", value: "LAYER", repeats: true,
        help: "A layer for --content-only (default: relu3_3)."),
      .init(
        "style-only",
        help: "Ignores the photo's content: paints a texture of the painting,\n"
          + "starting from noise (--method gram)."),
      .init(
        "style-weight", value: "W", repeats: true,
        help: "The weight of each painting, in their order (default: 1)."),
      .init(
        "mask", value: "MASK", repeats: true,
        help: "A picture for each painting, in their order: white where its\n"
          + "style is painted. Paintings without a mask fill the rest."),
      .init(
        "output", letter: "o", value: "FILE", isRequired: true,
        help: "The painting's file (.jpg, .png, .webp, .tiff, .heic, .avif), or -."),
      .init(
        "size", value: "N|WxH",
        help: "The painting's longer side in pixels, or the box that it fills\n"
          + "(default: \(PaintingSettings.defaultSize))."),
      Enlargement.option,
      .init(
        "iterations", value: "N",
        help: "The number of steps over all scales (default: the preset's)."),
      .init(
        "strength", value: "S",
        help: "The strength of the style: 0 (the photo) to 1.5 (default: 1)."),
      .init(
        "preview", value: "SECONDS",
        help: "Saves the picture so far every few seconds, as FILE-growing\n"
          + "(default: 5; 0 for never)."),
      .init(
        "save-every", value: "N",
        help: "Saves the picture every N steps, as FILE-0050 and so on."),
      .init(
        "init", value: "START", choices: ["photo", "noise", "style"],
        help: "The start of --method gram: photo (default), noise or style."),
      .init(
        "seed", value: "N", help: "The seed of everything that is drawn at random (default: 0)."),
      .init(
        "keep-colors", value: "HOW", choices: ["luminance", "match"],
        help: "Keeps the photo's colours: luminance (paints only light and\n"
          + "dark) or match (recolours the style to the photo's colours)."),
      .init(
        "own-colors",
        help: "Leaves the colours as the optimisation made them. Otherwise they\n"
          + "are brought closer to the painting's."),
      .init(
        "network", value: "MODEL",
        help: "The network that computes features (default: vgg16)."),
      .init("json", help: "Prints JSON."),
    ] + PictureOptions.declarations
      + ModelOptions.execution,
    notes: """
      Features come from VGG-16, which `atelier fetch vgg16` downloads once. While the program paints, the
      picture so far is in FILE-growing, which is removed at the end. Ctrl-C ends early and saves the picture
      so far.

      Example: atelier paint photo.jpg --style vangogh.jpg --size 768 -o painting.jpg
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let output: String = arguments.value("output") ?? ""
    let format = try PictureFormat(path: output)
    try format.requireEncoder()
    var settings: PaintingSettings = try settings(arguments)
    let saving = Saving(
      output: output, format: format, files: try PictureOptions(arguments),
      isJSON: arguments.has("json"),
      interval: try arguments.integer("save-every", in: 1...Int.max),
      previewInterval: .seconds(try arguments.integer("preview", in: 0...86_400) ?? 5))
    let styles: [PaintingStyle] = try styles(arguments)
    guard !styles.isEmpty || arguments.has("content-only") else {
      throw UsageError("--style PAINTING is missing.")
    }
    let photo: Picture = try SourcePhoto.still(arguments.operands[0])
    if let size = try PaintingSize(arguments) {
      settings.size = max(16, size.longerSide(of: photo.size))
    }
    let enlargement = try Enlargement(arguments)
    let side: Int = settings.size ?? photo.size.longerSide
    if let enlargement { settings.size = enlargement.paintedSide(of: side) }
    let location: URL = try ModelLocation.resolve(arguments.value("network") ?? "vgg16")
    let painter = try PicturePainter(
      photo, styles: styles, settings: settings,
      network: try FeatureNetwork(contentsOf: location))
    try announce(painter)

    // If the user interrupts the program, painting ends after the current step, and the program saves the picture
    // after this step.
    try Interruption.stoppable {
      try paint(
        painter, photo: arguments.operands[0],
        enlargement.map { ($0.upscaler, photo.size.scaled(toLongerSide: side)) }, saving)
    }
  }

  /// The painting for JSON.
  private struct Report: Encodable {
    let photo: String
    let painting: String
    let width: Int
    let height: Int
    let steps: Int
    let loss: Double
    let seconds: Double
  }

  /// Where and how often pictures are saved.
  private struct Saving {
    /// The path of the finished painting.
    let output: String
    let format: PictureFormat
    let files: PictureOptions
    let isJSON: Bool
    /// The number of steps between two pictures that are kept. Nil for none.
    let interval: Int?
    /// The time between two versions of the preview, which shows the unfinished painting. 0 for no preview.
    let previewInterval: Duration

    /// The path of the preview: `painting-growing.jpg` for `painting.jpg`.
    var preview: String { named("growing") }

    /// The path of the picture after a step: `painting-0050.jpg` for `painting.jpg` and step 50.
    func path(ofStep step: Int) -> String {
      let digits = String(step)
      return named(String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
    }

    private func named(_ suffix: String) -> String {
      let file = output as NSString
      return "\(file.deletingPathExtension)-\(suffix).\(file.pathExtension)"
    }

    /// Writes the finished painting with the metadata of its photo.
    func finish(_ picture: Picture, of photo: String) throws {
      try files.write(
        picture.size, to: output, as: format, metadataOf: photo,
        origin: PictureOrigin(painter: "paint")
      ) { try picture.encoded(as: format, $0) }
    }

    /// Writes a picture, so that its file appears complete or not at all.
    func write(_ picture: Picture, to path: String) throws {
      var encoding: PictureEncoding = files.encoding
      encoding.xmp = PictureOrigin(painter: "paint").xmp
      let data: Data = try picture.encoded(as: format, encoding)
      try Interruption.protected { try Picture.writeAtomically(data, toFile: path) }
    }
  }

  /// Paints, saves pictures on the way, and saves the painting at the end.
  private static func paint(
    _ painter: PicturePainter, photo: String, _ enlargement: (by: Upscaler, to: PictureSize)?,
    _ saving: Saving
  ) throws {
    var display = StepDisplay()
    var last: PaintingProgress?
    let clock = ContinuousClock()
    var previewed: ContinuousClock.Instant = clock.now
    var hasPreview = false
    defer { if hasPreview { try? FileManager.default.removeItem(atPath: saving.preview) } }
    var painting: Picture = try painter.paint { progress, snapshot in
      last = progress
      display.show(
        share: progress.share,
        "step \(progress.iteration) of \(progress.iterations) at \(progress.width) ×"
          + " \(progress.height), loss \(progress.loss.text(decimals: 4))")
      if let interval = saving.interval, progress.iteration % interval == 0 {
        try saving.write(try snapshot(), to: saving.path(ofStep: progress.iteration))
      }
      if saving.previewInterval > .zero, clock.now - previewed >= saving.previewInterval {
        try saving.write(try snapshot(), to: saving.preview)
        hasPreview = true
        previewed = clock.now
      }
      return !Interruption.wantsToStop
    }
    if let enlargement {
      painting = try enlargement.by.enlarged(painting, to: enlargement.to) {
        display.show(share: $0, "enlarging to \(enlargement.to)")
      }
    }
    display.end()
    try saving.finish(painting, of: photo)
    guard !saving.isJSON else {
      return try Output.json(
        Report(
          photo: photo, painting: saving.output, width: painting.width, height: painting.height,
          steps: last?.iteration ?? 0, loss: last?.loss ?? 0,
          seconds: (display.elapsed * 1000).rounded() / 1000))
    }
    let ended: String = Interruption.wantsToStop ? " (ended early)" : ""
    Output.report(
      "\(photo) → \(saving.output) (\(painting.width) × \(painting.height)) in"
        + " \(display.elapsed.durationText), \(last?.iteration ?? 0) steps\(ended), loss"
        + " \((last?.loss ?? 0).text(decimals: 4))")
  }

  /// Prints the memory that painting needs. Throws if less memory is free.
  private static func announce(_ painter: PicturePainter) throws {
    let needed: Int = try painter.estimatedBytes()
    let free: Int = MemoryBudget.available()
    guard needed <= free else {
      let factor: Double = MemoryEstimate.factor(toFit: needed, in: free)
      throw CommandError(
        "A painting of \(painter.size) needs about \(needed.byteText) of memory, but only"
          + " \(free.byteText) is free; --size \(Int(Double(painter.size.longerSide) * factor))"
          + " would fit.")
    }
    Output.note(
      "\(painter.size) pixels, about \(needed.byteText) of memory of \(free.byteText) free.")
  }

  private static func settings(_ arguments: ParsedArguments) throws -> PaintingSettings {
    var settings = PaintingSettings()
    settings.iterations = try arguments.integer("iterations", in: 1...1_000_000)
    settings.seed = UInt64(try arguments.integer("seed", in: 0...Int.max) ?? 0)
    settings.strength = try strength(arguments)
    let methods: [PaintingMethod] = [.neighbors, .gram]
    settings.method =
      try arguments.choice("method", of: methods.map(\.rawValue))
      .flatMap { PaintingMethod(rawValue: $0) } ?? settings.method
    settings.preset = try choice(arguments, "preset") ?? settings.preset
    try chooseLosses(arguments, &settings)
    if arguments.has("init") {
      guard settings.method == .gram else {
        throw UsageError("--init is for --method gram; give both.")
      }
      settings.start = try choice(arguments, "init") ?? settings.start
    }
    settings.colors = try choice(arguments, "keep-colors")
    settings.matchesColors = !arguments.has("own-colors")
    settings.execution = try ModelOptions(arguments).configuration.executionOptions()
    return settings
  }

  private static func strength(_ arguments: ParsedArguments) throws -> Double {
    guard let text = arguments.value("strength") else { return 1 }
    guard let strength = Double(text), PaintingSettings.strengths.contains(strength) else {
      throw UsageError("--strength is '\(text)', expected a number from 0 to 1.5.")
    }
    return strength
  }

  private static func chooseLosses(
    _ arguments: ParsedArguments, _ settings: inout PaintingSettings
  ) throws {
    let hasContentAlone: Bool = arguments.has("content-only")
    guard hasContentAlone || !arguments.has("layer") else {
      throw UsageError("--layer needs --content-only; give both.")
    }
    guard !hasContentAlone || !arguments.has("style-only") else {
      throw UsageError("--content-only and --style-only leave nothing to paint; give one of them.")
    }
    guard !hasContentAlone || !arguments.has("style") else {
      throw UsageError("--content-only takes no --style.")
    }
    guard
      arguments.value("method") != PaintingMethod.neighbors.rawValue
        || !arguments.has("style-only")
    else {
      throw UsageError("--style-only needs --method gram.")
    }
    if hasContentAlone { settings.showOnlyContent(of: arguments.values("layer")) }
    if arguments.has("style-only") { settings.takeOnlyStyle() }
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ arguments: ParsedArguments, _ name: String
  ) throws -> Value? {
    try arguments.choice(name, of: Value.allCases.map(\.rawValue)).flatMap { Value(rawValue: $0) }
  }

  private static func styles(_ arguments: ParsedArguments) throws -> [PaintingStyle] {
    let paintings: [String] = arguments.values("style")
    let weights: [Double] = try arguments.values("style-weight").map { text in
      guard let weight = Double(text), weight >= 0, weight.isFinite else {
        throw UsageError("--style-weight is '\(text)', expected a number of 0 or more.")
      }
      return weight
    }
    let masks: [String] = arguments.values("mask")
    for (name, count) in [("style-weight", weights.count), ("mask", masks.count)]
    where count > paintings.count {
      throw UsageError("--\(name) is given \(count) times for \(paintings.count) paintings.")
    }
    return try paintings.enumerated().map { index, path in
      PaintingStyle(
        try painting(path), weight: index < weights.count ? weights[index] : 1,
        mask: index < masks.count ? StyleMask(try Picture(contentsOfFile: masks[index])) : nil)
    }
  }

  /// Reads the picture file of a painting. If there is no such file, returns the painting of the gallery's style with
  /// this name.
  private static func painting(_ name: String) throws -> Picture {
    if !FileManager.default.fileExists(atPath: name), !name.contains("/"), !name.contains("."),
      let folder = try? StyleGallery.installedFolder()
    {
      return try Picture(contentsOf: StyleGallery.entry(name, in: folder).painting)
    }
    return try Picture(contentsOfFile: name)
  }
}
