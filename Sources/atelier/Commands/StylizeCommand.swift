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
          + " several styles: one of them, or\na mixture such as wave:0.6,scream:0.4."),
      .init(
        "model", letter: "m", value: "MODEL",
        help: "Or a style network, in any format that `atelier convert` reads."),
      .init("lite", help: "The style's small network, for speed."),
      .init(
        "output", letter: "o", value: "PATH",
        help: "The painting's file (.jpg, .png, .webp, .tiff, .heic, .avif, .gif),\n"
          + "a folder for several (default: the folder of each photo), or -."),
      .init(
        "size", value: "N|WxH",
        help: "The painting's longer side in pixels, or the box that it fills\n"
          + "with the photo's proportions (default: the photo's size)."),
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
                cat photo.jpg | atelier stylize - --style scream -o - --format png > painting.png
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let size = try PaintingSize(arguments)
    let files = try PictureOptions(arguments)
    let mode: CropAndScale? = try arguments.cropAndScale()
    guard mode == nil || size == nil else {
      throw UsageError("--crop-and-scale paints at the model's size; leave out --size.")
    }
    let inputs = try InputValue.split(arguments.values("input"))
    let options = try ModelOptions(arguments)
    let images = try StyleImages(arguments, options.configuration)
    let mixed: MixedStyle? = try arguments.value("model").flatMap {
      try (try? ModelLocation.resolve($0)).flatMap { try MixedStyle(arguments, model: $0) }
    }
    let (location, suffix) =
      try (images?.suffix ?? mixed?.suffix).map { (nil, $0) } ?? network(arguments)
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
      size: size, mode: mode, palette: palette, subject: subject)
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

  /// Opens a network and returns a painter. `inputs` are the values of the network's inputs other than the photo.
  private static func painter(
    _ location: URL, _ options: ModelOptions, _ inputs: [(name: String, text: String)]
  ) throws -> Painter {
    options.configuration.allowsAnyInputSize = true
    let model: MLModel = try OpenedModel.open(location, options)
    try MixedStyle.requireChoice(for: model, name: location.lastPathComponent, inputs: inputs)
    let others = model.modelDescription.inputDescriptionsByName.filter {
      $0.value.type != .image
    }
    return try Painter(
      model,
      inputs: try PredictCommand.features(
        inputs, others, .scaleFill, styles: inputs.isEmpty ? [:] : StyleIndex.all(in: location)
      ).dictionary,
      name: location.lastPathComponent)
  }

  /// Opens a network for paintings of 16 bits. Returns nil for an encrypted model, a pipeline, or a network with
  /// colours other than RGB, because their paintings have only 8 bits.
  private static func deepPainter(
    _ location: URL, _ options: ModelOptions, _ inputs: [(name: String, text: String)]
  ) throws -> Painter? {
    guard options.decryptionKey == nil,
      let model = (try? ModelReaders.read(location, options: options.reading))?.withArrayOutputs()
    else { return nil }
    let opened = try MLModel(graph: model, configuration: options.configuration)
    let others = opened.modelDescription.inputDescriptionsByName.filter {
      $0.value.type != .image
    }
    return try Painter(
      opened,
      inputs: try PredictCommand.features(
        inputs, others, .scaleFill, styles: inputs.isEmpty ? [:] : StyleIndex.all(in: location)
      ).dictionary,
      name: location.lastPathComponent)
  }
}
