import Arguments
import CoreML
import Foundation
import Imaging
import StyleTransfer

/// What `atelier stylize` leaves as it is: a mask, or a model that finds the subject of each photo.
struct StylizedSubject {
  private enum Source {
    case mask(StyleMask)
    case model(SubjectFinder)
  }

  private let source: Source
  private let isInverted: Bool
  private let softness: Double?

  /// Reads the options; nil where neither is given.
  init?(_ arguments: ParsedArguments, _ options: ModelOptions) throws {
    switch (arguments.value("mask"), arguments.value("subject")) {
    case (nil, nil):
      for name in ["invert", "softness"] where arguments.has(name) {
        throw UsageError("--\(name) is about a mask; give --mask FILE or --subject MODEL.")
      }
      return nil
    case (let file?, nil): source = .mask(StyleMask(try Picture(contentsOfFile: file).withoutAlpha))
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

  /// What stays of a photo.
  func mask(of photo: Picture) throws -> SubjectMask {
    let mask: StyleMask =
      switch source {
      case .mask(let mask): mask
      case .model(let finder): try finder.mask(of: photo)
      }
    return SubjectMask(isInverted ? mask.inverted : mask, softness: softness)
  }
}
