import Arguments
import CoreML
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier upscale`: enlarges pictures with a network.
enum UpscaleCommand: Command {
  static let syntax = CommandSyntax(
    "upscale", summary: "Enlarges pictures with a network that keeps strokes sharp, for prints.",
    operands: [.init("PICTURE", .atLeastOne, help: "Picture files, and folders of them.")],
    options: [
      .init(
        "output", letter: "o", value: "PATH",
        help: "The enlarged picture (.jpg, .png, .webp, .tiff, .heic, .avif), a\n"
          + "folder for several (default: the folder of each picture), or -."),
      .init(
        "size", value: "N|WxH",
        help: "The longer side in pixels, or the box that the picture fills\n"
          + "(default: four times the picture's size)."),
      .init(
        "model", letter: "m", value: "MODEL",
        help: "The network that enlarges, in any format that `atelier convert`\n"
          + "reads (default: upscaler)."),
      .init("skip-existing", help: "Leaves out pictures whose enlarged pictures exist."),
      .init("json", help: "Prints a JSON array with an object for each picture."),
    ] + PictureOptions.declarations
      + ModelOptions.execution,
    notes: """
      The network is Real-ESRGAN's small one, which `atelier fetch upscaler` downloads once. It enlarges tile
      by tile, so memory depends on the result alone. Transparency, EXIF, XMP, IPTC, the resolution and the
      colour profile are preserved.

      Examples: atelier upscale painting.png -o print.png
                atelier upscale painting.jpg --size 6000 -o poster.jpg
                atelier stylize photo.jpg --style scream --size 1024 -o - | atelier upscale - -o print.jpg
      """, pipedFormat: "png")

  /// An enlarged picture, for JSON.
  private struct Report: Encodable {
    let picture: String
    let enlarged: String
    let width: Int
    let height: Int
    let seconds: Double
  }

  static func run(_ arguments: ParsedArguments) throws {
    let size = try PaintingSize(arguments)
    let files = try PictureOptions(arguments)
    let upscaler = try opened(arguments.value("model"), arguments)
    let list = try PhotoList(
      arguments.operands,
      PhotoList.Options(
        output: arguments.value("output"), suffix: "-upscaled", pathExtension: files.pathExtension,
        paintsAgain: true, skipsExisting: arguments.has("skip-existing")))
    for sentence in list.notes { Output.note(sentence) }
    for format in Set(try list.jobs.map { try PictureFormat(path: $0.painting) }) {
      try format.requireEncoder()
    }
    var reports: [Report] = []
    for job in list.jobs {
      let report: Report = try enlarge(job, upscaler, size, files)
      reports.append(report)
      guard !arguments.has("json") else { continue }
      Output.report(
        "\(job.photo) → \(job.painting) (\(report.width) × \(report.height)) in"
          + " \(report.seconds.durationText)")
    }
    if arguments.has("json") { try Output.json(reports) }
  }

  /// Opens the network of this name, or the fetched one.
  static func opened(_ model: String?, _ arguments: ParsedArguments) throws -> Upscaler {
    try Upscaler(
      contentsOf: ModelLocation.resolve(model ?? FetchableModel.upscaler.rawValue),
      options: ModelOptions(arguments).configuration.executionOptions())
  }

  private static func enlarge(
    _ job: PhotoList.Job, _ upscaler: Upscaler, _ size: PaintingSize?, _ files: PictureOptions
  ) throws -> Report {
    let format = try PictureFormat(path: job.painting)
    let picture: Picture = try SourcePhoto.still(job.photo)
    let side: Int =
      size?.longerSide(of: picture.size) ?? picture.size.longerSide * upscaler.factor
    var display = StepDisplay()
    let enlarged: Picture = try upscaler.enlarged(
      picture, to: picture.size.scaled(toLongerSide: side)
    ) { share in display.show(share: share, job.photo) }
    display.end()
    try files.write(
      enlarged.size, to: job.painting, as: format, metadataOf: job.photo, origin: nil
    ) { try enlarged.encoded(as: format, $0) }
    return Report(
      picture: job.photo, enlarged: job.painting, width: enlarged.width, height: enlarged.height,
      seconds: (display.elapsed * 1000).rounded() / 1000)
  }
}
