import Foundation
import Service

/// `/v1/classify`.
extension Studio {
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
      let photo = try photo(fields, of: request)
      let top = try fields.integer("top", in: 1...1000) ?? 5
      let units = try fields.choice("units", Units.self) ?? .all
      let entry = try classifier(fields.text("model"))
      let start = ContinuousClock.now
      let guesses = try await quick.run(Self.queueClient(request.head)) { [self] in
        try await worker(of: entry)
          .answer(.classify(units, top: top), about: entry.file, ["photo": try photo.data()])
          .value([Guess].self)
      }
      return try .json(
        Answer(
          model: entry.id, guesses: guesses,
          quotations: Array(
            quotations.fitting(guesses.map { ($0.label, $0.probability) }).prefix(4)),
          seconds: (ContinuousClock.now - start) / .seconds(1)))
    }
  }

  private func classifier(_ id: String?) throws -> ModelStore.Entry {
    let entry =
      try id.map { try models.entry($0) } ?? models.all.first { $0.kind == .classifier }
    guard let entry else {
      throw HTTPError(
        409, "no_classifier",
        "There is no classifier. Run `atelier fetch squeezenet`, or upload one to /v1/models.")
    }
    guard entry.kind == .classifier else {
      throw HTTPError(422, "no_classifier", "'\(entry.title)' does not classify pictures.")
    }
    return entry
  }
}
