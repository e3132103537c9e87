import Foundation
import Imaging
import Service
import StyleTransfer

/// `/v1/trainings`.
extension Studio {
  func addTraining(to router: inout Router) {
    router.add("GET", "/v1/trainings") { [self] _, _ in
      try .json(["trainings": trainings.reports])
    }
    router.add("POST", "/v1/trainings", limit: 256 << 20) { [self] request, _ in
      guard canTrain else {
        throw HTTPError(
          409, "no_vgg16",
          "VGG-16, which computes the losses, is not fetched yet. Run `atelier fetch vgg16`.")
      }
      // The queue limits how many photos are decoded at once.
      let report = try await quick.run(Self.queueClient(request.head)) { [self] in
        try await offload { [self] in try beginTraining(request) }
      }
      return try .json(report, status: 201)
    }
    router.add("GET", "/v1/trainings/{id}") { [self] _, parts in
      try .json(try trainings.report(parts["id"] ?? "", losses: true))
    }
    router.add("DELETE", "/v1/trainings/{id}") { [self] _, parts in
      try trainings.remove(parts["id"] ?? "")
      return .done
    }
    router.add("POST", "/v1/trainings/{id}/pause", limit: 4096) { [self] _, parts in
      try trainings.pause(parts["id"] ?? "")
      return .done
    }
    router.add("POST", "/v1/trainings/{id}/resume", limit: 4096) { [self] request, parts in
      let id = parts["id"] ?? ""
      let more = try Fields(request).integer("iterations", in: 1...100_000)
      try await offload { [self] in
        if let more { try trainings.extend(id, to: more) } else { try trainings.resume(id) }
      }
      return .done
    }
    router.add("GET", "/v1/trainings/{id}/snapshots/{step}") { [self] _, parts in
      guard let step = Int(parts["step"] ?? "") else { throw HTTPError.missing("step") }
      var response = HTTPResponse(
        type: "image/png", try trainings.snapshot(parts["id"] ?? "", step))
      response.headers.append(("Cache-Control", "private, max-age=3600"))
      return response
    }
    for name in ["painting", "validation"] {
      router.add("GET", "/v1/trainings/{id}/\(name)") { [self] _, parts in
        HTTPResponse(type: "image/jpeg", try trainings.picture(parts["id"] ?? "", name))
      }
    }
    router.add("GET", "/v1/trainings/{id}/model") { [self] _, parts in
      HTTPResponse(
        200, headers: [("Content-Type", "application/octet-stream")],
        body: .file(try trainings.modelFile(parts["id"] ?? "")))
    }
  }

  private func beginTraining(_ request: HTTPRequest) throws -> TrainingService.Report {
    let fields = try Fields(request)
    guard let painting = fields.files.first(where: { $0.name == "painting" })?.data else {
      throw HTTPError(400, "no_painting", "The form has no file 'painting'.")
    }
    let photos = fields.files.filter { $0.name == "photos" }.map(\.data)
    guard !photos.isEmpty else {
      throw HTTPError(
        400, "no_photos", "The form has no files 'photos'. Send a few dozen training photos.")
    }
    // Without a validation photo, the snapshots show the sample photo.
    let validation =
      fields.files.first { $0.name == "validation" }?.data
      ?? pages.bytes("sample.jpg").map { Data($0) }
    let name = (fields.text("name") ?? "My style").filter { !$0.isNewline }.prefix(60)
    let record = TrainingService.Record(
      id: makeIdentifier("t"), name: String(name), created: Date(),
      algorithm: (try fields.choice("algorithm", StyleAlgorithm.self) ?? .cnn).rawValue,
      strength: try fields.integer("strength", in: StyleTrainingSettings.strengths) ?? 5,
      density: try fields.integer("density", in: StyleTrainingSettings.densities) ?? 256,
      iterations: try fields.integer("iterations", in: 1...100_000) ?? 500,
      photos: photos.count, hasValidation: validation != nil)
    return try trainings.begin(record, painting: painting, photos: photos, validation: validation)
  }
}
