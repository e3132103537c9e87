import Arguments
import CoreML
import Engine
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier paint`: a photo in the style of paintings, by optimisation.
enum PaintCommand: Command {
  static let syntax = CommandSyntax(
    "paint",
    summary: "Paints a photo in the style of any painting, by optimisation: slow and good.",
    operands: [.init("PHOTO", help: "A picture file.")],
    options: [
      .init(
        "style", letter: "s", value: "PAINTING", repeats: true,
        help: "A picture file of a painting; several are mixed."),
      .init(
        "content-only",
        help: "Needs no painting: puts the photo together again from what the\n"
          + "network's layers keep of it, beginning with noise."),
      .init(
        "layer", value: "LAYER", repeats: true,
        help: "A layer for --content-only; relu3_3 unless told otherwise."),
      .init(
        "style-only",
        help: "Shows nothing of the photo: a texture of the painting, beginning\nwith noise."),
      .init(
        "style-weight", value: "W", repeats: true,
        help: "How much each painting counts, in their order; 1 each unless\ntold otherwise."),
      .init(
        "mask", value: "MASK", repeats: true,
        help: "A picture, white where the painting's style goes, in their order;\n"
          + "paintings without one fill the rest."),
      .init(
        "output", letter: "o", value: "FILE", isRequired: true,
        help: "The painting's file (.jpg, .png, .webp, .tiff)."),
      .init(
        "size", value: "N",
        help: "The painting's longer side in pixels; \(PaintingSettings.defaultSize) unless told"
          + " otherwise."),
      .init(
        "iterations", value: "N",
        help: "Steps, over all scales; \(PaintingSettings.defaultIterations) unless told otherwise."
      ),
      .init("strength", value: "N", help: "Of the style, 1 to 10; 5 unless told otherwise."),
      .init(
        "save-every", value: "N",
        help: "Saves the picture after so many steps, as FILE-0050 and so on."),
      .init(
        "init", value: "START",
        help: "Starts with the photo (the default), noise, or the style."),
      .init("seed", value: "N", help: "What the noise begins with; 0 unless told otherwise."),
      .init("optimizer", value: "NAME", help: "lbfgs (the default) or adam."),
      .init(
        "keep-colors", value: "HOW",
        help: "The photo's colours: luminance (only light and dark are painted)\n"
          + "or match (the style takes on the photo's colours first)."),
      .init(
        "network", value: "MODEL",
        help: "What features are measured with; vgg16 unless told otherwise."),
      ModelOptions.computeUnits, ModelOptions.threads, ModelOptions.noTuning,
    ],
    notes: """
      Features come from VGG-16, which `atelier fetch vgg16` downloads once. Interrupt (Ctrl-C) to end
      early: the picture so far is kept.

      Example: atelier paint photo.jpg --style vangogh.jpg --size 768 -o painting.jpg
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let output: String = arguments.value("output") ?? ""
    let format = try PictureFormat(path: output)
    let settings: PaintingSettings = try settings(arguments)
    let interval: Int? = try arguments.integer("save-every", in: 1...Int.max)
    let styles: [PaintingStyle] = try styles(arguments)
    guard !styles.isEmpty || arguments.has("content-only") else {
      throw UsageError("--style PAINTING is missing.")
    }
    let photo = try Picture(contentsOfFile: arguments.operands[0])
    let location: URL = try ModelLocation.resolve(arguments.value("network") ?? "vgg16")
    let painter = try PicturePainter(
      photo, styles: styles, settings: settings,
      network: try FeatureNetwork(contentsOf: location))
    try announce(painter)

    // An interruption ends the steps, not the work: the picture so far is saved.
    try Interruption.stoppable {
      try paint(painter, photo: arguments.operands[0], interval: interval) { picture, step in
        let path: String = step.map { name(output, step: $0) } ?? output
        let data: Data = try picture.encoded(as: format, origin: PictureOrigin(painter: "paint"))
        try Interruption.protected { try Picture.writeAtomically(data, toFile: path) }
        return path
      }
    }
  }

  /// Paints, saving what is asked for on the way and the painting at last.
  private static func paint(
    _ painter: PicturePainter, photo: String, interval: Int?,
    save: (Picture, _ step: Int?) throws -> String
  ) throws {
    var display = StepDisplay()
    var last: PaintingProgress?
    let painting: Picture = try painter.paint { progress, snapshot in
      last = progress
      display.show(
        share: progress.share,
        "step \(progress.iteration) of \(progress.iterations) at \(progress.width) ×"
          + " \(progress.height), loss \(progress.loss.text(decimals: 4))")
      if let interval, progress.iteration % interval == 0 {
        _ = try save(try snapshot(), progress.iteration)
      }
      return !Interruption.wantsToStop
    }
    display.end()
    let path: String = try save(painting, nil)
    let ended: String = Interruption.wantsToStop ? " (ended early)" : ""
    Output.line(
      "\(photo) → \(path) (\(painting.width) × \(painting.height)) in"
        + " \(display.elapsed.durationText), \(last?.iteration ?? 0) steps\(ended), loss"
        + " \((last?.loss ?? 0).text(decimals: 4))")
  }

  /// Says what memory it takes, and refuses what does not fit.
  private static func announce(_ painter: PicturePainter) throws {
    let needed: Int = try painter.estimatedBytes()
    let free: Int = MemoryBudget.available()
    guard needed <= free else {
      let factor: Double = MemoryEstimate.factor(toFit: needed, in: free)
      throw CommandError(
        "A painting of \(painter.size) takes about \(needed.byteText) of memory, and"
          + " \(free.byteText) is free; --size \(Int(Double(painter.size.longerSide) * factor)) would"
          + " fit.")
    }
    Output.errorLine(
      "\(painter.size) pixels, about \(needed.byteText) of memory of \(free.byteText) free.")
  }

  /// `painting.jpg` after 50 steps: `painting-0050.jpg`.
  private static func name(_ output: String, step: Int) -> String {
    let file = output as NSString
    let digits = String(step)
    let padded: String = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return "\(file.deletingPathExtension)-\(padded).\(file.pathExtension)"
  }

  private static func settings(_ arguments: ParsedArguments) throws -> PaintingSettings {
    var settings = PaintingSettings()
    settings.size = try arguments.integer("size", in: 16...65536) ?? settings.size
    settings.iterations =
      try arguments.integer("iterations", in: 1...1_000_000) ?? settings.iterations
    settings.seed = UInt64(try arguments.integer("seed", in: 0...Int.max) ?? 0)
    if let strength = try arguments.integer("strength", in: 1...10) {
      settings.setStrength(Double(strength))
    }
    settings.method = try choice(arguments, "optimizer") ?? settings.method
    try chooseLosses(arguments, &settings)
    settings.start = try choice(arguments, "init") ?? settings.start
    settings.colors = try choice(arguments, "keep-colors")
    settings.execution = try ModelOptions(arguments).configuration.executionOptions()
    return settings
  }

  private static func chooseLosses(
    _ arguments: ParsedArguments, _ settings: inout PaintingSettings
  ) throws {
    let hasContentAlone: Bool = arguments.has("content-only")
    guard hasContentAlone || !arguments.has("layer") else {
      throw UsageError("--layer says what --content-only looks at; give both.")
    }
    guard !hasContentAlone || !arguments.has("style-only") else {
      throw UsageError("--content-only and --style-only leave nothing to paint; give one of them.")
    }
    guard !hasContentAlone || !arguments.has("style") else {
      throw UsageError("--content-only takes no --style.")
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
        throw UsageError("--style-weight is '\(text)', expected a number from 0 on.")
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
        try Picture(contentsOfFile: path), weight: index < weights.count ? weights[index] : 1,
        mask: index < masks.count ? StyleMask(try Picture(contentsOfFile: masks[index])) : nil)
    }
  }
}
