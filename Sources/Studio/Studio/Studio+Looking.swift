import CoreGraphics
import CoreML
import Foundation
import Imaging
import Service
import Vision

/// `/v1/classify`.
extension Studio {
  private struct Guess: Codable, Sendable {
    let label: String
    let probability: Double
  }

  private struct Answer: Encodable {
    let model: String
    let guesses: [Guess]
    let quotations: [Quotations.Quotation]
    let seconds: Double
  }

  func addLooking(to router: inout Router) {
    let quotations = Quotations(pages)
    router.add("POST", "/v1/classify", limit: options.pictureBytes) { [self] request, _ in
      let fields = try Fields(request)
      let photo = try photo(fields)
      let top = try fields.integer("top", in: 1...1000) ?? 5
      let units = try fields.units()
      let entry = try classifier(fields.text("model"))
      let start = ContinuousClock.now
      let guesses = try await quick.run(Self.client(request.head)) { [self] in
        try await offload { [self] in
          try classify(photo, by: models.model(entry.file, units: units), top: top)
        }
      }
      return try .json(
        Answer(
          model: entry.id, guesses: guesses,
          quotations: Array(
            quotations.fitting(guesses.map { ($0.label, $0.probability) }).prefix(4)),
          seconds: (ContinuousClock.now - start) / .seconds(1)))
    }
  }

  private func classifier(_ id: String?) throws -> ModelShelf.Entry {
    let entry =
      try id.map { try models.entry($0) } ?? models.all.first { $0.kind == .classifier }
    guard let entry else {
      throw HTTPError(
        409, "no_classifier",
        "There is no classifier. Run `atelier fetch squeezenet`, or send one to /v1/models.")
    }
    guard entry.kind == .classifier else {
      throw HTTPError(422, "no_classifier", "'\(entry.title)' does not classify pictures.")
    }
    return entry
  }

  /// What a photo shows, the likeliest first, as Vision tells.
  private func classify(_ photo: Data, by model: MLModel, top: Int) throws -> [Guess] {
    let picture = try pictures.decode(photo).withoutAlpha
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
    request.imageCropAndScaleOption = .centerCrop
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    let observations = request.results as? [VNClassificationObservation] ?? []
    return observations.prefix(top).map {
      Guess(label: $0.identifier, probability: Double($0.confidence))
    }
  }
}
