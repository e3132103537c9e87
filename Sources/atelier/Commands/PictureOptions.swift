import Arguments
import Foundation
import Imaging
import PhotoMetadata
import StyleTransfer

/// The options that say how a painting's file is written.
struct PictureOptions {
  /// The declarations of these options.
  static let declarations: [CommandSyntax.Option] = [
    format,
    .init(
      "quality", value: "N",
      help: "The quality of JPEG, WebP, HEIC and AVIF, 1 to 100 (default: 90)."),
    .init(
      "chroma", value: "SAMPLING", choices: ["444", "420"],
      help: "JPEG: the resolution of colours, 444 (full) or 420 (half; default\nbelow quality 90)."),
    .init("progressive", help: "JPEG: progressive; PNG: interlaced."),
    .init(
      "compression", value: "NAME", choices: PictureEncoding.Compression.allCases.map(\.rawValue),
      help: "TIFF: deflate (default), lzw or none."),
    .init(
      "strip-location",
      help: "Leaves out where the photo was taken (GPS and place names). Notes\n"
        + "of camera makers are not searched."),
    .init(
      "strip-metadata",
      help: "Leaves out EXIF, XMP, IPTC, the resolution and the colour profile;\n"
        + "colours are then sRGB. The name of the style stays."),
  ].grouped("The file of the painting")

  /// The option `--format`: the format of results without a given file name, such as those on standard output.
  static let format = CommandSyntax.Option(
    "format", value: "FORMAT", choices: PictureFormat.allCases.map(\.rawValue),
    help: "The format if no file name states it: jpeg, png, webp, tiff, heic,\navif or gif.")

  /// The settings for the encoder.
  let encoding: PictureEncoding
  /// The metadata of the photo to leave out.
  let stripping: PhotoMetadata.Stripping
  /// The extension of paintings that `--format` chooses. Nil for the photo's.
  let pathExtension: String?

  /// Reads the options.
  init(_ arguments: ParsedArguments) throws {
    var encoding = PictureEncoding(
      quality: try arguments.integer("quality", in: 1...100) ?? Picture.defaultQuality)
    encoding.chroma = try arguments.choice("chroma", of: ["444", "420"])
      .map { $0 == "420" ? .half : .full }
    encoding.isProgressive = arguments.has("progressive")
    let names: [String] = PictureEncoding.Compression.allCases.map(\.rawValue)
    encoding.compression =
      try arguments.choice("compression", of: names)
      .flatMap { PictureEncoding.Compression(rawValue: $0) } ?? .deflate
    self.encoding = encoding
    stripping =
      arguments.has("strip-metadata")
      ? .everything : arguments.has("strip-location") ? .location : .nothing
    pathExtension = try Self.pathExtension(arguments)
  }

  /// Writes a picture with the metadata of a photo, so that its file appears complete or not at all.
  ///
  /// - Parameters:
  ///   - size: The size of the picture.
  ///   - photo: The path of the photo.
  ///   - origin: The entry that names the painter. Nil to add none.
  ///   - encode: Encodes the pixels with settings.
  func write(
    _ size: PictureSize, to path: String, as format: PictureFormat, metadataOf photo: String,
    origin: PictureOrigin?, encode: (PictureEncoding) throws -> Data
  ) throws {
    let metadata = try PhotoMetadata(contentsOfFile: photo, stripping: stripping)
    let data: Data = try metadata.encoded(
      size, as: format, encoding, origin: origin, encode: encode)
    try Interruption.protected { try Picture.writeAtomically(data, toFile: path) }
  }

  /// The extension of files in the format that `--format` names. Nil if it is not given.
  static func pathExtension(_ arguments: ParsedArguments) throws -> String? {
    guard let name = arguments.value("format") else { return nil }
    guard let format = PictureFormat(fileExtension: name) else {
      throw UsageError(
        "--format is '\(name)', expected jpeg, png, webp, tiff, heic, avif or gif.")
    }
    return format == .jpeg ? "jpg" : format.rawValue
  }
}

/// The size of a painting that `--size` states.
enum PaintingSize {
  /// The longer side in pixels.
  case longerSide(Int)
  /// The largest size inside a box, with the proportions of the photo.
  case box(PictureSize)

  /// Reads `--size`: `800`, or `800x600`. Returns nil if it is not given.
  init?(_ arguments: ParsedArguments) throws {
    guard let size = try arguments.pictureSize("size") else { return nil }
    let isBox: Bool = arguments.value("size")?.lowercased().contains("x") == true
    self = isBox ? .box(size) : .longerSide(size.width)
  }

  /// The longer side of a painting of a photo.
  func longerSide(of photo: PictureSize) -> Int {
    switch self {
    case .longerSide(let side): return side
    case .box(let box):
      let scale: Double = min(
        Double(box.width) / Double(photo.width), Double(box.height) / Double(photo.height))
      return max(1, Int((Double(photo.longerSide) * scale + 1e-6).rounded(.down)))
    }
  }
}
