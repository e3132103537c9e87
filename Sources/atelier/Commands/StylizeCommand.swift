import Arguments
import Conversion
import CoreML
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier stylize`: paints photos with a style network.
enum StylizeCommand: Command {
  static let syntax = CommandSyntax(
    "stylize", summary: "Paints photos with a style network.",
    operands: [.init("PHOTO", .atLeastOne, help: "Picture files, and folders of them.")],
    options: [
      .init(
        "style", letter: "s", value: "NAME",
        help: "A style of the gallery (`atelier styles` lists them), or a picture\n"
          + "file of any painting, for which `atelier fetch arbitrary-style`\nis needed once. With a --model of"
          + " several styles: one of them by\nname or number, a mixture such as wave:0.6,scream:0.4,"
          + " or a\nlist with a weight for each style."),
      .init(
        "model", letter: "m", value: "MODEL",
        help: "Or a style network, in any format that `atelier convert` reads."),
      .init("lite", help: "The style's small network, for speed."),
      .init(
        "style-names", value: "FILE",
        help: "The names of the styles of a --model that does not name them,\none on each line."),
      .init(
        "output", letter: "o", value: "PATH",
        help: "The painting's file (.jpg, .png, .webp, .tiff, .heic, .avif, .gif),\n"
          + "a folder for several (default: the folder of each photo), or -."),
      .init(
        "size", value: "N|WxH",
        help: "The painting's longer side in pixels, or the box that it fills\n"
          + "with the photo's proportions (default: the photo's size)."),
      Enlargement.option,
      .init(
        "tile", value: "N",
        help: "Paints large photos in tiles of this side in pixels, such as 512,\n"
          + "without seams: less memory, but more time."),
      .init(
        "own-colors",
        help: "Leaves the colours of a gallery style as its network makes them,\n"
          + "instead of bringing them closer to the painting's."),
      .init("json", help: "Prints a JSON array with an object for each painting."),
    ] + StyleImages.options.grouped("Any painting as style")
      + [
        CommandSyntax.Option(
          "recursive", letter: "r",
          help: "Also paints photos in subfolders, into the same subfolders of -o."),
        .init("skip-existing", help: "Leaves out photos whose paintings exist."),
        .init(
          "again",
          help: "Also paints pictures that Atelier painted. Without it, they are\n"
            + "skipped if several pictures are given."),
        .init(
          "dry-run", letter: "n",
          help: "Prints which photos would be painted to which files, and paints\nnothing."),
      ].grouped("Folders")
      + [
        CommandSyntax.Option(
          "mask", value: "FILE",
          help: "A picture that is white where the photo is painted; the rest\nstays unchanged."),
        .init(
          "keep-mask", value: "FILE",
          help: "The opposite of --mask: white where the photo stays unchanged."),
        .init(
          "subject", value: "MODEL",
          help: "A model that finds what stays unchanged, such as people or\nsalient objects."),
        .init(
          "invert", help: "Paints what --mask or --subject would leave, and leaves the rest."),
        .init(
          "softness", value: "N",
          help: "The width of the mask's soft edges in pixels (default: a\n"
            + "hundredth of the longer side)."),
      ].grouped("A part of the photo") + PictureOptions.declarations
      + [
        CommandSyntax.Option(
          "input", letter: "i", value: "NAME=VALUE", repeats: true,
          help: "Another input of the network, such as the number or name of a\nstyle."),
        .init(
          "array-range", value: "RANGE",
          help: "The range of the numbers of a network that takes the photo as an\n"
            + "array: 0..1, -1..1 or 0..255 (default: found by one prediction)."),
        CropAndScale.option(
          "Paints at the size that the model declares, and fits the\nphoto to it."),
      ].grouped("For developers") + ModelOptions.declarations,
    notes: """
      A network for all sizes paints the photo at its size. For a network with one size, the photo is
      scaled to that size, and the painting is scaled back. Transparency, EXIF, XMP, IPTC, the resolution and
      the colour profile are preserved. Photos of 16 bits give PNG and TIFF of 16 bits. Animated GIF, WebP
      and PNG are painted picture by picture.

      --mask and --subject paint one part of the photo, for example the background of a person.

      Examples: atelier stylize photo.jpg --style great-wave
                atelier stylize photos/ --model StarryNight.mlmodel -o paintings/
                atelier stylize photo.jpg --style any-painting.jpg --strength 0.7
                atelier stylize photo.jpg --style starry-night --size 1536 --upscale 4
                cat photo.jpg | atelier stylize - --style scream -o - --format png > painting.png
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let size = try PaintingSize(arguments)
    let files = try PictureOptions(arguments)
    let mode: CropAndScale? = try arguments.cropAndScale()
    guard mode == nil || size == nil else {
      throw UsageError("--crop-and-scale paints at the model's size; leave out --size.")
    }
    for name in ["style-names", "array-range"]
    where arguments.has(name) && !arguments.has("model") {
      throw UsageError("--\(name) describes a network; name it with --model.")
    }
    let tiling: Painter.Tiling? = try arguments.integer(
      "tile", in: Painter.Tiling.smallestSide...65536
    ).map { Painter.Tiling(side: $0) }
    guard mode == nil || tiling == nil else {
      throw UsageError("--crop-and-scale paints at the model's size; leave out --tile.")
    }
    guard mode == nil || !arguments.has("upscale") else {
      throw UsageError("--crop-and-scale paints at the model's size; leave out --upscale.")
    }
    let options = try ModelOptions(arguments)
    let images = try StyleImages(arguments, options.configuration)
    let mixed: MixedStyle? =
      try arguments.value("model").flatMap {
        try (try? ModelLocation.resolve($0)).flatMap { try MixedStyle(arguments, model: $0) }
      } ?? (images == nil ? MixedStyle(gallery: arguments) : nil)
    let styled: ChosenStyle? =
      try mixed == nil
      ? arguments.value("model").flatMap { try ChosenStyle(arguments, model: $0) } : nil
    let (location, suffix) =
      try (images?.suffix ?? mixed?.suffix).map { (nil, $0) } ?? styled.map {
        ($0.model, $0.suffix)
      } ?? network(arguments)
    let inputs = NetworkInputs(
      others: try InputValue.split(arguments.values("input")), style: styled,
      arrayRange: try arguments.choice(
        "array-range", of: PictureRange.allCases.map(\.rawValue)
      ).flatMap { PictureRange(rawValue: $0) })
    let list = try PhotoList(
      arguments.operands,
      PhotoList.Options(
        output: arguments.value("output"), suffix: suffix, pathExtension: files.pathExtension,
        paintsAgain: arguments.has("again"), isRecursive: arguments.has("recursive"),
        skipsExisting: arguments.has("skip-existing"), isDry: arguments.has("dry-run")))
    for sentence in list.notes { Output.note(sentence) }
    guard !arguments.has("dry-run") else { return try show(list.jobs, arguments) }
    guard !list.jobs.isEmpty else { return try show([], arguments) }
    for format in Set(try list.jobs.map { try PictureFormat(path: $0.painting) }) {
      try format.requireEncoder()
    }
    options.configuration.expectedPredictions = list.jobs.count
    let only: Painter? =
      try mixed?.painter(options.configuration)
      ?? location.map { try painter($0, options, inputs) }
    let subject = try StylizedSubject(arguments, options)
    guard subject == nil || mode == nil else {
      throw UsageError(
        "--crop-and-scale crops the photo, so no mask fits it; leave out one of them.")
    }
    let palette: Palette? =
      arguments.has("style") && !arguments.has("own-colors")
      ? try location.flatMap { try Palette.ofStyle(withModel: $0) } : nil
    let painters = PhotoPainters(
      painter: { photo in
        guard let painter = try only ?? images?.painter(of: photo) else {
          preconditionFailure("either a network or a style image is given")
        }
        return painter
      }, makeDeepPainter: location.map { file in { try deepPainter(file, options, inputs) } },
      size: size, tiling: tiling, mode: mode, palette: palette, subject: subject,
      enlargement: try Enlargement(arguments))
    let pipeline = PhotoPipeline(
      painters: painters, files: files, origin: PictureOrigin(painter: String(suffix.dropFirst()))
    )
    let (reports, failures) = try pipeline.paint(list.jobs, isSilent: arguments.has("json"))
    if arguments.has("json") { try Output.json(reports) }
    if failures > 0 {
      throw CommandError("\(failures) of \(list.jobs.count) photos could not be painted.")
    }
  }

  /// A photo and the file to which it would be painted, for the JSON of `--dry-run`.
  private struct Plan: Encodable {
    let photo: String
    let painting: String
  }

  /// Prints which photos would be painted to which files.
  private static func show(_ jobs: [PhotoList.Job], _ arguments: ParsedArguments) throws {
    guard !arguments.has("json") else {
      return try Output.json(jobs.map { Plan(photo: $0.photo, painting: $0.painting) })
    }
    for job in jobs { Output.line("\(job.photo) → \(job.painting)") }
  }

  /// Returns the file of the network that the options name, and the suffix for the file names of paintings.
  private static func network(_ arguments: ParsedArguments) throws -> (URL?, suffix: String) {
    switch (arguments.value("model"), arguments.value("style")) {
    case (let model?, nil):
      guard !arguments.has("lite") else {
        throw UsageError("--lite chooses among a style's networks; name the --style.")
      }
      let location: URL = try ModelLocation.resolve(model)
      return (location, "-" + location.deletingPathExtension().lastPathComponent)
    case (nil, let style?):
      let entry: StyleGallery.Entry = try StyleGallery.entry(
        style, in: StyleGallery.installedFolder())
      let isLite: Bool = arguments.has("lite")
      return (
        try entry.model(lite: isLite), "-" + entry.description.name + (isLite ? "-lite" : "")
      )
    case (nil, nil):
      throw UsageError("--style NAME, --model MODEL or --style-image PAINTING is missing.")
    default:
      throw UsageError(
        "--style and --model name two networks, because the model has one style; give one of them.")
    }
  }

  /// The inputs of a network other than the photo, as the command line gives them.
  private struct NetworkInputs {
    let others: [(name: String, text: String)]
    let style: ChosenStyle?
    let arrayRange: PictureRange?

    /// Returns a painter with these inputs.
    func painter(_ model: MLModel, at location: URL) throws -> Painter {
      let chosen: [String: MLFeatureValue] = try style?.value(for: model) ?? [:]
      let given: Set<String> = Set(others.map(\.name)).union(chosen.keys)
      let all = model.modelDescription.inputDescriptionsByName
      // Without a picture among the inputs, an array takes the photo.
      let arraysHavePhoto: Bool = all.values.allSatisfy { $0.type != .image }
      let needed = all.filter { name, input in
        guard input.type != .image, chosen[name] == nil else { return false }
        return !(arraysHavePhoto && input.type == .multiArray) || given.contains(name)
      }
      let values = try PredictCommand.features(
        others, needed, .scaleFill, styles: others.isEmpty ? [:] : StyleIndex.all(in: location)
      ).dictionary
      let painter = try Painter(
        model, inputs: values.merging(chosen) { $1 }, arrayRange: arrayRange,
        name: location.lastPathComponent)
      guard arrayRange == nil || painter.takesArray else {
        throw UsageError(
          "--array-range is for a network that takes the photo as an array;"
            + " '\(location.lastPathComponent)' takes a picture. Leave it out.")
      }
      return painter
    }
  }

  /// Opens a network and returns a painter.
  private static func painter(
    _ location: URL, _ options: ModelOptions, _ inputs: NetworkInputs
  ) throws -> Painter {
    options.configuration.allowsAnyInputSize = true
    let model: MLModel = try OpenedModel.open(location, options)
    if inputs.style == nil {
      try MixedStyle.requireChoice(
        for: model, name: location.lastPathComponent, inputs: inputs.others)
      try ChosenStyle.requireChoice(at: location, given: inputs.others.map(\.name))
    }
    return try inputs.painter(model, at: location)
  }

  /// Opens a network for paintings of 16 bits. Returns nil for an encrypted model, a pipeline, a network that takes
  /// arrays, or a network with colours other than RGB, because their paintings have only 8 bits.
  private static func deepPainter(
    _ location: URL, _ options: ModelOptions, _ inputs: NetworkInputs
  ) throws -> Painter? {
    guard options.decryptionKey == nil,
      let model = (try? ModelReaders.read(location, options: options.reading))?.withArrayOutputs(),
      !model.graph.imageInputs.isEmpty
    else { return nil }
    return try inputs.painter(
      MLModel(graph: model, configuration: options.configuration), at: location)
  }
}
