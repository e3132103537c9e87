import Arguments
import CoreML
import Foundation
import Imaging
import StyleTransfer
import Vision

/// The part of a photo that `atelier stylize` leaves unchanged. Either a mask states this part, or a model finds the
/// subject of each photo, or Vision finds the persons.
///
/// `@unchecked Sendable`: it does not change, and predictions of one model may run on any thread.
struct StylizedSubject: @unchecked Sendable {
  private enum Source {
    /// A mask that is 1 where the photo stays unchanged.
    case mask(StyleMask)
    case model(SubjectFinder)
    /// Vision's request for persons.
    case persons
  }

  private let source: Source
  /// Whether to paint this part of the photo and leave the rest unchanged, instead of the reverse.
  private let isInverted: Bool
  private let softness: Double?

  /// Reads the options. Returns nil if the command line has neither a mask nor a model.
  init?(_ arguments: ParsedArguments, _ options: ModelOptions) throws {
    if arguments.has("keep-mask") {
      Output.note(
        "--keep-mask is white where the photo stays; --mask, as in `atelier paint`, is white where"
          + " it is painted.")
      guard !arguments.has("mask") else {
        throw UsageError("--mask and --keep-mask name two masks; give one of them.")
      }
    }
    switch (arguments.value("mask") ?? arguments.value("keep-mask"), arguments.value("subject")) {
    case (nil, nil):
      for name in ["invert", "softness"] where arguments.has(name) {
        throw UsageError("--\(name) needs a mask; give --mask FILE or --subject MODEL.")
      }
      return nil
    case (let file?, nil):
      let mask = StyleMask(try Picture(contentsOfFile: file).withoutAlpha)
      source = .mask(arguments.has("mask") ? mask.inverted : mask)
    case (nil, "person"?) where !FileManager.default.fileExists(atPath: "person"):
      source = .persons
    case (nil, let model?):
      let location: URL = try ModelLocation.resolve(model)
      source = .model(
        try SubjectFinder(
          OpenedModel.open(location, options), name: location.lastPathComponent))
    default: throw UsageError("--mask and --subject name two masks; give one of them.")
    }
    isInverted = arguments.has("invert")
    softness = try arguments.integer("softness", in: 0...10_000).map(Double.init)
  }

  /// Computes the mask of the part of a photo that stays unchanged.
  func mask(of photo: Picture) throws -> SubjectMask {
    let mask: StyleMask =
      switch source {
      case .mask(let mask): mask
      case .model(let finder): try finder.mask(of: photo)
      case .persons: try Self.persons(in: photo)
      }
    return SubjectMask(isInverted ? mask.inverted : mask, softness: softness)
  }

  /// Computes the mask of the persons in a photo.
  private static func persons(in photo: Picture) throws -> StyleMask {
    let request = VNGeneratePersonSegmentationRequest()
    try VNImageRequestHandler(cgImage: CGImage(photo)).perform([request])
    guard let mask = request.results?.first?.pixelBuffer else {
      throw CommandError("The request for persons made no mask.")
    }
    return StyleMask(try Picture(mask))
  }
}
