import Arguments
import CoreML
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier stylize`: photos in, paintings out.
enum StylizeCommand: Command {
  static let syntax = CommandSyntax(
    "stylize", summary: "Paints photos with a style network.",
    operands: [.init("PHOTO", .atLeastOne, help: "Picture files, and folders of them.")],
    options: [
      .init(
        "model", letter: "m", value: "MODEL",
        help: "The style network, of any format that `atelier convert` reads."),
      .init(
        "style", letter: "s", value: "NAME",
        help: "Or a style of the gallery, which `atelier styles` lists."),
      .init("lite", help: "The style's small network, for speed."),
    ] + StyleImages.options + [
      .init(
        "output", letter: "o", value: "PATH",
        help: "The painting's file (.jpg, .png, .webp, .tiff), or a folder for\n"
          + "several; beside each photo unless told otherwise."),
      .init(
        "size", value: "N",
        help: "The painting's longer side in pixels; the photo's own unless\ntold otherwise."),
      CropAndScale.option("Paints at the size that the model declares, and fits the\nphoto to it."),
      .init(
        "input", letter: "i", value: "NAME=VALUE", repeats: true,
        help: "Another input of the network, such as the number of a style."),
      .init(
        "mask", value: "FILE",
        help: "A picture, white where the photo stays as it is; the rest is\npainted."),
      .init(
        "subject", value: "MODEL",
        help: "Or a model that gives such a mask: of people, or of what stands\nout."),
      .init("invert", help: "Paints what the mask or the model would keep, and keeps the rest."),
      .init(
        "softness", value: "N",
        help: "How far the mask's edges reach, in pixels; a hundredth of the\n"
          + "longer side unless told otherwise."),
      .init(
        "again",
        help: "Also paints pictures that Atelier painted; among several pictures\n"
          + "they are left out unless told otherwise."),
      .init("quality", value: "N", help: "Of JPEG and WebP, 1 to 100; 90 unless told otherwise."),
    ] + ModelOptions.declarations,
    notes: """
      A network that paints every size paints the photo at its own. One that knows a single size
      paints the photo squeezed into it, and the painting is stretched back. Alpha is kept.

      With --mask or --subject a person stays and the background is painted.

      Examples: atelier stylize photo.jpg --style great-wave
                atelier stylize photos/ --model StarryNight.mlmodel -o paintings/
                atelier stylize photo.jpg --style-image any-painting.jpg --strength 0.7
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let size: Int? = try arguments.integer("size", in: 1...65536)
    let quality: Int = try arguments.integer("quality", in: 1...100) ?? Picture.defaultQuality
    let mode: CropAndScale? = try arguments.cropAndScale()
    guard mode == nil || size == nil else {
      throw UsageError("--crop-and-scale paints at the model's size, so --size cannot be given.")
    }
    let inputs = try InputValue.split(arguments.values("input"))
    let options = try ModelOptions(arguments)
    let images = try StyleImages(arguments, options.configuration)
    let (location, suffix) =
      try images.map { (nil, $0.suffix) } ?? network(arguments)
    let list = try PhotoList(
      arguments.operands, output: arguments.value("output"), suffix: suffix,
      paintsAgain: arguments.has("again"))
    if let first = list.paintings.first {
      Output.errorLine(
        "\(list.paintings.count == 1 ? "1 picture is" : "\(list.paintings.count) pictures are") left"
          + " out, as Atelier painted \(list.paintings.count == 1 ? "it" : "them") ('\(first)'"
          + "\(list.paintings.count == 1 ? "" : ", …")); --again paints them too.")
    }
    options.configuration.expectedPredictions = list.jobs.count
    let origin = PictureOrigin(painter: String(suffix.dropFirst()))
    let only: Painter? = try location.map { try painter($0, options, inputs) }
    let subject = try StylizedSubject(arguments, options)
    guard subject == nil || mode == nil else {
      throw UsageError(
        "--crop-and-scale crops the photo, so no mask fits it; leave one of them out.")
    }
    let fitting: Painter.Fitting = mode.map { .declared($0) } ?? .wholePhoto(longerSide: size)

    let pipeline = PhotoPipeline(
      painter: { photo in
        guard let painter = try only ?? images?.painter(of: photo) else {
          preconditionFailure("there is a network or a painting to take the style from")
        }
        return painter
      }, fitting: fitting, subject: subject, quality: quality, origin: origin)
    let failures: Int = try pipeline.paint(list.jobs)
    if failures > 0 {
      throw CommandError("\(failures) of \(list.jobs.count) photos could not be painted.")
    }
  }

  /// The network's file, and what a painting's name adds to the photo's.
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
      return (try entry.model(lite: arguments.has("lite")), "-" + entry.card.name)
    case (nil, nil):
      throw UsageError("--style NAME, --model MODEL or --style-image PAINTING is missing.")
    default: throw UsageError("--style and --model name two networks; give one of them.")
    }
  }

  /// A painter with the model, and its other inputs.
  private static func painter(
    _ location: URL, _ options: ModelOptions, _ inputs: [(name: String, text: String)]
  ) throws -> Painter {
    options.configuration.allowsAnyInputSize = true
    let model: MLModel = try OpenedModel.open(location, options)
    let others = model.modelDescription.inputDescriptionsByName.filter {
      $0.value.type != .image
    }
    return try Painter(
      model, inputs: try PredictCommand.features(inputs, others, .scaleFill).dictionary,
      name: location.lastPathComponent)
  }
}
